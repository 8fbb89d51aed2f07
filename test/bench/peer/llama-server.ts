import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { peerBinary } from './peer-binary.js';

export interface LlamaServerOptions {
  /** The instruction set of the peer's build, or the program itself. */
  readonly flavour: string | { readonly program: string };
  readonly model: string;
  readonly threads: number;
  readonly contextLength: number;
  /** The GPU that it computes on; absent or null for what its build takes by itself. */
  readonly device?: string | null;
  /** Draft with the model's own MTP block at llama-server's defaults; plain decoding if absent. */
  readonly mtp?: boolean;
  /** Keep the state for the next prompt at llama-server's defaults; keep nothing if absent. */
  readonly reuse?: boolean;
  /** The API key that requests need; none if absent. */
  readonly apiKey?: string;
  /** A free port if absent. */
  readonly port?: number;
}

/** One answer with the peer's own timings. */
export interface LlamaServerAnswer {
  /** Without the end token, like ours. */
  readonly tokens: readonly number[];
  readonly promptTokens: number;
  readonly promptMs: number;
  /** Includes the end token if the model chose one. */
  readonly generatedTokens: number;
  readonly generationMs: number;
}

const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 5_000;

/** Keeps nothing of earlier prompts: it would save no time and cost some if every prompt is new. */
const NO_REUSE = ['--no-cache-prompt', '--cache-ram', '0', '--ctx-checkpoints', '0'];

/**
 * Drafts at llama-server's defaults, except for its threads. The pools of model and drafts run in turn. If all cores
 * belong to one pool, its spinning threads keep the other pool from running (measured on two cores: 5 tokens per second
 * instead of 47).
 */
const MTP = [
  ...['--spec-type', 'draft-mtp', '--poll', '0', '--poll-batch', '0'],
  ...['--spec-draft-poll', '0', '--spec-draft-poll-batch', '0'],
];

/** llama-server as a child process on a port of its own. */
export class LlamaServer {
  readonly #process: ChildProcess;
  readonly #address: string;
  readonly #reuse: boolean;

  private constructor(process: ChildProcess, address: string, reuse: boolean) {
    this.#process = process;
    this.#address = address;
    this.#reuse = reuse;
  }

  static async start(options: LlamaServerOptions): Promise<LlamaServer> {
    const { flavour, model, threads, contextLength, device = null, mtp = false, reuse = false, apiKey } = options;
    const port = options.port ?? (await freePort());
    const child = spawn(
      typeof flavour === 'string' ? peerBinary('llama-server', flavour) : flavour.program,
      [
        ...['--model', model, '--ctx-size', String(contextLength), '--parallel', '1'],
        ...['--threads', String(threads), '--threads-batch', String(threads)],
        ...['--host', '127.0.0.1', '--port', String(port), '--offline', '--no-webui'],
        ...(device === null ? [] : ['--device', device]),
        ...(mtp ? MTP : []),
        ...(apiKey === undefined ? [] : ['--api-key', apiKey]),
        ...(reuse ? ['--cache-reuse', '256'] : NO_REUSE),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    // It would go on if this process ended before `stop`.
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-2000);
    });
    const server = new LlamaServer(child, `http://127.0.0.1:${port}`, reuse);
    try {
      await server.#untilHealthy();
    } catch (error) {
      await server.stop();
      throw new Error(`llama-server did not start: ${String(error)}\n${log}`);
    }
    return server;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Its address, such as `http://127.0.0.1:40123`. */
  get address(): string {
    return this.#address;
  }

  /** Greedy, with llama-server's cheapest sampler: the best token, no probabilities. */
  async complete(prompt: readonly number[], maxTokens: number): Promise<LlamaServerAnswer> {
    const request = {
      prompt,
      n_predict: maxTokens,
      temperature: 0,
      samplers: ['top_k'],
      top_k: 1,
      cache_prompt: this.#reuse,
      return_tokens: true,
    };
    const response = await fetch(`${this.#address}/completion`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (!response.ok) throw new Error(`llama-server answered ${response.status}: ${await response.text()}`);
    const { tokens, timings, stop_type } = (await response.json()) as {
      readonly tokens: readonly number[];
      readonly stop_type: 'eos' | 'limit' | 'word' | 'none';
      readonly timings: Readonly<Record<'prompt_n' | 'prompt_ms' | 'predicted_n' | 'predicted_ms', number>>;
    };
    return {
      tokens: stop_type === 'eos' ? tokens.slice(0, -1) : tokens,
      promptTokens: timings.prompt_n,
      promptMs: timings.prompt_ms,
      generatedTokens: timings.predicted_n,
      generationMs: timings.predicted_ms,
    };
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    // It waits for connections and tasks that are still open, some of them for ever.
    const killing = setTimeout(() => this.#process.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(killing);
  }

  async #untilHealthy(): Promise<void> {
    const deadline = performance.now() + START_LIMIT_MS;
    while (performance.now() < deadline) {
      if (this.#process.exitCode !== null) throw new Error(`it ended with code ${this.#process.exitCode}`);
      try {
        const { ok } = await fetch(`${this.#address}/health`);
        if (ok) return;
      } catch (error) {
        // The server refuses connections until it listens.
        if (!(error instanceof TypeError)) throw error;
      }
      await delay(50);
    }
    throw new Error(`it was not ready after ${START_LIMIT_MS} ms`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
