import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { FROZEN_SOURCES } from '../../support/code/fixtures.js';
import { seededRandom } from '../../support/seeded-random.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

/** A cursor inside a line of a real file, and the real text after it. */
export interface QualityPosition {
  readonly path: string;
  readonly languageId: string;
  /** The file without the rest of the cursor's line. */
  readonly text: string;
  readonly offset: number;
  /** The rest of the line, then the lines that follow it. */
  readonly truth: string;
  /** Whether the cursor is inside a word. */
  readonly midWord: boolean;
}

/**
 * Code that the starter model has not seen: a frozen sample of this repository's own, and packages that it depends on,
 * which package-lock.json pins. Paths are named relative to the root.
 */
const SOURCES: readonly { readonly root?: string; readonly folder: string; readonly ends: readonly string[] }[] = [
  { root: FROZEN_SOURCES, folder: '.', ends: ['.ts', '.cpp', '.h'] },
  { folder: 'node_modules/vscode-languageclient/lib/common', ends: ['.js'] },
  { folder: 'node_modules/vscode-languageserver/lib/common', ends: ['.js'] },
  { folder: 'node_modules/node-addon-api', ends: ['.h', '.py'] },
];

const LANGUAGES: Readonly<Record<string, string>> = {
  '.ts': 'typescript',
  '.js': 'javascript',
  '.cpp': 'cpp',
  '.h': 'cpp',
  '.py': 'python',
};

const MIN_LINES = 20;
const MAX_CHARACTERS = 200_000;
/** A shorter rest is hardly a line to complete. */
const MIN_REST = 4;
const MIN_BEFORE = 2;

/** The same positions for the same files and seed; half of them inside a word. */
export function qualityPositions(count: number, seed: number): readonly QualityPosition[] {
  const random = seededRandom(seed);
  const files = SOURCES.flatMap(({ root = '.', folder, ends }) => filesIn(root, folder, ends)).filter(
    ({ text }) => text.split('\n').length >= MIN_LINES && text.length <= MAX_CHARACTERS,
  );
  const positions: QualityPosition[] = [];
  for (let tries = 0; positions.length < count && tries < count * 200; tries += 1) {
    const file = files[random.below(files.length)];
    if (file === undefined) throw new Error('no source file was found to take positions from');
    const position = positionIn(file, random.below(file.text.length));
    if (position !== null && position.midWord === (positions.length % 2 === 1)) positions.push(position);
  }
  return positions;
}

interface SourceFile {
  readonly path: string;
  readonly languageId: string;
  readonly text: string;
}

function positionIn({ path, languageId, text }: SourceFile, offset: number): QualityPosition | null {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = text.indexOf('\n', offset);
  if (lineEnd < 0) return null;
  const before = text.slice(lineStart, offset);
  const rest = text.slice(offset, lineEnd);
  if (before.trim().length < MIN_BEFORE || rest.trim().length < MIN_REST) return null;
  if (/^\s*(?:\/\/|\*|\/\*|#)/.test(before)) return null;
  const midWord = /\w$/.test(before) && /^\w/.test(rest);
  // Nobody waits for a suggestion between an operator and its blank; usually the blank is before the cursor.
  if (!midWord && (/^\s/.test(rest) || /\w$/.test(before))) return null;
  return {
    path,
    languageId,
    text: text.slice(0, offset) + text.slice(lineEnd),
    offset,
    truth: text.slice(offset),
    midWord,
  };
}

function filesIn(root: string, folder: string, ends: readonly string[]): SourceFile[] {
  return readdirSync(resolve(REPOSITORY_ROOT, root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ends.some((end) => entry.name.endsWith(end)) && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: relative(resolve(REPOSITORY_ROOT, root), file),
      languageId: LANGUAGES[file.slice(file.lastIndexOf('.'))] ?? 'plaintext',
      text: readFileSync(file, 'utf8').replace(/\r\n?/g, '\n'),
    }));
}
