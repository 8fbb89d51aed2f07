import { CancellationTokenSource, type Uri, window, workspace } from 'vscode';
import { t } from '../../../../server/protocol/index.js';
import { workspacePath } from '../../editor/notebook-cell.js';
import { inLowerCase } from '../webview/letters.js';
import type { AttachChoice } from '../webview/messages.js';
import { rankFiles } from './rank-files.js';
import { excludingGlob, namesWith } from './search-globs.js';

/** In a workspace with more, the names with the typed letters are searched besides. */
const MOST_FILES = 50_000;
const MOST_OFFERED = 20;

interface WorkspaceFile {
  readonly path: string;
  readonly uri: Uri;
}

/** The choices for `@`. The files are searched once while the list is open, and ranked at each letter. */
export class AttachSearch {
  #files: Promise<readonly WorkspaceFile[]> | null = null;
  #running: CancellationTokenSource | null = null;
  /** Counts the letters, to ignore the result for earlier ones. */
  #asked = 0;

  /** @returns null if more letters came meanwhile, or the list was closed */
  async choices(letters: string): Promise<AttachChoice[] | null> {
    const asked = ++this.#asked;
    this.#files ??= this.#search('**/*');
    const places = placesNamed(letters);
    if (letters === '') return places;
    const all = await this.#files;
    if (asked !== this.#asked) return null;
    const files = all.length < MOST_FILES ? all : await this.#search(namesWith(letters));
    if (asked !== this.#asked) return null;
    return [...places, ...rankFiles(files, letters, MOST_OFFERED).map(fileChoice)];
  }

  close(): void {
    this.#asked++;
    this.#files = null;
    this.#running?.cancel();
    this.#running?.dispose();
    this.#running = null;
  }

  /** Ends the search before it. Without a working search there are still the places. */
  async #search(glob: string): Promise<readonly WorkspaceFile[]> {
    this.#running?.cancel();
    this.#running?.dispose();
    const running = new CancellationTokenSource();
    this.#running = running;
    // VS Code leaves out by itself what `files.exclude` hides, but not what `search.exclude` does.
    const excluded = excludingGlob(workspace.getConfiguration('search').get('exclude'));
    try {
      const found = await workspace.findFiles(glob, excluded ?? undefined, MOST_FILES, running.token);
      return found.map((uri) => ({ uri, path: workspace.asRelativePath(uri) }));
    } catch {
      return [];
    }
  }
}

function fileChoice({ path, uri }: WorkspaceFile): AttachChoice {
  return { label: path.slice(path.lastIndexOf('/') + 1), detail: path, what: { kind: 'file', uri: uri.toString() } };
}

/** What is there besides files: the selection, the current file, its problems, the terminal. */
function placesNamed(letters: string): AttachChoice[] {
  const editor = window.activeTextEditor;
  const places: AttachChoice[] = [];
  if (editor !== undefined) {
    const name = workspacePath(editor.document.uri);
    if (!editor.selection.isEmpty) places.push({ label: t('Selection'), detail: name, what: { kind: 'selection' } });
    places.push({ label: t('Current file'), detail: name, what: { kind: 'currentFile' } });
    places.push({ label: t('Problems'), detail: name, what: { kind: 'diagnostics' } });
  }
  if (window.activeTerminal !== undefined) {
    places.push({ label: t('Terminal selection'), detail: window.activeTerminal.name, what: { kind: 'terminal' } });
  }
  return places.filter(({ label }) => inLowerCase(label).includes(inLowerCase(letters)));
}
