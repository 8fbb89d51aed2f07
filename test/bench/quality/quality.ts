import {
  type AnchorBudget,
  anchorOffsetFor,
  type CursorPlace,
  createAnchor,
  cursorPlace,
} from '../../../server/src/completion/anchor/anchor.js';
import { cursorContextAt } from '../../../server/src/completion/cursor/cursor-context.js';
import { cursorSyntaxAt } from '../../../server/src/completion/cursor/cursor-syntax.js';
import type { ReadyModel } from '../../../server/src/completion/request/question.js';
import { requestBudget } from '../../../server/src/completion/suggestion-maker.js';
import { AddonEngine } from '../../../server/src/engine/addon/addon-engine.js';
import { EMPTY_CONTEXT } from '../../../server/src/prompt/context-block.js';
import { fimTemplateFor } from '../../../server/src/prompt/fim-template.js';
import { DEFAULT_PROMPT_TOKENS } from '../../../server/src/prompt/token-budget.js';
import { GrammarLoader } from '../../../server/src/syntax/grammar-loader.js';
import { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';
import { GRAMMARS_DIRECTORY } from '../../support/source-tree.js';
import type { Benchmark, BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';
import { heldOutMissing } from '../samples/held-out-files.js';
import { contextQuality } from './context-quality.js';
import { editSimilarity } from './edit-similarity.js';
import { checkGate, runGate } from './gate-quality.js';
import { greedyMiddle } from './greedy-middle.js';
import { type QualityPosition, qualityPositions } from './quality-positions.js';

const SEED = 20_261_121;
const CONTEXT_LENGTH = 2048;
const MAX_TOKENS = 64;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** How to build a prompt from a position. */
interface Variant {
  readonly name: string;
  /** The start of the middle. */
  readonly anchor: (place: CursorPlace, budget: AnchorBudget) => number;
  readonly heal: boolean;
}

const VARIANTS: readonly Variant[] = [
  { name: 'anchored', anchor: anchorOffsetFor, heal: true },
  { name: 'anchored_at_line', anchor: lineStart(0), heal: true },
  { name: 'anchored_3_lines', anchor: lineStart(3), heal: true },
  { name: 'anchored_16_lines', anchor: lineStart(16), heal: true },
  { name: 'anchored_unhealed', anchor: anchorOffsetFor, heal: false },
  { name: 'rebuilt', anchor: wordStart, heal: true },
  { name: 'rebuilt_unhealed', anchor: ({ typedEnd }) => typedEnd, heal: false },
];

/** The answer of one variant at one position. */
interface Outcome {
  readonly midWord: boolean;
  readonly exact: boolean;
  readonly similarity: number;
  readonly blockExact: boolean;
  readonly blockSimilarity: number;
  /** Null if the filters left nothing. */
  readonly filtered: { readonly exact: boolean; readonly similarity: number } | null;
}

function lineStart(linesAbove: number) {
  return ({ text, typedEnd }: CursorPlace): number => {
    let start = text.lastIndexOf('\n', typedEnd - 1) + 1;
    for (let line = 0; line < linesAbove && start > 0; line += 1) start = text.lastIndexOf('\n', start - 2) + 1;
    return start;
  };
}

/** The anchor of a prompt that is built for each key, with healing: the word before the cursor can be chosen again. */
function wordStart({ text, typedEnd }: CursorPlace): number {
  return typedEnd - (/\w*$/.exec(text.slice(Math.max(0, typedEnd - 200), typedEnd))?.[0].length ?? 0);
}

async function run(options: BenchmarkOptions): Promise<BenchmarkFields> {
  if (options.part === 'gate') return runGate(options);
  if (options.part === 'gate-check') return checkGate(options);
  if (options.part !== 'context') return atPlaces(options);
  const missing = heldOutMissing();
  return missing === null ? contextQuality(options) : { skipped: missing };
}

async function atPlaces({ runs, threads, progress }: BenchmarkOptions) {
  const engine = new AddonEngine(openAddon(process.env.INKLING_CPU_FLAVOUR), SILENT);
  const never = new AbortController().signal;
  try {
    const facts = await engine.load(
      { path: STARTER_MODEL, contextLength: CONTEXT_LENGTH, threads },
      () => undefined,
      never,
    );
    const template = fimTemplateFor(facts);
    if (template === null) throw new Error('the model cannot fill in the middle');
    const syntax = new SyntaxTrees(new GrammarLoader(GRAMMARS_DIRECTORY, SILENT), SILENT);
    const positions = qualityPositions(runs, SEED);
    const outcomes = new Map<string, Outcome[]>(VARIANTS.map(({ name }) => [name, []]));
    for (const [index, position] of positions.entries()) {
      for (const variant of VARIANTS) {
        outcomes
          .get(variant.name)
          ?.push(
            await evaluate(engine, { facts, template, promptTokens: DEFAULT_PROMPT_TOKENS }, syntax, position, variant),
          );
      }
      if ((index + 1) % 25 === 0) progress(`${index + 1} of ${positions.length} positions`);
    }
    syntax.dispose();
    return summarize(outcomes, positions.length);
  } finally {
    await engine.close();
  }
}

async function evaluate(
  engine: AddonEngine,
  model: ReadyModel,
  trees: SyntaxTrees,
  position: QualityPosition,
  { anchor: anchorOffset, heal }: Variant,
): Promise<Outcome> {
  const { path, text, offset, languageId, truth, midWord } = position;
  const document = { uri: `file:///${path}`, languageId, text };
  const cursor = cursorContextAt(text, offset, null);
  const syntax = cursorSyntaxAt(trees, document, offset, null);
  const place = cursorPlace(document.uri, text, offset, null, 0);
  const { budget } = requestBudget(model, path, MAX_TOKENS);
  const anchor = createAnchor(place, anchorOffset(place, budget), budget, EMPTY_CONTEXT);
  const where = { path, offset, cursor, syntax, place };
  const options = { heal, maxTokens: MAX_TOKENS };
  const { generated, processed } = await greedyMiddle(engine, model, where, anchor, options);
  return {
    midWord,
    ...compare(generated.text, truth),
    filtered: processed.kind === 'kept' ? compare(processed.text, truth) : null,
  };
}

/** Compares the first line with the rest of the cursor's line, and the whole with as many true lines. */
function compare(text: string, truth: string) {
  const said = text.split('\n').map((line) => line.trimEnd());
  const right = truth.split('\n', said.length).map((line) => line.trimEnd());
  const [saidBlock, rightBlock] = [said.join('\n').trimEnd(), right.join('\n').trimEnd()];
  return {
    exact: said[0] === right[0],
    similarity: editSimilarity(said[0] ?? '', right[0] ?? ''),
    blockExact: saidBlock === rightBlock,
    blockSimilarity: editSimilarity(saidBlock, rightBlock),
  };
}

function summarize(outcomes: ReadonlyMap<string, readonly Outcome[]>, positions: number) {
  const groups = Object.fromEntries([...outcomes].map(([name, each]) => [name, summarizeVariant(each)]));
  const anchored = outcomes.get('anchored') ?? [];
  const unhealed = outcomes.get('anchored_unhealed') ?? [];
  const midWord = (each: readonly Outcome[]) => each.filter((outcome) => outcome.midWord);
  const exactRaw = anchored.filter(({ exact }) => exact).length;
  const exactShown = anchored.filter(({ filtered }) => filtered?.exact === true).length;
  return {
    positions,
    ...groups,
    anchored_over_rebuilt: round(
      share(anchored, (each) => each.exact) / share(outcomes.get('rebuilt') ?? [], (each) => each.exact),
      3,
    ),
    healed_over_unhealed_mid_word: round(
      share(midWord(anchored), (each) => each.exact) / share(midWord(unhealed), (each) => each.exact),
      3,
    ),
    exact_kept_by_filters: round(exactShown / exactRaw, 3),
  };
}

function summarizeVariant(outcomes: readonly Outcome[]) {
  const shown = outcomes.flatMap(({ filtered }) => (filtered === null ? [] : [filtered]));
  return {
    exact_first_line: round(
      share(outcomes, (each) => each.exact),
      3,
    ),
    exact_mid_word: round(
      share(
        outcomes.filter((each) => each.midWord),
        (each) => each.exact,
      ),
      3,
    ),
    similarity_first_line: round(mean(outcomes.map((each) => each.similarity)), 3),
    exact_block: round(
      share(outcomes, (each) => each.blockExact),
      3,
    ),
    similarity_block: round(mean(outcomes.map((each) => each.blockSimilarity)), 3),
    show_rate: round(shown.length / outcomes.length, 3),
    precision_shown: round(
      share(shown, (each) => each.exact),
      3,
    ),
    similarity_shown: round(mean(shown.map((each) => each.similarity)), 3),
  };
}

function share<T>(values: readonly T[], holds: (value: T) => boolean): number {
  return values.length === 0 ? 0 : values.filter(holds).length / values.length;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((total, value) => total + value, 0) / values.length;
}

export const quality: Benchmark = {
  name: 'quality',
  summary:
    'greedy suggestions at random places of real files against what stands there; --runs is the number of places',
  defaultRuns: 200,
  parts: ['context', 'gate', 'gate-check'],
  run,
};
