import { Disposable, FileType, RelativePattern, Uri, workspace } from 'vscode';
import type { MayShow } from './attachments.js';
import { readOwnPrompt } from './project-prompts.js';
import { NO_PROJECT_TEXTS, type OwnPrompt, type ProjectTexts } from './project-texts.js';

const RULES_FILE = 'AGENTS.md';
const PROMPTS_FOLDER = '.inkling/prompts';

/** Longer files are no rules and no prompts. In bytes. */
const MOST_RULES_BYTES = 32_768;
const MOST_PROMPT_BYTES = 16_384;
/** Of all workspace folders together. */
const MOST_PROMPTS = 50;
const MOST_FOLDERS = 8;

/** Several files change at once when a branch does. */
const RELOAD_DELAY_MS = 300;

/**
 * Follows `AGENTS.md` and `.inkling/prompts/*.md` at the root of the workspace folders. They speak to the model in the
 * user's name, so they are read in trusted workspaces only, and only if the file may be shown to the model.
 */
export class ProjectFiles implements Disposable {
  #texts: ProjectTexts = NO_PROJECT_TEXTS;
  #timer: NodeJS.Timeout | null = null;
  /** Counts the loads, to ignore the result of an earlier one. */
  #loads = 0;
  readonly #listeners: Disposable;
  #watchers: readonly Disposable[] = [];

  readonly #mayShow: MayShow;
  readonly #onChange: () => void;

  constructor(mayShow: MayShow, onChange: () => void) {
    this.#mayShow = mayShow;
    this.#onChange = onChange;
    this.#watch();
    this.#listeners = Disposable.from(
      workspace.onDidGrantWorkspaceTrust(() => this.reload()),
      workspace.onDidChangeWorkspaceFolders(() => {
        this.#watch();
        this.reload();
      }),
    );
  }

  get texts(): ProjectTexts {
    return this.#texts;
  }

  /** Reads everything again soon. */
  reload(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), RELOAD_DELAY_MS);
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    Disposable.from(this.#listeners, ...this.#watchers).dispose();
  }

  #watch(): void {
    Disposable.from(...this.#watchers).dispose();
    const reload = () => this.reload();
    this.#watchers = folders().map(({ uri }) => {
      const pattern = new RelativePattern(uri, `{${RULES_FILE},${PROMPTS_FOLDER}/*.md}`);
      const watcher = workspace.createFileSystemWatcher(pattern);
      return Disposable.from(
        watcher,
        watcher.onDidChange(reload),
        watcher.onDidCreate(reload),
        watcher.onDidDelete(reload),
      );
    });
  }

  async #load(): Promise<void> {
    const load = ++this.#loads;
    const found = workspace.isTrusted ? await this.#read() : NO_PROJECT_TEXTS;
    if (load !== this.#loads || JSON.stringify(found) === JSON.stringify(this.#texts)) return;
    this.#texts = found;
    this.#onChange();
  }

  async #read(): Promise<ProjectTexts> {
    const rules: string[] = [];
    const prompts = new Map<string, OwnPrompt>();
    for (const { uri } of folders()) {
      const text = await this.#text(Uri.joinPath(uri, RULES_FILE), MOST_RULES_BYTES);
      if (text !== null && text.trim() !== '') rules.push(text.trim());
      const folder = Uri.joinPath(uri, PROMPTS_FOLDER);
      for (const name of await filesIn(folder)) {
        if (prompts.size === MOST_PROMPTS) break;
        const content = await this.#text(Uri.joinPath(folder, name), MOST_PROMPT_BYTES);
        const prompt = content === null ? null : readOwnPrompt(name, content);
        // The first folder's prompt of a name counts.
        if (prompt !== null && !prompts.has(prompt.name)) prompts.set(prompt.name, prompt);
      }
    }
    return { rules: rules.length === 0 ? null : rules.join('\n\n'), prompts: [...prompts.values()] };
  }

  /** Null for a file that is not there, too large, no text, or may not be shown. */
  async #text(uri: Uri, mostBytes: number): Promise<string | null> {
    try {
      const { type, size } = await workspace.fs.stat(uri);
      if ((type & FileType.File) === 0 || size > mostBytes) return null;
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await workspace.fs.readFile(uri));
      return (await this.#mayShow(uri.toString(), text)) ? text : null;
    } catch {
      return null;
    }
  }
}

function folders(): readonly { readonly uri: Uri }[] {
  // In a virtual workspace Inkling reads no files.
  const onDisk = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return onDisk.slice(0, MOST_FOLDERS);
}

async function filesIn(folder: Uri): Promise<readonly string[]> {
  try {
    const entries = await workspace.fs.readDirectory(folder);
    const names = entries.filter(([name, type]) => (type & FileType.File) !== 0 && name.endsWith('.md'));
    return names
      .map(([name]) => name)
      .sort()
      .slice(0, MOST_PROMPTS);
  } catch {
    return [];
  }
}
