import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Rendered, RenderJob } from './render-template.js';

/** Renders a Jinja template. `limit`: it takes more time or memory than any honest one. Never rejects. */
export type RenderTemplate = (job: RenderJob) => Promise<Rendered | { readonly kind: 'limit' }>;

export interface TemplateRendererOptions {
  /** The worker's program. */
  readonly program: string;
  /** For one template, with the start of the worker. */
  readonly limitMs?: number;
  /** How long the worker stays without work. */
  readonly idleMs?: number;
}

const LIMIT_MS = 5_000;
const IDLE_MS = 15_000;
const HEAP_MEGABYTES = 128;

/** Renders templates from model files in a worker, one at a time. What goes on for too long ends with that worker. */
export class TemplateRenderer {
  readonly #options: TemplateRendererOptions;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | null = null;
  #disposed = false;

  constructor(options: TemplateRendererOptions) {
    this.#options = options;
  }

  readonly render: RenderTemplate = (job) => {
    const rendered = this.#last.then(() => this.#render(job));
    this.#last = rendered;
    return rendered;
  };

  dispose(): void {
    this.#disposed = true;
    this.#end();
  }

  async #render(job: RenderJob): Promise<Rendered | { readonly kind: 'limit' }> {
    if (this.#disposed) return { kind: 'render', message: 'The language server is shutting down' };
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const { signal, abort } = cancellable();
    try {
      this.#worker.postMessage(job);
      // A worker without memory emits an error, and `once` rejects with it.
      const answered = once(this.#worker, 'message', { signal }).then(([rendered]) => rendered as Rendered);
      const late = delay(this.#options.limitMs ?? LIMIT_MS, { kind: 'limit' } as const, { signal });
      const gone = once(this.#worker, 'exit', { signal }).then(() => ({ kind: 'limit' }) as const);
      const first = await Promise.race([answered, late, gone]);
      if (first.kind === 'limit') this.#end();
      return first;
    } catch (error) {
      this.#end();
      const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      return isMemory ? { kind: 'limit' } : { kind: 'render', message: String(error) };
    } finally {
      abort();
      this.#idle = setTimeout(() => this.#end(), this.#options.idleMs ?? IDLE_MS).unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#options.program, {
      // A template has no business with the environment, and keys may be in there.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: HEAP_MEGABYTES / 8 },
    });
    // One that fails while nobody waits must not end the server.
    worker.on('error', () => this.#forget(worker));
    worker.on('exit', () => this.#forget(worker));
    worker.unref();
    return worker;
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}

/** The waits that lose the race end with it, and reject unheard. */
function cancellable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
