import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EngineErrorInfo, t } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { EstimateMemory, LoadOptions } from '../port/engine.js';
import { EngineError } from '../port/engine-error.js';
import type { MemoryEstimate } from '../port/memory-report.js';

/** Parent to child, one at a time. */
export interface EstimateQuestion {
  readonly options: LoadOptions;
}

/** Child to parent, once: it runs. */
export const HELLO = 'hello';

/** Child to parent. */
export type EstimateAnswer = { readonly estimate: MemoryEstimate } | { readonly error: EngineErrorInfo };

export interface EstimateProcessOptions {
  /** The server's own program, which answers estimates when it is started with `--estimates`. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  /** How long it stays without a question, and how long a question may take. */
  readonly idleMs?: number;
  readonly limitMs?: number;
  /** How long its start may take. */
  readonly startLimitMs?: number;
}

const IDLE_MS = 15_000;
const LIMIT_MS = 30_000;
const START_LIMIT_MS = 30_000;
const LAST_WORDS = 2_000;

/**
 * Makes estimates in a separate process. The picker looks at every model on the machine: a file that makes llama.cpp abort
 * must not end the server. Memory that an estimate leaves behind goes with the process.
 */
export class EstimateProcess {
  readonly #options: EstimateProcessOptions;
  #child: ChildProcess | null = null;
  #lastWords = '';
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | null = null;
  #disposed = false;

  constructor(options: EstimateProcessOptions) {
    this.#options = options;
  }

  /** @throws EngineError as the addon; `loadFailed` where the process dies of the question, `internal` without one */
  readonly estimate: EstimateMemory = (options) => {
    // One after the other, so that it is known which question killed a process.
    const answer = this.#last.then(() => this.#ask(options));
    this.#last = answer.catch(() => undefined);
    return answer;
  };

  dispose(): void {
    this.#disposed = true;
    this.#end();
  }

  async #ask(options: LoadOptions): Promise<MemoryEstimate> {
    if (this.#disposed) throw new EngineError('closed', t('The language server is shutting down'));
    if (this.#idle !== null) clearTimeout(this.#idle);
    const child = this.#child ?? (await this.#start());
    const answered = new AbortController();
    const { signal } = answered;
    const fail = (message: string): never => {
      this.#options.log.warn(`${message}: ${options.path} ${this.#lastWords}`);
      this.#end();
      throw new EngineError('loadFailed', message);
    };
    try {
      // A process that has just ended cannot receive anything; the wait below notices its end.
      child.send({ options } satisfies EstimateQuestion, () => undefined);
      const [answer] = (await Promise.race([
        once(child, 'message', { signal }),
        once(child, 'close', { signal }).then(() => fail(t('The engine cannot read {0}', basename(options.path)))),
        delay(this.#options.limitMs ?? LIMIT_MS, undefined, { signal }).then(() =>
          fail(t('Reading {0} took too long', basename(options.path))),
        ),
      ])) as [EstimateAnswer];
      if ('error' in answer) throw new EngineError(answer.error.code, answer.error.message);
      return answer.estimate;
    } finally {
      answered.abort();
      this.#idle = setTimeout(() => this.#end(), this.#options.idleMs ?? IDLE_MS).unref();
    }
  }

  /** @throws EngineError `internal` where there can be no such process, which is no file's fault */
  async #start(): Promise<ChildProcess> {
    const { program, environment, startLimitMs = START_LIMIT_MS } = this.#options;
    const child = fork(program, ['--estimates'], {
      env: environment,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#lastWords = '';
    child.stderr?.on('data', (words: Buffer) => {
      this.#lastWords = (this.#lastWords + words.toString()).slice(-LAST_WORDS);
    });
    // The waiting question notices it, too.
    child.on('error', () => this.#forget(child));
    child.on('close', () => this.#forget(child));
    const settled = new AbortController();
    const { signal } = settled;
    try {
      const ended = once(child, 'close', { signal }).then(() => Promise.reject(new Error(this.#lastWords)));
      // Otherwise a process that hangs in its start would hold up every later question.
      const late = delay(startLimitMs, undefined, { signal }).then(() =>
        Promise.reject(new Error(t('It took too long'))),
      );
      await Promise.race([once(child, 'message', { signal }), ended, late]);
      return child;
    } catch (error) {
      this.#end();
      const reason = error instanceof Error ? error.message : String(error);
      throw new EngineError('internal', t('The process that estimates memory did not start: {0}', reason), {
        cause: error,
      });
    } finally {
      settled.abort();
    }
  }

  #forget(child: ChildProcess): void {
    if (this.#child === child) this.#child = null;
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}
