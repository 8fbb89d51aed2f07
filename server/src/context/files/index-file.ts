import type { Turn } from '../../util/background-queue.js';
import type { IndexedFile, ResolvedImport } from '../context-source.js';
import { followEdits } from '../edited-lines.js';
import type { LanguageSupport } from '../languages/language-support.js';
import { type SnippetWindow, snippetWindows } from '../snippet-windows.js';

export interface FileText {
  readonly key: string;
  readonly path: string;
  readonly family: string;
  readonly language: LanguageSupport | null;
  /** With `\n` line ends. */
  readonly text: string;
  readonly imports: readonly ResolvedImport[];
  readonly visited: number;
  /** The same file's earlier index, from which edits are derived; null for a file that nobody edits. */
  readonly previous: IndexedFile | null;
  /** Greater than at any earlier edit. */
  readonly time: number;
}

const WINDOWS_PER_TURN = 16;

/** Indexes a file for all sources, in steps of about a millisecond. */
export async function indexFile(file: FileText, turn: Turn): Promise<IndexedFile> {
  const { key, path, family, language, text, imports, visited, previous, time } = file;
  const lines = text.split('\n');
  await turn();
  const declarations = language?.declarations(lines) ?? [];
  await turn();
  const windows: SnippetWindow[] = [];
  for (const window of snippetWindows(lines)) {
    windows.push(window);
    if (windows.length % WINDOWS_PER_TURN === 0) await turn();
  }
  const edits = previous === null ? [] : followEdits(previous.edits, previous.lines, lines, time);
  return { key, path, family, lines, declarations, windows, imports, edits, visited };
}
