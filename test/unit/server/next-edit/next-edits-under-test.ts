import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { DEFAULT_SETTINGS, type InklingSettings } from '../../../../server/protocol/index.js';
import type { ModelEdits } from '../../../../server/src/next-edit/model-edits.js';
import { NextEditService } from '../../../../server/src/next-edit/next-edit-service.js';
import type { PredictedEdit } from '../../../../server/src/next-edit/predicted-edit.js';
import { RepeatSearch } from '../../../../server/src/next-edit/repeat-search.js';
import type { SyntaxTrees } from '../../../../server/src/syntax/syntax-trees.js';
import { syntaxTrees } from '../../../support/code/grammars.js';
import { parsedSyntax } from '../../../support/code/parsed-syntax.js';
import { SILENT } from '../scripted-engine.js';
import { EditedText } from './editor.js';

export const CODE = `const itemCount = 3;
print(itemCount);
print(itemCount + 1);
`;
/** Longer than any pause that the service waits for. */
const LONG_MS = 10_000;

/** The service with real grammars and a model that says what the test wants. Timers must be fake. */
export class NextEditsUnderTest {
  settings: InklingSettings = DEFAULT_SETTINGS;
  documents = [new EditedText('file:///a.ts', CODE)];
  announced: (PredictedEdit | null)[] = [];
  readonly counts: string[] = [];
  /** URIs of files that Inkling may not look at. */
  excluded: readonly string[] = [];
  /** Runs once, when Inkling has asked whether it may look at another document. */
  admitted: (() => void) | null = null;
  /** What the model finds where nothing is repeated. */
  find: ModelEdits['find'] = () => Promise.resolve({ kind: 'none', reason: 'unchanged' });
  readonly service: NextEditService;

  constructor(trees: SyntaxTrees) {
    const admits = (uri: string) => {
      const { admitted } = this;
      this.admitted = null;
      admitted?.();
      return Promise.resolve(!this.excluded.includes(uri));
    };
    this.service = new NextEditService(
      () => this.documents,
      () => this.settings,
      { count: (what) => this.counts.push(what) },
      { repeats: new RepeatSearch({ admits }, trees), model: { find: (...question) => this.find(...question) } },
      SILENT,
    );
    this.service.onDidPredict((edit) => this.announced.push(edit));
  }

  /** The first document. */
  get own(): EditedText {
    const [document] = this.documents;
    if (document === undefined) throw new Error('no document');
    return document;
  }

  get latest(): PredictedEdit {
    const edit = this.announced.at(-1);
    if (edit === undefined || edit === null) throw new Error('nothing is announced');
    return edit;
  }

  get reasons(): readonly string[] {
    return this.service.decisions.map(({ reason }) => reason);
  }

  edit(document: EditedText, wanted: string, by: string, occurrence = 0): void {
    const change = document.replace(wanted, by, occurrence);
    this.service.documentEdited(document.uri, document.version, [change]);
  }

  rename(): EditedText {
    this.edit(this.own, 'itemCount', 'total');
    return this.own;
  }

  applyLatest(): void {
    const { document, start, end, newText } = this.latest;
    const edited = this.documents.find(({ uri }) => uri === document.uri);
    if (edited === undefined) throw new Error('no such document');
    const change = edited.change({ offset: start, removed: edited.getText().slice(start, end), inserted: newText });
    this.service.documentEdited(edited.uri, edited.version, [change]);
  }

  /** The user looks at a document and goes back. */
  see(document: EditedText): void {
    this.service.cursorMoved(document.uri, 0);
    this.service.cursorMoved('file:///a.ts', 0);
  }

  async settle(): Promise<void> {
    await vi.advanceTimersByTimeAsync(LONG_MS);
  }

  async soon(): Promise<void> {
    await vi.advanceTimersByTimeAsync(1);
  }
}

/** Gives each test a service of its own, on fake timers. Its grammars have parsed a first document; returns them. */
export function nextEditsInEachTest(give: (next: NextEditsUnderTest) => void): SyntaxTrees {
  const trees = syntaxTrees();
  let service: NextEditService | null = null;

  beforeAll(() => parsedSyntax(trees, { uri: 'file:///first.ts', languageId: 'typescript', text: '' }));
  afterAll(() => trees.dispose());

  beforeEach(() => {
    vi.useFakeTimers();
    const next = new NextEditsUnderTest(trees);
    ({ service } = next);
    service.clientShowsNextEdits();
    give(next);
  });

  afterEach(() => {
    service?.dispose();
    vi.useRealTimers();
  });
  return trees;
}
