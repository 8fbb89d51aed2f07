import { setTimeout as delay } from 'node:timers/promises';
import type {
  NativeEngine,
  NativeGenerateRequest,
  NativeGenerationMetrics,
  NativeGenerationResult,
} from '../../../server/src/engine/addon/addon-types.js';
import type { BenchmarkFields } from '../measure/benchmark.js';
import {
  type EngineUnderTest,
  type LoadedBy,
  loadEngine,
  loadOptions,
  peerOptions,
  untilCalibrated,
} from '../measure/engine-under-test.js';
import { median, round } from '../measure/statistics.js';
import { LlamaServer } from '../peer/llama-server.js';
import { describeAgreement, firstDifference, shareOfSame, type TwoAnswers } from './agreement.js';
import { type DecodePrompt, decodePrompts, repeatingPrompts, rewritePrompts } from './decode-prompts.js';
import { type DecodeOptions, stepsPerSecond } from './plain-decode.js';

const MAX_TOKENS = 64;
const CONTEXT_LENGTH = 1024;
const SETTLE_MS = 500;
const MOST_ATTEMPTS = 8;
const REPEATING_PROMPTS = 4;

/**
 * The engine's ways of decoding: plain, with both sources of drafts, and with one of them. `control` is plain again:
 * its distance from plain is the machine's noise.
 */
const MODES = {
  plain: { speculation: 'off' },
  control: { speculation: 'off' },
  auto: { speculation: 'auto' },
  mtp: { speculation: 'auto', draftSources: ['mtp'] },
  lookup: { speculation: 'auto', draftSources: ['lookup'] },
} as const satisfies Record<string, Partial<NativeGenerateRequest>>;

type Mode = keyof typeof MODES;
type Contestant = Mode | 'peer' | 'peerMtp';

interface Answer {
  readonly tokens: readonly number[];
  /** Tokens per second after the first token. */
  readonly speed: number;
  /** Null for the peer. */
  readonly metrics: NativeGenerationMetrics | null;
}

/** All answers to one prompt. */
interface Comparison {
  readonly prompt: string;
  readonly answers: Readonly<Partial<Record<Contestant, Answer>>>;
}

export interface SpeculationOptions extends DecodeOptions {
  readonly prompts: number;
  readonly modes: readonly Mode[];
  /** A model that must give the same tokens with the same log-probabilities. */
  readonly reference?: string;
}

/** Nothing is swapped out: a prompt comes back with its last completion, which would be the answer again. */
function load(by: LoadedBy): Promise<EngineUnderTest> {
  return loadEngine({ ...loadOptions(by, CONTEXT_LENGTH), swapBudgetBytes: 0 });
}

/** Decoding of fill-in-the-middle prompts from real files, plain and with drafts, on both sides. */
export async function measureSpeculation(options: SpeculationOptions): Promise<BenchmarkFields> {
  const { model, progress } = options;
  progress(`speculation: loading ${model}`);
  const own = await load(options);
  const shared = peerOptions(own, options, CONTEXT_LENGTH);
  const peers = new Map<Contestant, LlamaServer>();
  try {
    const prompts = await decodePrompts(own.engine, options.prompts);
    if (options.reference !== undefined)
      await requireSameOutput(own, prompts, { ...options, model: options.reference });
    await untilCalibrated(own);
    peers.set('peer', await LlamaServer.start(shared));
    if (own.facts.mtpLayerCount > 0) peers.set('peerMtp', await LlamaServer.start({ ...shared, mtp: true }));
    const comparisons = await compareAll(own.engine, peers, prompts, options);
    return {
      ...summarize(comparisons, await readCosts(own.engine, prompts[0]!)),
      ...(await measureCopies('repeating', own.engine, await repeatingPrompts(own.engine, REPEATING_PROMPTS), options)),
      ...(await measureCopies('rewrite', own.engine, await rewritePrompts(own.engine, REPEATING_PROMPTS), options)),
      ...(await describeAgreement('same_output_as_peer', own.engine, answersOfBoth(comparisons, prompts))),
    };
  } finally {
    for (const server of peers.values()) await server.stop();
    await own.engine.close();
  }
}

/** Drafts from the prompt alone, where the answer copies it. */
async function measureCopies(
  kind: 'repeating' | 'rewrite',
  engine: NativeEngine,
  prompts: readonly DecodePrompt[],
  options: SpeculationOptions,
): Promise<BenchmarkFields> {
  const comparisons = await compareAll(engine, new Map(), prompts, { ...options, modes: ['plain', 'lookup'] });
  const ratios = comparisons.map(({ answers }) => answers.lookup!.speed / answers.plain!.speed);
  const computed = computedRatios(comparisons, 'lookup', await readCosts(engine, prompts[0]!));
  const verified = comparisons.map(({ answers }) => {
    const { tokens, metrics } = answers.lookup!;
    return metrics!.acceptedDraftTokens / tokens.length;
  });
  return {
    [`${kind}_lookup_over_plain`]: round(median(ratios), 3),
    ...(computed.length === 0 ? {} : { [`computed_${kind}_lookup_over_plain`]: round(median(computed), 3) }),
    // Tokens that were drafts and accepted; the others were decoded one by one.
    [`${kind}_verified_share`]: round(median(verified), 3),
    [`${kind}_identical`]: comparisons.every(
      ({ answers }) => firstDifference(answers.plain!.tokens, answers.lookup!.tokens) === null,
    ),
  };
}

async function compareAll(
  engine: NativeEngine,
  peers: ReadonlyMap<Contestant, LlamaServer>,
  prompts: readonly DecodePrompt[],
  { runs, modes, progress }: SpeculationOptions,
): Promise<readonly Comparison[]> {
  const contestants: readonly Contestant[] = [...modes, ...peers.keys()];
  const comparisons: Comparison[] = [];
  // The first answer of each side warms its caches and threads, and is not counted.
  for (const contestant of contestants) await answer(engine, peers, contestant, prompts[0]!);
  for (let run = 0; run < runs; run += 1) {
    for (const [index, prompt] of prompts.entries()) {
      const answers: Partial<Record<Contestant, Answer>> = {};
      // Each is first once, so that other load on the machine affects all.
      for (let turn = 0; turn < contestants.length; turn += 1) {
        const contestant = contestants[(turn + run + index) % contestants.length]!;
        answers[contestant] = await answer(engine, peers, contestant, prompt);
      }
      comparisons.push({ prompt: prompt.name, answers });
    }
    progress(`speculation: run ${run + 1} of ${runs}: ${describe(comparisons.slice(-prompts.length))}`);
  }
  return comparisons;
}

async function answer(
  engine: NativeEngine,
  peers: ReadonlyMap<Contestant, LlamaServer>,
  contestant: Contestant,
  prompt: DecodePrompt,
): Promise<Answer> {
  // Also waits for measurements that the engine makes after its own answer.
  await delay(SETTLE_MS);
  if (contestant === 'peer' || contestant === 'peerMtp') {
    const peer = peers.get(contestant)!;
    const { tokens, generatedTokens, generationMs } = await peer.complete(prompt.tokens, MAX_TOKENS);
    return { tokens, speed: stepsPerSecond(generatedTokens, generationMs), metrics: null };
  }
  const { tokens, stopReason, metrics } = await generateAfterReset(engine, prompt, MODES[contestant]);
  // The model chose the end too, and llama-server counts it.
  const chosen = tokens.length + (stopReason === 'endOfText' ? 1 : 0);
  return { tokens, speed: stepsPerSecond(chosen, metrics.decodeMs), metrics };
}

/**
 * Forgets the last completion, so that it cannot be the answer again. Then it evaluates the prompt, as the server does
 * before the key. Both sides time only what follows, and the peer's MTP head also reads the whole prompt before.
 */
async function generateAfterReset(
  engine: NativeEngine,
  prompt: DecodePrompt,
  mode: Partial<NativeGenerateRequest>,
): Promise<NativeGenerationResult> {
  const request = { prompt: prompt.tokens, ...mode };
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    await engine.generate({ prompt: [0], maxTokens: 1, speculation: 'off' }).result;
    await engine.generate({ ...request, maxTokens: 0 }).result;
    const result = await engine.generate({ ...request, maxTokens: MAX_TOKENS }).result;
    const { replayedTokens, reusedTokens, promptTokens } = result.metrics;
    if (replayedTokens > 0) throw new Error(`${replayedTokens} tokens were replayed; decoding is measured here`);
    if (reusedTokens === promptTokens) return result;
    // The engine measured its costs in between and the prompt must be evaluated again; this waits for the end.
    await delay(4 * SETTLE_MS);
  }
  throw new Error(`${prompt.name} was never answered right after it was evaluated`);
}

async function requireSameOutput(own: EngineUnderTest, prompts: readonly DecodePrompt[], reference: LoadedBy) {
  const { engine } = await load(reference);
  try {
    for (const prompt of prompts) {
      const expected = await generateAfterReset(engine, prompt, MODES.plain);
      const found = await generateAfterReset(own.engine, prompt, MODES.plain);
      if (String(found.tokens) === String(expected.tokens)) {
        if (String(found.logProbabilities) === String(expected.logProbabilities)) continue;
      }
      throw new Error(`${own.facts.path} and ${reference.model} do not say the same to ${prompt.name}`);
    }
  } finally {
    await engine.close();
  }
}

/** The costs that the engine assumes at the end, after it has measured its own decoding. */
async function readCosts(engine: NativeEngine, prompt: DecodePrompt): Promise<NativeGenerationMetrics> {
  return (await engine.generate({ prompt: prompt.tokens, maxTokens: 1 }).result).metrics;
}

function describe(comparisons: readonly Comparison[]): string {
  const speeds = (contestant: Contestant): string => {
    const known = comparisons.flatMap(({ answers }) => answers[contestant]?.speed ?? []);
    return known.length === 0 ? '' : `${contestant} ${median(known).toFixed(0)}`;
  };
  const all: readonly Contestant[] = ['plain', 'auto', 'mtp', 'lookup', 'peer', 'peerMtp'];
  return `${all
    .map(speeds)
    .filter((text) => text !== '')
    .join(', ')} tokens/s`;
}

function summarize(comparisons: readonly Comparison[], costs: NativeGenerationMetrics): BenchmarkFields {
  const ratios = (upper: Contestant, lower: Contestant, among = comparisons): readonly number[] =>
    among.flatMap(({ answers }) => {
      const [above, below] = [answers[upper]?.speed, answers[lower]?.speed];
      return above === undefined || below === undefined ? [] : [above / below];
    });
  const middle = (values: readonly number[], digits: number): number => round(median(values), digits);
  const autoByPrompt = mediansByPrompt(comparisons, (each) => ratios('auto', 'plain', [each]));
  const controlByPrompt = mediansByPrompt(comparisons, (each) => ratios('control', 'plain', [each]));
  const speed = (name: string, contestant: Contestant): BenchmarkFields => {
    const known = comparisons.flatMap(({ answers }) => answers[contestant]?.speed ?? []);
    return known.length === 0 ? {} : { [name]: middle(known, 1) };
  };
  const hasPeerMtp = comparisons.some(({ answers }) => answers.peerMtp !== undefined);
  return {
    ...speed('plain_tps', 'plain'),
    ...speed('mtp_tps', 'mtp'),
    ...speed('lookup_tps', 'lookup'),
    ...speed('auto_tps', 'auto'),
    auto_over_plain: middle(ratios('auto', 'plain'), 3),
    auto_over_plain_worst: round(Math.min(...autoByPrompt), 3),
    auto_over_plain_prompts: autoByPrompt.map((ratio) => round(ratio, 3)),
    ...(controlByPrompt.length === 0 ? {} : { control_over_plain_worst: round(Math.min(...controlByPrompt), 3) }),
    ...summarizeDrafts(comparisons, costs),
    ...summarizeComputed(comparisons, costs),
    ...speed('peer_plain_tps', 'peer'),
    ...speed('peer_mtp_tps', 'peerMtp'),
    plain_over_peer_plain: middle(ratios('plain', 'peer'), 3),
    auto_over_peer_plain: middle(ratios('auto', 'peer'), 3),
    ...(hasPeerMtp
      ? {
          peer_mtp_over_plain: middle(ratios('peerMtp', 'peer'), 3),
          auto_over_peer_mtp: middle(ratios('auto', 'peerMtp'), 3),
        }
      : {}),
    ...summarizeOutputs(comparisons),
  };
}

/** The median over the runs of each prompt that has these figures. */
function mediansByPrompt(
  comparisons: readonly Comparison[],
  figures: (comparison: Comparison) => readonly number[],
): readonly number[] {
  return [...new Set(comparisons.map(({ prompt }) => prompt))].flatMap((name) => {
    const known = comparisons.filter(({ prompt }) => prompt === name).flatMap(figures);
    return known.length === 0 ? [] : [median(known)];
  });
}

function summarizeDrafts(comparisons: readonly Comparison[], costs: NativeGenerationMetrics): BenchmarkFields {
  const drafted = comparisons.flatMap(({ answers }) => answers.auto?.metrics ?? []);
  const sum = (value: (each: NativeGenerationMetrics) => number): number =>
    drafted.reduce((total, each) => total + value(each), 0);
  const [single = 0] = costs.verifyMs;
  const depths = costs.verifyMs.slice(1).map((_, depth) => depth);
  const offered = depths.map((depth) => sum((each) => each.offeredByDepth[depth] ?? 0));
  const used = depths.filter((depth) => offered[depth]! > 0);
  return {
    // Of the drafts at this depth, not of all rounds.
    acceptance_by_depth: used.map((depth) =>
      round(sum((each) => each.acceptedByDepth[depth] ?? 0) / offered[depth]!, 3),
    ),
    offered_by_depth: used.map((depth) => offered[depth]!),
    tokens_per_round: round((sum((each) => each.generatedTokens) - drafted.length) / sum((each) => each.rounds), 3),
    verify_cost: single > 0 ? costs.verifyMs.map((cost) => round(cost / single, 2)) : [],
    plain_step_ms: round(single, 2),
    draft_cost: single > 0 ? round(costs.draftMs / single, 3) : 0,
  };
}

/**
 * The ratio of a mode to plain by prompt, computed from what was evaluated and what each evaluation costs here. The
 * clock's noise may exceed the difference. The tokens that the MTP head reads before its first draft are left out.
 */
function computedRatios(
  comparisons: readonly Comparison[],
  mode: Mode,
  { verifyMs, draftMs }: NativeGenerationMetrics,
): readonly number[] {
  if (!(verifyMs[0]! > 0)) return [];
  const ratio = ({ rounds, acceptedDraftTokens, offeredByDepth, mtpSteps }: NativeGenerationMetrics): number => {
    // By n: rounds with n drafts.
    const lengths = [rounds, ...offeredByDepth].map((count, length) => count - (offeredByDepth[length] ?? 0));
    const verify = lengths.reduce((total, count, length) => total + count * (verifyMs[length] ?? 0), 0);
    return ((rounds + acceptedDraftTokens) * verifyMs[0]!) / (verify + mtpSteps * draftMs);
  };
  return mediansByPrompt(comparisons, ({ answers }) => {
    const metrics = answers[mode]?.metrics;
    return metrics && metrics.rounds > 0 ? [ratio(metrics)] : [];
  });
}

function summarizeComputed(comparisons: readonly Comparison[], costs: NativeGenerationMetrics): BenchmarkFields {
  const byPrompt = computedRatios(comparisons, 'auto', costs);
  if (byPrompt.length === 0) return {};
  return {
    computed_auto_over_plain: round(median(byPrompt), 3),
    computed_auto_over_plain_worst: round(Math.min(...byPrompt), 3),
    computed_auto_over_plain_prompts: byPrompt.map((each) => round(each, 3)),
  };
}

/** From the first run: the others give the same answers. */
function answersOfBoth(comparisons: readonly Comparison[], prompts: readonly DecodePrompt[]): readonly TwoAnswers[] {
  return prompts.flatMap(({ name, tokens }) => {
    const { plain, peer } = comparisons.find(({ prompt }) => prompt === name)?.answers ?? {};
    return plain === undefined || peer === undefined
      ? []
      : [{ prompt: tokens, ours: plain.tokens, theirs: peer.tokens }];
  });
}

function summarizeOutputs(comparisons: readonly Comparison[]): BenchmarkFields {
  const said = ({ answers }: Comparison, contestants: readonly Contestant[]): readonly (readonly number[])[] =>
    contestants.flatMap((contestant) => (answers[contestant] === undefined ? [] : [answers[contestant].tokens]));
  const own = comparisons.every((each) => {
    const [first, ...others] = said(each, ['plain', 'control', 'auto', 'mtp', 'lookup']);
    return first !== undefined && others.every((other) => firstDifference(first, other) === null);
  });
  const pairs = comparisons.flatMap(({ answers: { peer, peerMtp } }) =>
    peer === undefined || peerMtp === undefined ? [] : [[peer.tokens, peerMtp.tokens] as const],
  );
  // With three drafts the peer verifies four rows, which ggml's CPU kernels sum in another order than single ones.
  const share = shareOfSame(pairs);
  return {
    identical: own,
    ...(pairs.length === 0 ? {} : { peer_identical: share === 1, peer_identical_share: share }),
  };
}
