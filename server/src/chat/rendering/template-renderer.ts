import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Rendered, RenderJob } from './render-template.js';

/**
 * `limit`: it takes more time or memory than any honest template. `machine`: there is no process to render it in, which is
 * no template's fault.
 */
type NotRendered = typeof OVER_LIMIT | { readonly kind: 'machine'; readonly message: string };

/** Renders a Jinja template. Never rejects. */
export type RenderTemplate = (job: RenderJob) => Promise<Rendered | NotRendered>;

export interface TemplateRendererOptions {
  /** The program of the process that renders. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  /** For one template, once the process runs. */
  readonly limitMs?: number;
  /** For the start of the process. */
  readonly startLimitMs?: number;
  /** How long the process stays without work. */
  readonly idleMs?: number;
}

const LIMIT_MS = 5_000;
const START_LIMIT_MS = 30_000;
const IDLE_MS = 15_000;
const OVER_LIMIT = { kind: 'limit' } as const;

/** Renders templates from model files in a process, one at a time. What goes on for too long ends with that process. */
export class TemplateRenderer {
  readonly #options: TemplateRendererOptions;
  #child: ChildProcess | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | null = null;
  #disposed = false;

  constructor(options: TemplateRendererOptions) {
    this.#options = options;
  }

  readonly render: RenderTemplate = (job) => {
    const rendered = this.#last.then(() => this.#renderTwice(job));
    this.#last = rendered;
    return rendered;
  };

  dispose(): void {
    this.#disposed = true;
    this.#end();
  }

  /** A machine that slept, or had no memory for a moment, costs another attempt, not the template. */
  async #renderTwice(job: RenderJob): Promise<Rendered | NotRendered> {
    const rendered = await this.#render(job);
    const isCertain = rendered.kind !== 'limit' && rendered.kind !== 'machine';
    return isCertain || this.#disposed ? rendered : this.#render(job);
  }

  async #render(job: RenderJob): Promise<Rendered | NotRendered> {
    if (this.#disposed) return { kind: 'machine', message: 'the language server is shutting down' };
    if (this.#idle !== null) clearTimeout(this.#idle);
    const over = new AbortController();
    const { signal } = over;
    try {
      const child = this.#child ?? (await this.#start(signal));
      // A process that has just ended cannot receive anything; the wait below notices its end.
      child.send(job, () => undefined);
      const rendered = await Promise.race([
        once(child, 'message', { signal }).then(([message]) => message as Rendered),
        once(child, 'close', { signal }).then(() => OVER_LIMIT),
        delay(this.#options.limitMs ?? LIMIT_MS, OVER_LIMIT, { signal }),
      ]);
      if (rendered.kind === 'limit') this.#end();
      return rendered;
    } catch (error) {
      this.#end();
      return { kind: 'machine', message: error instanceof Error ? error.message : String(error) };
    } finally {
      over.abort();
      this.#idle = setTimeout(() => this.#end(), this.#options.idleMs ?? IDLE_MS).unref();
    }
  }

  /** A busy machine is slow to start processes, which is no template's fault. Its limit is longer, and its error another. */
  async #start(signal: AbortSignal): Promise<ChildProcess> {
    const { program, environment, startLimitMs = START_LIMIT_MS } = this.#options;
    const child = fork(program, [], { env: environment, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const forget = (): void => {
      if (this.#child === child) this.#child = null;
    };
    child.on('error', forget);
    child.on('close', forget);
    this.#child = child;
    const fail = (): never => {
      throw new Error('no process can be started');
    };
    await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'close', { signal }).then(fail),
      delay(startLimitMs, undefined, { signal }).then(fail),
    ]);
    return child;
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}
