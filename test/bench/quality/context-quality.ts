import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { anchorOffsetFor, createAnchor, cursorPlace, middleOf } from '../../../server/src/completion/anchor/anchor.js';
import { cursorContextAt } from '../../../server/src/completion/cursor/cursor-context.js';
import { cursorSyntaxAt } from '../../../server/src/completion/cursor/cursor-syntax.js';
import { generateMiddle, NO_OBSERVER } from '../../../server/src/completion/generation/middle-generation.js';
import { chooseStopRule } from '../../../server/src/completion/generation/stop-rule.js';
import { canHeal, promptFrom, requestBudget } from '../../../server/src/completion/suggestion-maker.js';
import { ContextService } from '../../../server/src/context/context-service.js';
import { AddonEngine } from '../../../server/src/engine/addon/addon-engine.js';
import type { ModelFacts } from '../../../server/src/engine/port/model-facts.js';
import { type ContextBlock, EMPTY_CONTEXT } from '../../../server/src/prompt/context-block.js';
import { type FimTemplate, fimTemplateFor } from '../../../server/src/prompt/fim-template.js';
import { contextBudget } from '../../../server/src/prompt/token-budget.js';
import { openAddon } from '../../support/addon.js';
import { LEXICAL } from '../../support/code/cursor-syntax.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';
import type { BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';
import { heldOutFiles } from '../samples/held-out-files.js';
import { type ContextPosition, contextPositions, placeOf } from './context-positions.js';

const SEED = 20_261_122;
const LENGTHS = [1_024, 2_048, 4_096, 8_192];
const MAX_TOKENS = 32;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Context is read in the background; it has come when the block stays the same for this long. */
const SETTLED_MS = 400;
const MOST_WAIT_MS = 10_000;

interface Outcome {
  readonly promptTokens: number;
  readonly prefillMs: number;
  /** Whether the prompt contains the name, and whether the suggestion's first line does. */
  readonly offered: boolean;
  readonly used: boolean;
}

/** Places that need another file: what the prompt's length changes there. */
export async function contextQuality({ runs, threads, model, progress }: BenchmarkOptions): Promise<BenchmarkFields> {
  const files = heldOutFiles();
  const positions = contextPositions(files, runs, SEED);
  const folder = new TemporaryFolder();
  const engine = new AddonEngine(openAddon(process.env.INKLING_CPU_FLAVOUR), SILENT);
  try {
    for (const file of files) {
      const place = path.join(folder.path, placeOf(file));
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, file.text);
    }
    const contextLength = Math.max(...LENGTHS) + MAX_TOKENS;
    const facts = await engine.load(
      { path: model, contextLength, threads },
      () => undefined,
      new AbortController().signal,
    );
    const template = fimTemplateFor(facts);
    if (template === null) throw new Error('the model cannot fill in the middle');
    const outcomes = new Map<string, Outcome[]>();
    for (const [index, position] of positions.entries()) {
      const service = new ContextService(SILENT, { quietMs: 0, refreshMs: 10 });
      try {
        const blockFor = await readContext(service, folder.path, position);
        for (const length of LENGTHS) {
          for (const [name, block] of [
            ['without', () => EMPTY_CONTEXT],
            ['with', blockFor],
          ] as const) {
            const key = `${name}_other_files_${length}`;
            const outcome = await evaluate(engine, { facts, template }, position, length, block);
            outcomes.set(key, [...(outcomes.get(key) ?? []), outcome]);
          }
        }
      } finally {
        service.dispose();
      }
      progress(`${index + 1} of ${positions.length} places that need another file`);
    }
    return { places: positions.length, ...Object.fromEntries([...outcomes].map(([name, each]) => [name, sum(each)])) };
  } finally {
    await engine.close();
    folder.dispose();
  }
}

type BlockFor = (budgetTokens: number) => ContextBlock;

/** Opens the document, and waits until everything that its prompts may show was read. */
async function readContext(service: ContextService, root: string, position: ContextPosition): Promise<BlockFor> {
  const { file, languageId, text, offset } = position;
  const folderUri = pathToFileURL(path.join(root, file.repository)).href;
  service.setFacts({ enabled: true, folderUris: [folderUri], trusted: true, exclude: [], clipboard: false });
  const document = { uri: pathToFileURL(path.join(root, placeOf(file))).href, languageId, text };
  service.update({ kind: 'open', document: { ...document, version: 1, getText: () => text } });
  const blockFor: BlockFor = (budget) => service.contextFor(document, offset, budget, 1_000);
  let last = blockFor(4_096);
  let since = performance.now();
  for (const end = since + MOST_WAIT_MS; performance.now() < end && performance.now() - since < SETTLED_MS; ) {
    await delay(20);
    const block = blockFor(4_096);
    if (block !== last) since = performance.now();
    last = block;
  }
  return blockFor;
}

async function evaluate(
  engine: AddonEngine,
  model: { readonly facts: ModelFacts; readonly template: FimTemplate },
  { file, languageId, text, offset, name }: ContextPosition,
  promptTokens: number,
  blockFor: BlockFor,
): Promise<Outcome> {
  const document = { uri: `file://${placeOf(file)}`, languageId, text };
  const place = cursorPlace(document.uri, text, offset, null, 0);
  const { budget } = requestBudget({ ...model, promptTokens }, file.path, MAX_TOKENS);
  // Nothing stays of a prompt of another length.
  blockFor(0);
  const context = blockFor(contextBudget(budget.surroundings));
  const anchor = createAnchor(place, anchorOffsetFor(place, budget), budget, context);
  const middle = middleOf(anchor, place);
  const prompt = promptFrom(anchor, model.template, file.path, middle);
  const question = {
    prompt,
    template: model.template,
    heal: canHeal(middle),
    rule: chooseStopRule(cursorContextAt(text, offset, null), cursorSyntaxAt(LEXICAL, document, offset, null)),
    maxTokens: MAX_TOKENS,
    timeBudgetMs: 0,
    speculation: 'auto' as const,
    draft: '',
    runnersUp: false,
    branch: [],
  };
  const generated = await generateMiddle(engine, question, NO_OBSERVER, new AbortController().signal);
  return {
    promptTokens: generated.result.metrics.promptTokens ?? 0,
    prefillMs: generated.result.metrics.prefillMs,
    offered: names(prompt.parts.filter((part) => typeof part === 'string').join('\n'), name),
    used: names(generated.text.split('\n')[0] ?? '', name),
  };
}

function names(text: string, name: string): boolean {
  return [...text.matchAll(/[\w$]+/g)].some(([each]) => each === name);
}

function sum(outcomes: readonly Outcome[]) {
  const mean = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0) / outcomes.length;
  return {
    name_offered: round(
      mean(({ offered }) => Number(offered)),
      3,
    ),
    name_used: round(
      mean(({ used }) => Number(used)),
      3,
    ),
    prompt_tokens: round(
      mean((each) => each.promptTokens),
      0,
    ),
  };
}
