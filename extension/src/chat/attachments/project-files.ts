import { Disposable, FileType, RelativePattern, Uri, workspace } from 'vscode';
import { NO_PROJECT_TEXTS, type OwnPrompt, type ProjectTexts } from '../conversation/project-texts.js';
import type { MayShow } from './attachments.js';
import { readOwnPrompt } from './project-prompts.js';

const RULES_FILE = 'AGENTS.md';
const PROMPTS_FOLDER = '.inkling/prompts';

/** Longer files are no rules and no prompts. In bytes. */
const MOST_RULES_BYTES = 32_768;
const MOST_PROMPT_BYTES = 16_384;
/** The most prompts of all workspace folders together. */
const MOST_PROMPTS = 50;
const MOST_FOLDERS = 8;

/** Several files change at once when a branch does. */
const RELOAD_DELAY_MS = 300;

export interface ProjectFilesParts {
  readonly mayShow: MayShow;
  readonly onChange: () => void;
  readonly log: (message: string) => void;
}

/** The texts, and why files are not among them. */
interface Found {
  readonly texts: ProjectTexts;
  readonly problems: readonly string[];
}

/**
 * Follows `AGENTS.md` and `.inkling/prompts/*.md` at the root of the workspace folders. They speak to the model in the
 * user's name, so they are read in trusted workspaces only, and only if the file may be shown to the model.
 */
export class ProjectFiles implements Disposable {
  #found: Found = { texts: NO_PROJECT_TEXTS, problems: [] };
  #timer: NodeJS.Timeout | null = null;
  /** Counts the loads, to ignore the result of an earlier one. */
  #loads = 0;
  readonly #listeners: Disposable;
  #watchers: readonly Disposable[] = [];

  readonly #parts: ProjectFilesParts;

  constructor(parts: ProjectFilesParts) {
    this.#parts = parts;
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
    return this.#found.texts;
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
    const found = workspace.isTrusted ? await this.#read() : { texts: NO_PROJECT_TEXTS, problems: [] };
    if (load !== this.#loads) return;
    const before = this.#found;
    this.#found = found;
    // Once, and not at each change of another file.
    for (const problem of found.problems) if (!before.problems.includes(problem)) this.#parts.log(problem);
    if (JSON.stringify(found.texts) !== JSON.stringify(before.texts)) this.#parts.onChange();
  }

  async #read(): Promise<Found> {
    const rules: string[] = [];
    const problems: string[] = [];
    const prompts = new Map<string, OwnPrompt>();
    for (const { uri } of folders()) {
      const rulesFile = Uri.joinPath(uri, RULES_FILE);
      const isUnused = (file: Uri, why: string) => problems.push(`${file.fsPath} is not used: ${why}.`);
      const text = await this.#text(rulesFile, MOST_RULES_BYTES);
      if ('why' in text) isUnused(rulesFile, text.why);
      else if (text.content.trim() !== '') rules.push(text.content.trim());
      const folder = Uri.joinPath(uri, PROMPTS_FOLDER);
      const names = await filesIn(folder);
      const room = MOST_PROMPTS - prompts.size;
      for (const name of names.slice(0, room)) {
        const file = Uri.joinPath(folder, name);
        const read = await this.#text(file, MOST_PROMPT_BYTES);
        const prompt = 'why' in read ? read.why : readOwnPrompt(name, read.content);
        if (typeof prompt === 'string') isUnused(file, prompt);
        else if (prompts.has(prompt.name)) isUnused(file, 'another folder has a prompt of that name');
        else prompts.set(prompt.name, prompt);
      }
      const left = names.length - room;
      if (left > 0)
        problems.push(`Of ${folder.fsPath}, ${left} files are not used: ${MOST_PROMPTS} prompts are enough.`);
    }
    return {
      texts: { rules: rules.length === 0 ? null : rules.join('\n\n'), prompts: [...prompts.values()] },
      problems,
    };
  }

  /** Empty for a file that is not there. */
  async #text(uri: Uri, mostBytes: number): Promise<{ readonly content: string } | { readonly why: string }> {
    let size: number;
    try {
      const found = await workspace.fs.stat(uri);
      if ((found.type & FileType.File) === 0) return { why: 'it is no file' };
      size = found.size;
    } catch {
      return { content: '' };
    }
    if (size > mostBytes) return { why: `it has more than ${mostBytes} bytes` };
    try {
      const content = new TextDecoder('utf-8', { fatal: true }).decode(await workspace.fs.readFile(uri));
      if (await this.#parts.mayShow(uri.toString(), content)) return { content };
      return { why: 'it may not be shown to the model (excluded, ignored, secret, or no server runs)' };
    } catch {
      return { why: 'it cannot be read as text' };
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
    return names.map(([name]) => name).sort();
  } catch {
    return [];
  }
}
