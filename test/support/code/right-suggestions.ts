import { existsSync } from 'node:fs';
import type { CursorContext } from '../../../server/src/completion/cursor/cursor-context.js';
import { cursorContextAt } from '../../../server/src/completion/cursor/cursor-context.js';
import { type CursorSyntax, cursorSyntaxAt } from '../../../server/src/completion/cursor/cursor-syntax.js';
import { chooseStopRule } from '../../../server/src/completion/generation/stop-rule.js';
import { StopTracker } from '../../../server/src/completion/generation/stop-tracker.js';
import type { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';
import { listSources, readSource } from '../source-tree.js';
import { FROZEN_SOURCES } from './fixtures.js';
import { parsedSyntax } from './parsed-syntax.js';

/** A place in a real file with the real text there: the answer of a model that is always right. */
export interface RightSuggestion {
  readonly file: string;
  readonly offset: number;
  readonly text: string;
  readonly cursor: CursorContext;
  readonly syntax: CursorSyntax;
}

const DOCUMENT = 'file:///right';

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  py: 'python',
  c: 'c',
  h: 'cpp',
  cpp: 'cpp',
  cc: 'cpp',
  rs: 'rust',
  go: 'go',
};

/** Frozen sources of this repository, and packages that package-lock.json pins. */
export function realSources(): readonly string[] {
  const packages = [
    'vscode-languageserver/lib/common',
    'vscode-jsonrpc/lib/common',
    'tree-sitter-ruby',
    'tree-sitter-html',
  ];
  const folders = [FROZEN_SOURCES, ...packages.map((name) => `node_modules/${name}`)];
  const missing = folders.filter((folder) => !existsSync(folder));
  if (missing.length > 0) throw new Error(`there is no ${missing.join(', no ')}`);
  return folders
    .flatMap((folder) => listSources(folder, /\.(?:ts|js|mjs|py|c|h|cpp|cc|rs|go)$/))
    .filter((file) => !/\.d\.ts$|\/parser\.(?:c|h)$/.test(file) && readSource(file).length < 60_000);
}

/**
 * Cuts a source at a random place and takes the cut text as the suggestion: a part of a line, the rest of a line, or as
 * many lines as the stop rule allows from the end of a line or from an empty line.
 *
 * @returns null if nothing can be suggested at the place
 */
export async function rightSuggestion(
  trees: SyntaxTrees,
  file: string,
  random: () => number,
): Promise<RightSuggestion | null> {
  // The grammar would try to reuse parts of another file's tree, which takes four times as long as a fresh parse.
  trees.close(DOCUMENT);
  const source = readSource(file).replaceAll('\r\n', '\n');
  const languageId = LANGUAGES[file.slice(file.lastIndexOf('.') + 1)] ?? 'plaintext';
  const lines = source.split('\n');
  const row = Math.floor(random() * lines.length);
  const line = lines[row] ?? '';
  if (line.trim() === '') return null;
  const lineStart = lines.slice(0, row).join('\n').length + (row === 0 ? 0 : 1);
  const indentation = line.length - line.trimStart().length;
  const column = indentation + Math.floor(random() ** 2 * (line.length - indentation));
  const offset = lineStart + column;
  const rest = line.slice(column);

  const kind = random();
  // The part of the cursor's line that stays after the cursor.
  const kept = kind < 0.3 ? rest.slice(Math.floor(random() * rest.length)) : '';
  const length = kept === '' ? await blockLength(trees, source, offset, languageId) : rest.length - kept.length;
  const text = source.slice(offset, offset + length);
  if (text.trim() === '') return null;
  return { file, offset, text, ...(await place(trees, source, offset, length, languageId)) };
}

/** Length of the real text up to the end by the stop rule. */
async function blockLength(trees: SyntaxTrees, source: string, offset: number, languageId: string): Promise<number> {
  const lineEnd = source.indexOf('\n', offset);
  const lineLength = (lineEnd < 0 ? source.length : lineEnd) - offset;
  const { cursor, syntax } = await place(trees, source, offset, lineLength, languageId);
  // The suggested lines cannot also follow the cursor.
  const tracker = new StopTracker({ ...chooseStopRule(cursor, syntax), followingLines: [] });
  tracker.push(source.slice(offset));
  return tracker.end() ?? lineLength;
}

async function place(trees: SyntaxTrees, source: string, offset: number, removed: number, languageId: string) {
  const text = source.slice(0, offset) + source.slice(offset + removed);
  const document = { uri: DOCUMENT, languageId, text };
  await parsedSyntax(trees, document);
  return { cursor: cursorContextAt(text, offset, null), syntax: cursorSyntaxAt(trees, document, offset, null) };
}
