import type { ModelSpeed } from '../../protocol/index.js';
import { guessedSpeed, promptLengthFor, type SpeedFacts } from '../prompt/prompt-length.js';
import type { ModelWork } from './gguf-header.js';

/** A model that ran on this device, with what was measured of it; null for what was not. */
export interface MeasuredModel {
  readonly path: string;
  readonly work: ModelWork;
  /** Tokens a second, as below. */
  readonly decode: number | null;
  readonly prefill: number | null;
}

export interface SpeedContext extends Pick<SpeedFacts, 'device' | 'threads'> {
  readonly measured: readonly MeasuredModel[];
}

export interface PredictedModel {
  /** Null if it is not on this machine. */
  readonly path: string | null;
  readonly work: ModelWork;
  /** Longest prompt that it may get, in tokens; null for no limit of its own. */
  readonly longestPrompt: number | null;
}

/**
 * Bytes a second that any machine of the kind reads from memory: Apple's first chips have 68 GB/s, of which their kernels
 * reach most; a thread of a processor gets some gigabytes a second until a few threads have all there is.
 */
const LEAST_BANDWIDTH = { shared: 50e9, gpu: 80e9 } as const;
const LEAST_BANDWIDTH_OF_THREAD = 3.5e9;
const LEAST_BANDWIDTH_OF_PROCESSOR = 20e9;

/** A guess in a typical machine's favour is too much for a recommendation. */
const CAUTION = 2;

/** On a GPU, a model this many times smaller says little: starting its kernels takes longer than what they compute. */
const COMPARABLE_ON_GPU = 8;

/**
 * Seconds of a decoded token that no weight explains: starting each operation, and waiting for the slowest thread. On the
 * two-core CI machine the starter model took 4.2 ms a token at its best for 33 MB, and a model of the same layers with
 * 581 MB 40 ms. On a faster one it took 1.35 ms, and models of 581 and 1,030 MB 14 and 27 ms: there the overhead was two
 * fifths of the starter's time (23 November 2026; test/support/ballast.ts).
 */
const OVERHEAD_SECONDS = 0.0015;
/** Noise must not pass for overhead. */
const MOST_OVERHEAD = 0.4;

interface Speed {
  readonly tokensPerSecond: number;
  readonly basis: ModelSpeed['basis'];
}

/**
 * How fast a model will be on a device, from models that ran there.
 *
 * Decoding one token reads all weights that it uses once, and waits for the memory: the time grows with their bytes (Pope
 * et al. 2022, Efficiently Scaling Transformer Inference, arXiv:2211.05102, section 2). Evaluating a prompt multiplies each
 * of its tokens with all these weights, and waits for the arithmetic: the time grows with their number (2 operations a
 * weight and token: Kaplan et al. 2020, arXiv:2001.08361, section 2.1). Both scale from the measured model that is nearest.
 * Of decoding, a fixed overhead is taken out before. A prediction for a model of twenty times the size was within a fifth
 * of what was measured. Attention is left out: prompts are short.
 */
export function predictSpeed(model: PredictedModel, context: SpeedContext): ModelSpeed {
  const decode = scaled(model, context, 'decode') ?? assumedDecode(model, context);
  const prefill = scaled(model, context, 'prefill') ?? assumedPrefill(model, context);
  const promptTokens = Math.min(
    promptLengthFor(prefill.tokensPerSecond, null),
    model.longestPrompt ?? Number.POSITIVE_INFINITY,
  );
  return {
    tokensPerSecond: decode.tokensPerSecond,
    promptSeconds: promptTokens / prefill.tokensPerSecond,
    basis: weaker(decode.basis, prefill.basis),
  };
}

type Phase = 'decode' | 'prefill';

/** The same model with so many times the weights to read. */
function decodeWith(factor: number, tokensPerSecond: number): number {
  const seconds = 1 / tokensPerSecond;
  const overhead = Math.min(OVERHEAD_SECONDS, seconds * MOST_OVERHEAD);
  return 1 / (overhead + (seconds - overhead) * factor);
}

/** At least one, so that a file without tensors has a speed. */
function workOf({ decodeBytes, prefillParameters }: ModelWork, phase: Phase): number {
  return Math.max(1, phase === 'decode' ? decodeBytes : prefillParameters);
}

/** Null where nothing comparable was measured. */
function scaled({ path, work }: PredictedModel, context: SpeedContext, phase: Phase): Speed | null {
  const own = workOf(work, phase);
  const distance = (each: MeasuredModel): number => Math.abs(Math.log(workOf(each.work, phase) / own));
  const isItself = (each: MeasuredModel): boolean => path !== null && each.path === path;
  const [nearest] = context.measured
    .filter((each) => each[phase] !== null)
    .sort((left, right) => Number(isItself(right)) - Number(isItself(left)) || distance(left) - distance(right));
  if (nearest === undefined) return null;
  const measured = nearest[phase] ?? 0;
  if (isItself(nearest)) return { tokensPerSecond: measured, basis: 'measured' };
  const factor = own / workOf(nearest.work, phase);
  const tokensPerSecond = phase === 'decode' ? decodeWith(factor, measured) : measured / factor;
  if (context.device === 'cpu' || factor <= COMPARABLE_ON_GPU) return { tokensPerSecond, basis: 'predicted' };
  const assumed = phase === 'decode' ? assumedDecode({ work }, context) : assumedPrefill({ work }, context);
  return { tokensPerSecond: Math.max(tokensPerSecond, assumed.tokensPerSecond), basis: 'assumed' };
}

function assumedDecode({ work }: Pick<PredictedModel, 'work'>, { device, threads }: SpeedContext): Speed {
  const bandwidth =
    device === 'cpu'
      ? Math.min(LEAST_BANDWIDTH_OF_THREAD * threads, LEAST_BANDWIDTH_OF_PROCESSOR)
      : LEAST_BANDWIDTH[device];
  return { tokensPerSecond: bandwidth / workOf(work, 'decode'), basis: 'assumed' };
}

function assumedPrefill({ work }: Pick<PredictedModel, 'work'>, { device, threads }: SpeedContext): Speed {
  const guess = guessedSpeed({ modelBytes: work.decodeBytes, device, threads });
  return { tokensPerSecond: guess / CAUTION, basis: 'assumed' };
}

function weaker(left: ModelSpeed['basis'], right: ModelSpeed['basis']): ModelSpeed['basis'] {
  const order = ['measured', 'predicted', 'assumed'] as const;
  return order[Math.max(order.indexOf(left), order.indexOf(right))] ?? 'assumed';
}
