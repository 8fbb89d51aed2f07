import type { ModelSpeed } from '../../../protocol/index.js';
import { promptLengthFor } from '../../prompt/prompt-length.js';
import type { ModelWork } from '../gguf/gguf-header.js';

/** A model that ran on this device, with what was measured of it; null for what was not. */
export interface MeasuredModel {
  readonly path: string;
  readonly work: ModelWork;
  /** Tokens a second, as below. */
  readonly decode: number | null;
  readonly prefill: number | null;
}

export interface SpeedContext {
  /** `shared`: Apple's GPU. `integrated`: another one with the machine's memory. */
  readonly device: 'cpu' | 'shared' | 'integrated' | 'gpu';
  /** What the loaded model uses. */
  readonly threads: number;
  readonly measured: readonly MeasuredModel[];
}

export interface PredictedModel {
  /** Null if it is not on this machine. */
  readonly path: string | null;
  readonly work: ModelWork;
  /** Longest prompt that it may get, in tokens; null for no limit of its own. */
  readonly longestPrompt: number | null;
}

/** How fast a model is on this machine. */
export type PredictSpeed = (model: PredictedModel) => ModelSpeed;

/**
 * What any machine of the kind does before anything was measured on it. Decoding: bytes a second. Apple's first chips have
 * 68 GB/s, of which their kernels reach most; an Intel Iris Xe reached 24 (llama.cpp, pull request 5301); of a processor's
 * threads each gets some gigabytes a second until a few have all there is. Prefill: bytes of weights times tokens a second.
 * The Iris Xe reached 1.4e11, an H200 through Vulkan 4e12 (test/bench/FIGURES.md).
 */
const LEAST = {
  shared: { decode: 50e9, prefill: 5e11 },
  integrated: { decode: 20e9, prefill: 1e11 },
  gpu: { decode: 80e9, prefill: 1e12 },
} as const;
const LEAST_OF_THREAD = { decode: 3.5e9, prefill: 1.25e10 };
const LEAST_BANDWIDTH_OF_PROCESSOR = 20e9;

/** Times as long as the weights alone say, where a model reads prompts more slowly than the measured one. */
const SLOW_PREFILL = 2;
/** A recurrent model this many times larger is one, too: its states grow faster than its weights. */
const COMPARABLE = 8;

/**
 * A model of fewer bytes hardly gains from more than two threads, and a larger one does: a root of their number. 0.8B in
 * Q4_K gains the power 0.59 (prefill) and 0.37 (decoding) of it over the starter model, with 8 threads and with 16.
 */
const SMALL_MODEL_BYTES = 256 * 2 ** 20;
const GAIN_OF_THREADS = { decode: 1 / 3, prefill: 1 / 2 } as const;

/**
 * On a GPU, a model that is smaller by more says little: starting its kernels takes longer than what they compute. What it
 * still says is that the larger one is no slower than its size demands. Fewer tokens a second would sound like a warning.
 */
const LEAST_WORTH_SAYING = 15;

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
 * Attention is left out: prompts are short.
 *
 * On two cores, from the starter model: decoding as fast as measured or slower, down to half of it; prompts up to 1.04
 * times as fast as measured, down to half of it (`bench speed`; the table is in test/bench/FIGURES.md).
 */
export function predictSpeed(model: PredictedModel, context: SpeedContext): ModelSpeed {
  const decode = scaled(model, context, 'decode') ?? assumed(model, context, 'decode');
  const prefill = scaled(model, context, 'prefill') ?? assumed(model, context, 'prefill');
  const promptTokens = Math.min(
    promptLengthFor(prefill.tokensPerSecond, null),
    model.longestPrompt ?? Number.POSITIVE_INFINITY,
  );
  const basis = weaker(decode.basis, prefill.basis);
  return {
    tokensPerSecond: decode.tokensPerSecond,
    promptSeconds: promptTokens / prefill.tokensPerSecond,
    basis,
    atLeast: basis === 'assumed' ? leastOf(model, context) : null,
  };
}

function leastOf(model: PredictedModel, context: SpeedContext): number | null {
  const nearest = nearestOf(model, context, 'decode');
  if (context.device === 'cpu' || nearest === null) return null;
  const least = nearest.tokensPerSecond / nearest.factor;
  return least < LEAST_WORTH_SAYING ? null : least;
}

type Phase = 'decode' | 'prefill';

/** At least one, so that a file without tensors has a speed. */
function workOf({ decodeBytes, prefillParameters }: ModelWork, phase: Phase): number {
  return Math.max(1, phase === 'decode' ? decodeBytes : prefillParameters);
}

interface Nearest {
  readonly isItself: boolean;
  readonly tokensPerSecond: number;
  /** Work of the model over that of the measured one. */
  readonly factor: number;
  readonly slowPrefill: boolean;
  readonly isSmall: boolean;
}

/** The measured model with the most similar work; null where none was measured. */
function nearestOf({ path, work }: PredictedModel, { measured }: SpeedContext, phase: Phase): Nearest | null {
  const own = workOf(work, phase);
  const all = measured.flatMap((each): readonly Nearest[] => {
    const tokensPerSecond = each[phase];
    const isItself = path !== null && each.path === path;
    if (tokensPerSecond === null) return [];
    const { slowPrefill, decodeBytes } = each.work;
    const isSmall = decodeBytes < SMALL_MODEL_BYTES;
    return [{ isItself, tokensPerSecond, factor: own / workOf(each.work, phase), slowPrefill, isSmall }];
  });
  const distance = ({ factor }: Nearest): number => Math.abs(Math.log(factor));
  const [nearest] = all.sort(
    (left, right) => Number(right.isItself) - Number(left.isItself) || distance(left) - distance(right),
  );
  return nearest ?? null;
}

/** Null where nothing was measured. */
function scaled(model: PredictedModel, context: SpeedContext, phase: Phase): Speed | null {
  const nearest = nearestOf(model, context, phase);
  if (nearest === null) return null;
  const { isItself, factor } = nearest;
  if (isItself) return { tokensPerSecond: nearest.tokensPerSecond, basis: 'measured' };
  const isSlower = model.work.slowPrefill && (!nearest.slowPrefill || factor > COMPARABLE);
  const gain = context.device === 'cpu' && nearest.isSmall && factor > COMPARABLE ? gainOf(context.threads, phase) : 1;
  const slowness = phase === 'prefill' && isSlower ? SLOW_PREFILL : 1;
  const tokensPerSecond = (nearest.tokensPerSecond * gain) / factor / slowness;
  if (context.device === 'cpu' || factor <= COMPARABLE) return { tokensPerSecond, basis: 'predicted' };
  const least = assumed(model, context, phase).tokensPerSecond;
  return { tokensPerSecond: Math.max(tokensPerSecond, least), basis: 'assumed' };
}

function gainOf(threads: number, phase: Phase): number {
  return Math.max(1, threads / 2) ** GAIN_OF_THREADS[phase];
}

function assumed({ work }: Pick<PredictedModel, 'work'>, { device, threads }: SpeedContext, phase: Phase): Speed {
  const ofThreads = LEAST_OF_THREAD[phase] * threads;
  const ofProcessor = phase === 'decode' ? Math.min(ofThreads, LEAST_BANDWIDTH_OF_PROCESSOR) : ofThreads;
  const pace = device === 'cpu' ? ofProcessor : LEAST[device][phase];
  return { tokensPerSecond: pace / workOf(work, 'decode'), basis: 'assumed' };
}

function weaker(left: ModelSpeed['basis'], right: ModelSpeed['basis']): ModelSpeed['basis'] {
  const order = ['measured', 'predicted', 'assumed'] as const;
  return order[Math.max(order.indexOf(left), order.indexOf(right))] ?? 'assumed';
}
