import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AnchorKeeper } from '../../../server/src/completion/anchor/anchor-keeper.js';
import { cursorSyntaxAt } from '../../../server/src/completion/cursor/cursor-syntax.js';
import { askedAt, type ReadyModel } from '../../../server/src/completion/request/question.js';
import { requestBudget } from '../../../server/src/completion/suggestion-maker.js';
import { AddonEngine } from '../../../server/src/engine/addon/addon-engine.js';
import type { TokenScore } from '../../../server/src/engine/port/generation.js';
import { EMPTY_CONTEXT } from '../../../server/src/prompt/context-block.js';
import { fimTemplateFor } from '../../../server/src/prompt/fim-template.js';
import { DEFAULT_PROMPT_TOKENS } from '../../../server/src/prompt/token-budget.js';
import { GrammarLoader } from '../../../server/src/syntax/grammar-loader.js';
import type { Scope } from '../../../server/src/syntax/syntax.js';
import { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';
import { openAddon } from '../../support/addon.js';
import { GRAMMARS_DIRECTORY, listSources, REPOSITORY_ROOT } from '../../support/source-tree.js';
import type { BenchmarkOptions } from '../measure/benchmark.js';
import { type HeldOutPlace, keysOf } from '../samples/held-out-places.js';
import { greedyMiddle } from './greedy-middle.js';

/** What the engine said at one key of a passage, before any gate. */
export interface GateSample {
  /** How much of the passage stands. */
  readonly at: number;
  /** What the filters left; empty for nothing. */
  readonly text: string;
  readonly scope: Scope;
  /** What the engine wrote, as far as the stop rule let it. */
  readonly raw: string;
  readonly scores: readonly TokenScore[];
}

/** A place with what the engine said at each of its keys. */
export interface SampledPlace {
  readonly place: HeldOutPlace;
  readonly samples: readonly GateSample[];
}

const CACHE = join(REPOSITORY_ROOT, '.cache/gate');
const CONTEXT_LENGTH = 2048;
const MAX_TOKENS = 64;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Asks the engine at every key, as if the passages were typed. A second call with the same places, model, addon and
 * sources reads the answers.
 */
export async function gateSamples(
  name: string,
  places: readonly HeldOutPlace[],
  { model, threads, progress }: BenchmarkOptions,
): Promise<readonly SampledPlace[]> {
  const key = createHash('sha256').update(JSON.stringify(places)).update(sourcesHash(model)).digest('hex').slice(0, 12);
  const file = join(CACHE, `${name}-${key}.jsonl`);
  if (existsSync(file)) return readPlaces(file);
  mkdirSync(CACHE, { recursive: true });
  for (const old of readdirSync(CACHE)) if (old.startsWith(`${name}-`) && !old.includes(key)) rmSync(join(CACHE, old));
  // An interrupted collection goes on where it stopped.
  const partFile = `${file}.part`;
  const done = existsSync(partFile) ? readPlaces(partFile).length : 0;
  const engine = new AddonEngine(openAddon(process.env.INKLING_CPU_FLAVOUR), SILENT);
  const syntax = new SyntaxTrees(new GrammarLoader(GRAMMARS_DIRECTORY, SILENT), SILENT);
  try {
    const options = { path: model, contextLength: CONTEXT_LENGTH, threads };
    const facts = await engine.load(options, () => undefined, new AbortController().signal);
    const template = fimTemplateFor(facts);
    if (template === null) throw new Error('the model cannot fill in the middle');
    for (const [index, place] of places.entries()) {
      if (index < done) continue;
      const samples = await samplePlace(
        engine,
        { facts, template, promptTokens: DEFAULT_PROMPT_TOKENS },
        syntax,
        place,
      );
      appendFileSync(partFile, `${JSON.stringify({ place, samples } satisfies SampledPlace)}\n`);
      progress(`${name}: ${index + 1} of ${places.length} places`);
    }
  } finally {
    syntax.dispose();
    await engine.close();
  }
  renameSync(partFile, file);
  return readPlaces(file);
}

/** What reads the samples and has no part in their making. */
const READERS = /^server\/src\/completion\/(?:confidence|feedback)\//;

/** Of everything that decides what the engine is asked and what is left of its answer. */
function sourcesHash(model: string): string {
  const sources = ['server/src', 'server/protocol'].flatMap((folder) => listSources(folder, /\.ts$/));
  const own = ['package-lock.json', 'test/bench/quality/gate-samples.ts', 'test/bench/quality/greedy-middle.ts'];
  const addons = listSources('dist/native', /\.node$/);
  const hash = createHash('sha256').update(process.env.INKLING_CPU_FLAVOUR ?? '');
  for (const file of [...sources.filter((each) => !READERS.test(each)), ...own, ...addons]) {
    hash.update(file).update(readFileSync(join(REPOSITORY_ROOT, file)));
  }
  return hash.update(readFileSync(model)).digest('hex');
}

function readPlaces(file: string): readonly SampledPlace[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SampledPlace);
}

async function samplePlace(
  engine: AddonEngine,
  model: ReadyModel,
  trees: SyntaxTrees,
  place: HeldOutPlace,
): Promise<readonly GateSample[]> {
  const anchors = new AnchorKeeper();
  const samples: GateSample[] = [];
  let at = 0;
  for (const key of keysOf(place.passage)) {
    samples.push(await sampleAt(engine, model, trees, anchors, place, at));
    at += key.length;
  }
  return samples;
}

async function sampleAt(
  engine: AddonEngine,
  model: ReadyModel,
  trees: SyntaxTrees,
  anchors: AnchorKeeper,
  { path, languageId, before, passage, after }: HeldOutPlace,
  at: number,
): Promise<GateSample> {
  const typed = before + passage.slice(0, at);
  const document = { uri: `file:///${path}`, languageId, version: at, text: typed + after, path };
  const offset = typed.length;
  const request = {
    document,
    offset,
    position: { line: 0, character: 0 },
    selected: null,
    trigger: 'automatic' as const,
  };
  const { cursor, place } = askedAt(request, '');
  const syntax = cursorSyntaxAt(trees, document, offset, null);
  const { budget } = requestBudget(model, path, MAX_TOKENS);
  const { anchor } = anchors.anchorFor(place, budget, EMPTY_CONTEXT);
  const where = { path, offset, cursor, syntax, place };
  const options = { heal: true, maxTokens: MAX_TOKENS };
  const { generated, processed } = await greedyMiddle(engine, model, where, anchor, options);
  return {
    at,
    text: processed.kind === 'kept' ? processed.text : '',
    scope: syntax.scope,
    raw: generated.text,
    scores: generated.result.scores.map(({ length, logProbability }) => ({
      length,
      logProbability: Number(logProbability.toFixed(3)),
    })),
  };
}
