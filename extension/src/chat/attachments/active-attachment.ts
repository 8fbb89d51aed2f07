import { Disposable, type TextDocument, type TextEditor, window, workspace } from 'vscode';
import { DOCUMENT_SCHEMES } from '../../editor/document-schemes.js';
import type { Attachment } from '../conversation/conversation.js';
import { attach, type MayShow } from './attachments.js';
import { codeKind } from './code-kind.js';

/** The selection and the text are looked at this long after the last change of them. */
const QUIET_MS = 200;

/** What the user works on, which a question shows without being asked: the selection, or else the active file. */
export class ActiveAttachment implements Disposable {
  #isFollowing = false;
  #current: Attachment | null = null;
  /** Address of the document that the user does not want to be shown, while it stays the active one. */
  #refused: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Where it looked last, so that nothing is read twice. */
  #last: { readonly document: TextDocument | null; readonly place: string } | null = null;
  /** Counts the looks, to ignore the result of an earlier one. */
  #looks = 0;
  readonly #listeners: Disposable;

  readonly #mayShow: MayShow;
  readonly #tell: (attachment: Attachment | null) => void;

  /** @param tell gets each change */
  constructor(mayShow: MayShow, tell: (attachment: Attachment | null) => void) {
    this.#mayShow = mayShow;
    this.#tell = tell;
    const isActive = (editor: TextEditor | undefined) => editor === window.activeTextEditor;
    this.#listeners = Disposable.from(
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.toString() !== this.#refused) this.#refused = null;
        this.#lookSoon();
      }),
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (isActive(textEditor)) this.#lookSoon();
      }),
      workspace.onDidChangeTextDocument(({ document }) => {
        if (document === window.activeTextEditor?.document) this.#lookSoon();
      }),
    );
  }

  /** Looks at editors only while the panel shows the result. */
  follow(isWanted: boolean): void {
    if (this.#isFollowing === isWanted) return;
    this.#isFollowing = isWanted;
    this.#last = null;
    if (isWanted) {
      this.#lookSoon();
      return;
    }
    // Nobody could see it, and so nobody could remove it.
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#looks++;
    if (this.#current !== null) this.#tell(null);
    this.#current = null;
  }

  /** The server, which says what may be shown, is another one or has just started. */
  refresh(): void {
    this.#last = null;
    this.#lookSoon();
  }

  /** The user removed what was attached: nothing more of that document until another one is active. */
  refuse(): void {
    this.#refused = this.#current?.uri ?? this.#refused;
    this.#current = null;
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#listeners.dispose();
  }

  #lookSoon(): void {
    if (!this.#isFollowing) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), QUIET_MS);
  }

  async #look(): Promise<void> {
    const look = ++this.#looks;
    const editor = window.activeTextEditor ?? null;
    const document = editor?.document ?? null;
    const place = editor === null ? '' : placeOf(editor);
    if (document === this.#last?.document && place === this.#last?.place) return;
    const found = editor === null ? null : await this.#find(editor);
    if (look !== this.#looks || (found !== null && found.uri === this.#refused)) return;
    this.#last = { document, place };
    const before = this.#current;
    if (found?.label === before?.label && found?.text === before?.text) return;
    // The same place keeps its id, so that its chip stays in place.
    this.#current = found !== null && found.label === before?.label ? { ...found, id: before.id } : found;
    this.#tell(this.#current);
  }

  async #find({ document, selection }: TextEditor): Promise<Attachment | null> {
    const uri = document.uri.toString();
    // The others are outputs, comparisons and settings.
    if (!DOCUMENT_SCHEMES.includes(document.uri.scheme) || uri === this.#refused) return null;
    const found = await attach({ kind: codeKind(selection) });
    if (typeof found === 'string' || !(await this.#mayShow(uri, found.text))) return null;
    return { ...found, isAutomatic: true };
  }
}

/** The cursor's place says nothing of a whole file. */
function placeOf({ document, selection }: TextEditor): string {
  const { start, end } = selection;
  const selected = selection.isEmpty ? [] : [start.line, start.character, end.line, end.character];
  return [document.version, ...selected].join(' ');
}
