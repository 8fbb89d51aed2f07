import { readFileSync } from 'node:fs';
import path from 'node:path';
import { editMessages } from '../../../extension/src/inline-edit/edit-prompt.js';
import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { FROZEN_SOURCES } from '../../support/code/fixtures.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { type CodeHole, codeHoles } from '../samples/code-holes.js';

/** Files of this repository, which no model has been trained on. */
const FILES: readonly { readonly folder: string; readonly name: string }[] = [
  { folder: '.', name: 'test/fixtures/bench/shift-planner.ts' },
  { folder: '.', name: 'test/fixtures/session/inventory.py' },
  { folder: FROZEN_SOURCES, name: 'server/src/completion/stop-rule.ts' },
  { folder: FROZEN_SOURCES, name: 'server/src/prompt/token-budget.ts' },
  { folder: FROZEN_SOURCES, name: 'server/src/completion/completion-service.ts' },
  { folder: FROZEN_SOURCES, name: 'extension/src/session.ts' },
];

/** Tokens of text before and after a hole. Short, since prefill is not measured. */
const PREFIX_TOKENS = 120;
const SUFFIX_TOKENS = 40;

/** Lines of a file that a repeating prompt has once, and those at its end that it has twice. */
const REPEATED_LINES = 24;
const LINES_AGAIN = 4;

/** A shorter answer is mostly its first token. */
const SHORTEST_ANSWER = 16;

export interface DecodePrompt {
  readonly name: string;
  readonly tokens: readonly number[];
}

/**
 * Fill-in-the-middle prompts that ask for a block of one of the files, spread over all of them. Each has an answer of
 * some length.
 */
export async function decodePrompts(engine: NativeEngine, count: number): Promise<readonly DecodePrompt[]> {
  const candidates: DecodePrompt[] = [];
  for (const { folder, name } of FILES) {
    const holes = codeHoles(readFileSync(path.join(REPOSITORY_ROOT, folder, name), 'utf8'));
    for (const [index, hole] of holes.entries()) {
      candidates.push({ name: `${name}#${index}`, tokens: await promptOf(engine, name, hole) });
    }
  }
  // This step visits every candidate once, and successive ones are far apart.
  const step = coprimeNear(Math.floor(candidates.length * 0.382), candidates.length);
  const chosen: DecodePrompt[] = [];
  for (let index = 0; index < candidates.length && chosen.length < count; index += 1) {
    const candidate = candidates[(index * step) % candidates.length]!;
    const request = { prompt: candidate.tokens, maxTokens: SHORTEST_ANSWER, speculation: 'off' } as const;
    const { tokens } = await engine.generate(request).result;
    if (tokens.length === SHORTEST_ANSWER) chosen.push(candidate);
  }
  if (chosen.length < count) throw new Error(`${chosen.length} of ${count} prompts have an answer worth measuring`);
  return chosen;
}

/**
 * Prompts whose text begins to repeat itself: lines of a file, then the first of them again. What follows is in the
 * prompt, for whoever looks it up.
 */
export async function repeatingPrompts(engine: NativeEngine, count: number): Promise<readonly DecodePrompt[]> {
  const prompts: DecodePrompt[] = [];
  for (const { folder, name } of FILES.slice(0, count)) {
    const lines = readFileSync(path.join(REPOSITORY_ROOT, folder, name), 'utf8').split('\n');
    const repeated = lines.slice(0, REPEATED_LINES);
    const prefix = `${[...repeated, '', ...repeated.slice(0, LINES_AGAIN)].join('\n')}\n`;
    // The whole of it, since its beginning is what is looked up.
    prompts.push({ name, tokens: await promptOf(engine, name, { prefix, suffix: '' }, Number.POSITIVE_INFINITY) });
  }
  return prompts;
}

/**
 * The question of an inline edit, and the answer's fence. Models that complete code copy what follows; a chat model
 * copies the lines that it does not change.
 */
export async function rewritePrompts(engine: NativeEngine, count: number): Promise<readonly DecodePrompt[]> {
  const prompts: DecodePrompt[] = [];
  for (const { folder, name } of FILES.slice(0, count)) {
    const lines = readFileSync(path.join(REPOSITORY_ROOT, folder, name), 'utf8').split('\n');
    const languageId = name.endsWith('.py') ? 'python' : 'typescript';
    const part = { uri: '', path: path.basename(name), languageId, lines, start: 0, end: REPEATED_LINES };
    const messages = editMessages(part, null, { text: 'keep it as it is', rules: null });
    const text = [...messages.map(({ text }) => text), `\`\`\`${languageId}\n`].join('\n\n');
    prompts.push({ name, tokens: [...(await engine.tokenize(text))] });
  }
  return prompts;
}

async function promptOf(
  engine: NativeEngine,
  file: string,
  { prefix, suffix }: CodeHole,
  prefixTokens = PREFIX_TOKENS,
): Promise<readonly number[]> {
  const fim = engine.facts?.fim;
  if (!fim) throw new Error('the model has no fill-in-the-middle tokens');
  const before = await engine.tokenize(prefix);
  const after = await engine.tokenize(suffix);
  const name = fim.fileSep < 0 ? [] : [fim.fileSep, ...(await engine.tokenize(`${file}\n`))];
  return [
    ...name,
    ...[fim.prefix, ...before.slice(-prefixTokens)],
    ...[fim.suffix, ...after.slice(0, SUFFIX_TOKENS)],
    fim.middle,
  ];
}

function coprimeNear(start: number, modulus: number): number {
  let step = Math.max(1, start);
  while (greatestCommonDivisor(step, modulus) !== 1) step += 1;
  return step;
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}
