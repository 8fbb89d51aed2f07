/**
 * The parts of VS Code's API that controllers of the extension use, for unit tests: documents and editors in memory. A
 * test mocks the module with it: `vi.mock('vscode', async () => (await import('…/fake-editor.js')).vscode)`. With nothing
 * else: test files share a thread, and with it the modules that they have loaded.
 */

import {
  Disposable,
  EventEmitter,
  FakeQuickPick,
  MarkdownString,
  type Place,
  Range,
  type Registration,
  RelativePattern,
  Selection,
  TabInputTextDiff,
  Uri,
} from './fake-types.js';

/** A document in memory, with line feeds. */
export class FakeDocument {
  readonly uri: Uri;
  languageId = 'plaintext';
  version = 1;
  isClosed = false;
  /** VS Code edits nothing then, and says that it did. */
  isReadOnly = false;
  text: string;

  constructor(path: string, text: string, uri = new Uri('file', path)) {
    this.uri = uri;
    this.text = text;
  }

  get fileName(): string {
    return this.uri.path;
  }

  get lineCount(): number {
    return this.text.split('\n').length;
  }

  getText(range?: Range): string {
    return range === undefined ? this.text : this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
  }

  lineAt(line: number): { readonly text: string } {
    return { text: this.text.split('\n')[line] ?? '' };
  }

  validatePosition(place: Place): Place {
    return place;
  }

  offsetAt({ line, character }: Place): number {
    const before = this.text.split('\n').slice(0, line);
    return before.reduce((sum, { length }) => sum + length + 1, 0) + character;
  }

  positionAt(offset: number): Place {
    const lines = this.text.slice(0, offset).split('\n');
    return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  }

  /** What the user writes. */
  replace(range: Range, text: string): void {
    this.change([{ range, text }]);
  }

  /** Several changes at once, the last in the document first, as VS Code tells of them. */
  change(contentChanges: readonly { readonly range: Range; readonly text: string }[]): void {
    for (const { range, text } of contentChanges) {
      const end = this.text.slice(this.offsetAt(range.end));
      this.text = this.text.slice(0, this.offsetAt(range.start)) + text + end;
    }
    this.version += 1;
    events.changed.fire({ document: this, contentChanges });
  }

  /** VS Code fires the same event for a document that is closed. */
  changeLanguage(languageId: string): void {
    this.languageId = languageId;
    events.closed.fire(this);
  }

  close(): void {
    this.isClosed = true;
    events.closed.fire(this);
  }
}

export class FakeTextEditor {
  readonly document: FakeDocument;
  readonly options = { tabSize: 4 };
  readonly visibleRanges: readonly Range[] = [];
  selection: Selection;
  /** Of each edit, whether it begins a step of Undo. */
  readonly undoSteps: boolean[] = [];

  constructor(document: FakeDocument) {
    this.document = document;
    this.selection = new Selection(0, 0, 0, 0);
  }

  get selections(): readonly Selection[] {
    return [this.selection];
  }

  async edit(
    build: (builder: { replace(range: Range, text: string): void }) => void,
    { undoStopBefore = true }: { readonly undoStopBefore?: boolean } = {},
  ): Promise<boolean> {
    this.undoSteps.push(undoStopBefore);
    const edits: { readonly range: Range; readonly text: string }[] = [];
    build({ replace: (range, text) => void edits.push({ range, text }) });
    const offsets = edits.map(({ range }) => [range.start, range.end].map((place) => this.document.offsetAt(place)));
    if (offsets.some(([start = 0], index) => start < (offsets[index - 1]?.[1] ?? 0))) {
      throw new Error('Overlapping ranges are not allowed!');
    }
    if (!this.document.isReadOnly) this.document.change(edits.reverse());
    return true;
  }

  /** What is drawn, by its kind. */
  readonly decorations = new Map<unknown, readonly unknown[]>();
  setDecorations(kind: unknown, drawn: readonly unknown[]): void {
    this.decorations.set(kind, drawn);
  }
  readonly revealRange = (): undefined => undefined;
}

/** A notebook with its cells in order. VS Code numbers cells in the order in which they were made. */
export class FakeNotebook {
  readonly uri: Uri;
  readonly cells: readonly FakeDocument[];

  constructor(path: string, handles: readonly string[], texts: readonly string[]) {
    this.uri = new Uri('file', path);
    this.cells = texts.map((text, index) => {
      const uri = new Uri('vscode-notebook-cell', path, '', handles[index]);
      return new FakeDocument(path, text, uri);
    });
  }

  getCells(): readonly unknown[] {
    return this.cells.map((document, index) => ({ document, index, notebook: this }));
  }
}

const events = {
  configured: new EventEmitter<{ affectsConfiguration(section: string): boolean }>(),
  changed: new EventEmitter<unknown>(),
  closed: new EventEmitter<FakeDocument>(),
  opened: new EventEmitter<FakeDocument>(),
  renames: new EventEmitter<unknown>(),
  renamed: new EventEmitter<{ readonly files: readonly { readonly oldUri: Uri; readonly newUri: Uri }[] }>(),
  visible: new EventEmitter<readonly FakeTextEditor[]>(),
  window: new EventEmitter<{ readonly focused: boolean }>(),
};

interface StatusBarItem extends Registration {
  readonly command: string | { readonly command: string; readonly arguments?: readonly unknown[] };
  show(): void;
  hide(): void;
}

type Run = (...parameters: unknown[]) => unknown;

/** What the user does and sees. */
export const fakeUser = {
  /** Of the open editors the one with the keyboard. */
  active: undefined as FakeTextEditor | undefined,
  editors: [] as FakeTextEditor[],
  notebooks: [] as readonly FakeNotebook[],
  /** What the user enters where a text is asked for. */
  input: '' as string | undefined,
  /** A document that was closed. */
  reopen: async (): Promise<FakeDocument> => Promise.reject(new Error('its file is gone')),
  /** The user's settings, by their whole names. */
  settings: new Map<string, unknown>(),
  /** Schemes of file systems in which nothing can be written. */
  readOnlySchemes: [] as readonly string[],
  /** The API of the git extension; null without it. */
  git: null as unknown,
  notifications: [] as string[],
  /** The buttons of each. */
  buttons: [] as (readonly unknown[])[],
  /** Sentences in the status bar. */
  notices: [] as string[],
  /** The button that the user presses in each. */
  button: undefined as string | undefined,
  /** Registered by the extension. */
  commands: new Map<string, Run>(),
  /** Commands of VS Code that the extension ran. */
  ran: [] as string[],
  /** The right sides of comparisons that the extension opened. */
  compared: [] as unknown[],
  /** Their left sides. */
  originals: [] as Uri[],
  /** The lists that the extension has shown, the last one last. */
  quickPicks: [] as FakeQuickPick[],
  /** The last one that the extension put into the status bar. */
  item: null as StatusBarItem | null,
  /** Runs while a document is shown. */
  whileShown: (): void => undefined,

  /** With one editor for each of the documents; the first has the keyboard. */
  open(...documents: readonly FakeDocument[]): readonly FakeTextEditor[] {
    const editors = documents.map((document) => new FakeTextEditor(document));
    const heard = { quickPicks: [], notifications: [], buttons: [], notices: [], ran: [], compared: [], originals: [] };
    const has = { settings: new Map(), readOnlySchemes: [] };
    const does = { ...has, notebooks: [], input: '', button: undefined, git: null, whileShown: () => undefined };
    Object.assign(fakeUser, { active: editors[0], editors, ...heard, ...does });
    fakeUser.commands.clear();
    return editors;
  },

  tellConfigured: (section: string): void =>
    events.configured.fire({ affectsConfiguration: (asked: string) => asked === section }),

  focusWindow: (): void => events.window.fire({ focused: true }),

  /** What VS Code says when a file gets another name: it may say so in any order. */
  tellOpened: (document: FakeDocument): void => events.opened.fire(document),
  tellVisible: (): void => events.visible.fire(fakeUser.editors),
  tellWillRename: (): void => events.renames.fire({}),
  tellRenamed: (oldUri: Uri, newUri: Uri): void => events.renamed.fire({ files: [{ oldUri, newUri }] }),

  async run(command: string, ...parameters: unknown[]): Promise<void> {
    const run = fakeUser.commands.get(command);
    if (run === undefined) throw new Error(`there is no command ${command}`);
    await run(...parameters);
  },

  async click(item: StatusBarItem | null): Promise<void> {
    const command = item?.command ?? '';
    if (typeof command === 'string') await fakeUser.run(command);
    else await fakeUser.run(command.command, ...(command.arguments ?? []));
  },
};

const show = async (message: string, _options: unknown, ...buttons: unknown[]): Promise<string | undefined> => {
  fakeUser.notifications.push(message);
  fakeUser.buttons.push(buttons);
  return fakeUser.button;
};
/** Knows the stars only. */
function globExpression(glob: string): RegExp {
  const stars: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' };
  return new RegExp(`^${glob.replaceAll(/\*\*\/|\*\*|\*/g, (star) => stars[star] ?? star)}$`);
}
const nothing = (): Registration => new Disposable(() => undefined);

/** The module `vscode`. */
export const vscode = {
  ...{ Disposable, EventEmitter, Range, RelativePattern, Selection, TabInputTextDiff, Uri },
  CancellationError: class extends Error {},
  CodeActionKind: {},
  InlineCompletionTriggerKind: { Invoke: 0, Automatic: 1 },
  QuickPickItemKind: {},
  ThemeIcon: class {},
  CodeLens: class {},
  DecorationRangeBehavior: {},
  OverviewRulerLane: {},
  Position: class {},
  StatusBarAlignment: {},
  MarkdownString,
  ThemeColor: class {},
  ProgressLocation: {},
  TextEditorRevealType: {},
  commands: {
    registerCommand: (id: string, run: Run) => {
      fakeUser.commands.set(id, run);
      return nothing();
    },
    executeCommand: async (id: string, ...parameters: unknown[]) => {
      fakeUser.ran.push(id);
      if (id !== 'vscode.diff') return;
      const [original, modified] = parameters;
      fakeUser.compared.push(modified);
      if (original instanceof Uri) fakeUser.originals.push(original);
    },
  },
  env: {},
  extensions: {
    getExtension: () => ({ activate: async () => ({ enabled: fakeUser.git !== null, getAPI: () => fakeUser.git }) }),
  },
  languages: {
    registerCodeActionsProvider: nothing,
    registerCodeLensProvider: nothing,
    match: ({ pattern }: { readonly pattern: string | RelativePattern }, { uri }: FakeDocument): number => {
      const whole = typeof pattern === 'string' ? pattern : `${pattern.baseUri.path}/${pattern.pattern}`;
      return globExpression(whole).test(uri.path) ? 10 : 0;
    },
  },
  window: {
    get activeTextEditor() {
      return fakeUser.active;
    },
    get visibleTextEditors() {
      return fakeUser.editors;
    },
    visibleNotebookEditors: [],
    createQuickPick: () => {
      const made = new FakeQuickPick();
      fakeUser.quickPicks.push(made);
      return made;
    },
    createStatusBarItem: () => {
      fakeUser.item = { command: '', show: () => undefined, hide: () => undefined, dispose: () => undefined };
      return fakeUser.item;
    },
    createTextEditorDecorationType: nothing,
    onDidChangeActiveTextEditor: nothing,
    onDidChangeTextEditorSelection: nothing,
    onDidChangeTextEditorVisibleRanges: nothing,
    onDidChangeVisibleTextEditors: events.visible.event,
    onDidChangeWindowState: events.window.event,
    showTextDocument: async (document: FakeDocument) => {
      fakeUser.whileShown();
      return fakeUser.editors.find((editor) => editor.document === document) ?? new FakeTextEditor(document);
    },
    tabGroups: {
      get activeTabGroup() {
        return { activeTab: { input: new TabInputTextDiff(fakeUser.compared.at(-1)) } };
      },
      close: async () => true,
    },
    showInputBox: async () => fakeUser.input,
    setStatusBarMessage: (text: string) => {
      fakeUser.notices.push(text);
      return nothing();
    },
    ...{ showInformationMessage: show, showWarningMessage: show, showErrorMessage: show },
    withProgress: (_options: unknown, run: (...parameters: unknown[]) => unknown) =>
      run({ report: () => undefined }, { onCancellationRequested: nothing }),
  },
  workspace: {
    asRelativePath: ({ scheme, path }: Uri) =>
      scheme === 'file' && path.startsWith('/work/') ? path.slice('/work/'.length) : path,
    getConfiguration: (section?: string) => ({
      get: (key: string) => fakeUser.settings.get(section === undefined ? key : `${section}.${key}`),
    }),
    getWorkspaceFolder: () => ({ uri: new Uri('file', '/work') }),
    fs: { isWritableFileSystem: (scheme: string) => !fakeUser.readOnlySchemes.includes(scheme) },
    get notebookDocuments() {
      return fakeUser.notebooks;
    },
    onDidChangeConfiguration: events.configured.event,
    onDidChangeTextDocument: events.changed.event,
    onDidCloseTextDocument: events.closed.event,
    onDidOpenTextDocument: events.opened.event,
    onWillRenameFiles: events.renames.event,
    onDidRenameFiles: events.renamed.event,
    openTextDocument: async (uri: Uri) => {
      const open = fakeUser.editors.find(({ document }) => `${document.uri}` === `${uri}` && !document.isClosed);
      return open?.document ?? (await fakeUser.reopen());
    },
    registerTextDocumentContentProvider: nothing,
    get textDocuments() {
      return fakeUser.editors.map(({ document }) => document);
    },
  },
};
