import type { Log } from '../../util/log.js';
import type { MeasuredSpeeds } from '../measured/measured-speeds.js';
import type { GenerateRequest, GenerationResult } from '../port/generation.js';
import { isOnGpu, type LocalModelFacts } from '../port/model-facts.js';
import type { EngineClient } from './engine-client.js';

/** Nobody has asked the model for anything this long. */
const IDLE_MS = 5_000;
/** The time limit of one phase. A slow model has told enough by then. */
const LONGEST_MS = 8_000;
/** Each try displaces a prompt, also one that a key ends. After so many, the users' own requests measure the model. */
const MOST_TRIES = 3;
/** Wait after a try that other programs held up, times the tries so far: an editor that starts is busy for a while. */
const BUSY_MS = 15_000;
/**
 * Share of the time of all threads that the processor must give them. It is 0.98 undisturbed, 0.58 beside one busy program,
 * 0.12 beside two (two cores).
 */
const LEAST_SHARE = 0.75;

/** The first prompt displaces another one, whose state may be copied. It is not measured. */
const WARM_UP_TOKENS = 64;
const PREFILL_TOKENS = 512;
const DECODED_TOKENS = 16;
const ANSWERS = 3;
/** After this time no further answer is decoded: what takes longer is mostly slow by itself, not held up by others. */
const ENOUGH_MS = 500;

/** Null where another request came, or where the answer was interrupted. */
type Ask = (request: Pick<GenerateRequest, 'prompt' | 'maxTokens'>) => Promise<GenerationResult | null>;

export interface FirstMeasurementOptions {
  readonly client: Pick<EngineClient, 'facts' | 'idleMs' | 'running' | 'tokenize' | 'generate' | 'onDidChange'>;
  readonly prefillSpeeds: Pick<MeasuredSpeeds, 'of' | 'learn'>;
  readonly decodeSpeeds: Pick<MeasuredSpeeds, 'of' | 'learn'>;
  /** Whether anything may run that nobody asked for. */
  readonly mayRun: () => boolean;
  readonly log: Log;
}

/**
 * Measures how fast a model is on this device, once, in idle time: what users see of speed must not wait until they have
 * opened several large files. Any other request ends it.
 */
export class FirstMeasurement {
  readonly #options: FirstMeasurementOptions;
  readonly #registration: { dispose(): void };
  readonly #tries = new Map<string, number>();
  /** The fastest prefill of each model that other programs held up. */
  readonly #heldUp = new Map<string, GenerationResult>();
  #due: NodeJS.Timeout | null = null;
  /** The earliest time of the next try, by `performance.now()`. */
  #notBefore = 0;
  #running: AbortController | null = null;

  constructor(options: FirstMeasurementOptions) {
    this.#options = options;
    this.#registration = options.client.onDidChange(() => this.#look());
  }

  dispose(): void {
    this.#registration.dispose();
    this.#running?.abort();
    this.#cancelTimer();
  }

  #look(): void {
    const { client } = this.#options;
    // One of the running generations is its own.
    if (this.#running !== null && client.running > 1) this.#running.abort();
    if (this.#running !== null || this.#due !== null || this.#unmeasured() === null) return;
    this.#due = setTimeout(
      () => {
        this.#due = null;
        this.#runIfIdle();
      },
      Math.max(0, IDLE_MS - client.idleMs, this.#notBefore - performance.now()),
    );
    this.#due.unref();
  }

  #cancelTimer(): void {
    if (this.#due !== null) clearTimeout(this.#due);
    this.#due = null;
  }

  /** Null if there is nothing to measure. */
  #unmeasured(): LocalModelFacts | null {
    const { client, prefillSpeeds, decodeSpeeds } = this.#options;
    const { facts } = client;
    if (facts?.kind !== 'local' || (this.#tries.get(keyOf(facts)) ?? 0) >= MOST_TRIES) return null;
    return prefillSpeeds.of(facts) === null || decodeSpeeds.of(facts) === null ? facts : null;
  }

  #runIfIdle(): void {
    const { client, mayRun, log } = this.#options;
    const facts = this.#unmeasured();
    // The next change of the engine calls this again.
    if (facts === null || !mayRun()) return;
    if (client.idleMs < IDLE_MS) {
      this.#look();
      return;
    }
    const abort = new AbortController();
    this.#running = abort;
    const count = (this.#tries.get(keyOf(facts)) ?? 0) + 1;
    this.#tries.set(keyOf(facts), count);
    this.#measure(facts, count, abort.signal)
      .catch((error: unknown) => log.debug(`The speed of ${facts.name} was not measured: ${String(error)}`))
      .finally(() => {
        this.#running = null;
        this.#look();
      });
  }

  /** The fastest of several answers, of which other programs may hold up any. Each continues the last. Null for none. */
  async #fastestAnswer(prompt: readonly number[], ask: Ask): Promise<GenerationResult | null> {
    let fastest: GenerationResult | null = null;
    let tokens = prompt;
    let spentMs = 0;
    for (let count = 0; count < ANSWERS && spentMs < ENOUGH_MS; count += 1) {
      const answer = await ask({ prompt: tokens, maxTokens: DECODED_TOKENS });
      if (answer === null) break;
      if (fastest === null || msPerToken(answer) < msPerToken(fastest)) fastest = answer;
      tokens = [...tokens, ...answer.tokens];
      spentMs += answer.metrics.decodeMs;
    }
    return fastest;
  }

  /**
   * Null where a later try may be undisturbed. A machine that other programs hold up every time is what the user has, so
   * the last try answers.
   */
  #fastestHeldUp(facts: LocalModelFacts, tries: number, prefill: GenerationResult): GenerationResult | null {
    const key = keyOf(facts);
    const earlier = this.#heldUp.get(key);
    const fastest = earlier !== undefined && msPerPromptToken(earlier) < msPerPromptToken(prefill) ? earlier : prefill;
    this.#heldUp.set(key, fastest);
    if (tries >= MOST_TRIES) return fastest;
    this.#notBefore = performance.now() + BUSY_MS * tries;
    this.#options.log.debug(`Other programs held up the measurement of ${facts.name}`);
    return null;
  }

  /** @param tries so far, this one included */
  async #measure(facts: LocalModelFacts, tries: number, signal: AbortSignal): Promise<void> {
    const { client, prefillSpeeds, decodeSpeeds, log } = this.#options;
    const tokens = await client.tokenize(SAMPLE);
    const room = facts.contextLength - ANSWERS * DECODED_TOKENS;
    // The engine still holds what an earlier try began with.
    const start = (tries - 1) * WARM_UP_TOKENS;
    const prompt = tokens.slice(start, start + Math.min(WARM_UP_TOKENS + PREFILL_TOKENS, room));
    const ask: Ask = async (request) => {
      if (signal.aborted || client.facts !== facts) return null;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
      const background = { ...request, speculation: 'off', priority: 'background' } as const;
      const result = await client.generate(background, () => undefined, limited);
      const undisturbed = result.metrics.local?.preemptions === 0;
      return signal.aborted || !undisturbed ? null : result;
    };
    const warmUp = await ask({ prompt: prompt.slice(0, WARM_UP_TOKENS), maxTokens: 0 });
    const prefill = warmUp && (await ask({ prompt, maxTokens: 0 }));
    if (prefill === null) return;
    const isHeldUp = !hadProcessor(facts, prefill);
    const learnt = isHeldUp ? this.#fastestHeldUp(facts, tries, prefill) : prefill;
    if (learnt === null) return;
    prefillSpeeds.learn(facts, learnt, isHeldUp);
    const decode = await this.#fastestAnswer(prompt, ask);
    if (decode !== null) decodeSpeeds.learn(facts, decode, isHeldUp);
    const rounded = (speed: number | null): string => (speed === null ? 'an unknown number of' : speed.toFixed(0));
    log.info(
      `${facts.name} reads ${rounded(prefillSpeeds.of(facts))} tokens a second here and writes ${rounded(decodeSpeeds.of(facts))}`,
    );
  }
}

/** Threads wait for each other, so one that another program holds up holds up all. A GPU's work is not in that time. */
function hadProcessor(facts: LocalModelFacts, { metrics: { prefillMs, local } }: GenerationResult): boolean {
  return local === null || isOnGpu(facts) || local.processorMs >= LEAST_SHARE * facts.threads * prefillMs;
}

function msPerPromptToken({ metrics: { prefillMs, local } }: GenerationResult): number {
  return prefillMs / Math.max(1, local?.evaluatedTokens ?? 0);
}

function msPerToken({ metrics: { decodeMs, generatedTokens } }: GenerationResult): number {
  return decodeMs / Math.max(1, generatedTokens);
}

function keyOf({ path, backend }: LocalModelFacts): string {
  return `${backend}\n${path}`;
}

/** Enough tokens for any tokenizer, none of which repeats a long range. */
const SAMPLE = Array.from(
  { length: 120 },
  (_, line) => `  const value${line * 7919} = compute(${line}, rows[${line * line}]);\n`,
).join('');
