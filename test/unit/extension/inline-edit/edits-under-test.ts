import { InlineEdits } from '../../../../extension/src/inline-edit/inline-edits.js';
import { type FakeDocument, type FakeTextEditor, fakeUser } from '../../../support/editor/fake-editor.js';

/** Inline edits in an editor with some documents, by a model that answers what the test wants. */
export class EditsUnderTest {
  editors: readonly FakeTextEditor[];
  isVisible = false;
  /** What the workspace's state has of them. */
  stored: unknown;
  edits: InlineEdits;
  /** The answers of the model, one a question. */
  readonly #answers: (() => Promise<string>)[] = [];

  constructor(...documents: readonly FakeDocument[]) {
    this.editors = fakeUser.open(...documents);
    this.edits = this.begin();
  }

  /** As at the start of a window. */
  begin(): InlineEdits {
    let isConstructed = false;
    const edits = new InlineEdits({
      server: {
        ask: async () => {
          const text = (await this.#answers.shift()?.()) ?? '';
          const known = { thinking: '', toolCalls: [], droppedTurns: 0, forgottenTokens: 0, promptTokens: 1 };
          const counted = { reusedTokens: 0, generatedTokens: 1, prefillMs: 0, decodeMs: 0, preemptions: 0 };
          return { kind: 'answered', answer: { text, ending: 'complete', ...known, ...counted } };
        },
      },
      mayShow: async () => true,
      mayAsk: async () => true,
      rules: () => null,
      store: {
        get: () => this.stored,
        set: async (value) => {
          this.stored = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
        },
      },
      setVisible: (visible) => {
        // What it leads to is constructed later.
        if (!isConstructed) throw new Error('nobody can hear of edits yet');
        this.isVisible = visible;
      },
    });
    isConstructed = true;
    edits.restore();
    this.edits = edits;
    return edits;
  }

  focus(index: number): void {
    fakeUser.active = this.editors[index];
  }

  /** Has the model write lines in place of one or several. */
  async edit(index: number, line: number, written: string, count = 1): Promise<void> {
    this.focus(index);
    const editor = this.editors[index];
    if (editor === undefined) throw new Error('there is no such editor');
    const { selection } = editor;
    editor.selection = Object.assign(Object.create(Object.getPrototypeOf(selection)) as typeof selection, {
      start: { line, character: 0 },
      end: { line: line + count - 1, character: 1 },
    });
    this.#answers.push(async () => `\`\`\`\n${written}\n\`\`\``);
    fakeUser.input = 'in capitals';
    await fakeUser.run('inkling.editSelection');
  }
}
