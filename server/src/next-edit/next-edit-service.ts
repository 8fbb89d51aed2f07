import {
  type InklingSettings,
  languageEnabled,
  type NextEditDecision,
  type NextEditOutcome,
} from '../../protocol/index.js';
import { type DocumentChange, editEnd } from '../completion/cursor/edit-kind.js';
import { hasSecretName } from '../context/admission/secret-files.js';
import { locationOf } from '../context/files/file-location.js';
import { toEngineError } from '../engine/port/engine-error.js';
import { describeError } from '../util/describe-error.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { EditHistory } from './history/edit-history.js';
import { MadeEdits } from './history/made-edits.js';
import { UndoneVersions } from './history/undone-versions.js';
import type { ModelEdits, NoModelEdit } from './model-edits.js';
import { NextEditDecisions, type NextEditOutcomeReason, type NextEditRefusal } from './next-edit-decisions.js';
import type { EditableDocument, PredictedEdit } from './predicted-edit.js';
import { Dismissals } from './quiet/dismissals.js';
import type { DueEdit } from './repeat/repeated-edits.js';
import type { FoundRepeat, RepeatSearch, SearchedDocument } from './repeat-search.js';
import { lineAt, offsetOfLine } from './text/lines.js';
import { UserPlace } from './user-place.js';

export interface NextEditListener {
  count(what: 'nextEditsShown' | 'nextEditsApplied' | 'nextEditsDismissed'): void;
}

/** How next edits are found: without a model, and by one. */
export interface NextEditTiers {
  readonly repeats: Pick<RepeatSearch, 'find'>;
  readonly model: Pick<ModelEdits, 'find'>;
}

/** An edit is finished after this time without a key. */
const FINISHED_AFTER_MS = 300;
/** Larger documents are not searched. */
const LONGEST_DOCUMENT = 1_000_000;
const MOST_DOCUMENTS = 24;
/** These say nothing of the lines, so what the first tier found says more. */
const NOT_ASKED: ReadonlySet<NoModelEdit> = new Set([
  'noModel',
  'noFormat',
  'remoteModel',
  'languageUnknown',
  'onBattery',
  'nothingSuggests',
  'noQuestion',
]);

/** What the user does next, predicted from what the user has just done. Every key cancels it. */
export class NextEditService {
  readonly #documents: () => readonly EditableDocument[];
  readonly #settings: () => InklingSettings;
  readonly #listener: NextEditListener;
  readonly #tiers: NextEditTiers;
  readonly #log: Log;
  readonly #history: EditHistory;
  readonly #made = new MadeEdits();
  readonly #predicted = new Emitter<PredictedEdit | null>();
  readonly #dismissals = new Dismissals();
  readonly #decisions = new NextEditDecisions();
  readonly #user = new UserPlace();
  /** Files that the editor cannot change, as it said when an edit of them was announced. */
  readonly #readOnly = new Set<string>();
  readonly #undone = new UndoneVersions();
  /** Whether the client shows next edits. Without one that does, nothing is looked for. */
  #isShown = false;
  #due: NodeJS.Timeout | null = null;
  /** Ends the search. */
  #asking = new AbortController();
  /** The edit that is announced, and its kind. */
  #present: { readonly edit: PredictedEdit; readonly kind: string | null } | null = null;
  #lastId = 0;

  /** @param documents all that are open */
  constructor(
    documents: () => readonly EditableDocument[],
    settings: () => InklingSettings,
    listener: NextEditListener,
    tiers: NextEditTiers,
    log: Log,
  ) {
    this.#documents = documents;
    this.#settings = settings;
    this.#listener = listener;
    this.#tiers = tiers;
    this.#log = log;
    this.#history = new EditHistory((uri) => this.#document(uri)?.getText() ?? null);
  }

  /** Fires with the edit that is due now; null when the last one is due no more. */
  readonly onDidPredict = this.#predicted.event;

  /** Newest first. */
  get decisions(): readonly NextEditDecision[] {
    return this.#decisions.latest();
  }

  clientShowsNextEdits(): void {
    this.#isShown = true;
  }

  /** The client says where the cursor is, and opens documents that nobody sees. */
  clientReportsCursor(): void {
    this.#user.clientReportsCursor();
  }

  documentEdited(uri: string, version: number, changes: readonly DocumentChange[]): void {
    if (!this.#isShown) return;
    this.#readOnly.delete(uri);
    const applied = this.#isPresent(uri, changes);
    const byUser = applied || this.#user.mayBeIn(uri);
    if (applied) this.#user.ledTo(uri);
    const wasDue = this.#present?.edit.document.uri === uri;
    if (byUser || wasDue) this.#withdraw();
    const refusal = this.#refusal(uri);
    if (refusal !== null) {
      this.#history.missed(uri);
      if (byUser) this.#note(uri, changes.at(-1)?.offset ?? 0, refusal);
      return;
    }
    if (this.#undone.edited(uri, version, changes)) {
      this.#takeBack(uri, changes);
      return;
    }
    if (applied) for (const change of changes) this.#made.add(uri, change);
    // A generated file, or a rename in all files: the user's own edit goes on.
    if (!byUser) {
      this.#history.editedElsewhere(uri, changes);
      // It may be due there still, and so may others.
      if (wasDue) this.#schedule(FINISHED_AFTER_MS);
      return;
    }
    this.#history.edited(uri, changes, applied);
    const last = changes.at(-1);
    if (last === undefined) return;
    // A closer that is typed over the same one changes nothing. Switched line ends move nobody.
    const isTypedOver = last.removed === last.inserted;
    const end = editEnd(changes) ?? (isTypedOver ? last.offset + last.inserted.length : null);
    if (end !== null) this.#user.edited(uri, end);
    // After one edit of a chain the next one is wanted at once.
    this.#schedule(applied ? 0 : FINISHED_AFTER_MS);
  }

  /** An undo or redo made this version. The notification may arrive before or after the change. */
  documentUndone(uri: string, version: number): void {
    if (!this.#isShown) return;
    this.#withdraw();
    const present = this.#document(uri);
    this.#takeBack(uri, this.#undone.announced(uri, version, present?.version ?? null));
    if (present === null) return;
    const place = this.#user.present;
    if (this.#refusal(uri) === null) this.#note(uri, place?.uri === uri ? place.offset : 0, 'undone');
  }

  /** What the settings forbid now is neither looked for nor announced any longer. */
  settingsChanged(): void {
    const uri = this.#present?.edit.document.uri ?? this.#user.present?.uri;
    if (this.#isOff() || (uri !== undefined && this.#refusal(uri) !== null)) this.#withdraw();
  }

  documentClosed(uri: string): void {
    this.#history.closed(uri);
    this.#made.closed(uri);
    this.#readOnly.delete(uri);
    this.#undone.closed(uri);
    this.#user.closed(uri);
    if (this.#present?.edit.document.uri !== uri) return;
    this.#withdraw();
    this.#schedule(FINISHED_AFTER_MS);
  }

  cursorMoved(uri: string, offset: number): void {
    const before = this.#user.present;
    this.#user.moved(uri, offset);
    // A user who makes a file writable again mostly goes there.
    if (before?.uri !== uri) this.#readOnly.delete(uri);
    // A user who leaves the lines of an edit has finished it.
    if (this.#due !== null && (before?.uri !== uri || this.#linesBetween(uri, before.offset, offset) > 1))
      this.#lookNow();
  }

  /** The user accepted a suggestion in a document: that edit is finished. */
  suggestionAccepted(uri: string): void {
    if (this.#due !== null && this.#user.present?.uri === uri) this.#lookNow();
  }

  /** The user has seen, made or refused an announced edit, or the editor cannot make it. */
  noteOutcome(id: number, outcome: NextEditOutcome['outcome']): void {
    const present = this.#present;
    if (outcome === 'applied') {
      // Its change came first, and withdrew it.
      if (id > 0 && id <= this.#lastId) this.#listener.count('nextEditsApplied');
      return;
    }
    if (present?.edit.id !== id) return;
    if (outcome === 'shown') {
      this.#listener.count('nextEditsShown');
      return;
    }
    if (outcome === 'readOnly') {
      const { document, start } = present.edit;
      this.#readOnly.add(document.uri);
      this.#note(document.uri, start, 'readOnly');
      this.#withdraw();
      this.#schedule(0);
      return;
    }
    this.#listener.count('nextEditsDismissed');
    this.#dismissals.add(present.edit.document.getText(), present.edit, present.kind);
    this.#withdraw();
  }

  dispose(): void {
    this.#cancel();
  }

  /** A next edit that is taken back is not offered again: the edits that it followed from may be in other documents. */
  #takeBack(uri: string, changes: readonly DocumentChange[]): void {
    if (this.#made.takeBack(uri, changes)) this.#history.clear();
    else this.#history.undone(uri);
  }

  #schedule(delayMs: number): void {
    this.#due = setTimeout(() => {
      this.#due = null;
      this.#predict().catch((error: unknown) => {
        this.#log.error(`A next edit could not be predicted: ${describeError(error)}`);
      });
    }, delayMs);
  }

  #lookNow(): void {
    this.#cancel();
    this.#schedule(0);
  }

  /** First what the edits repeat, since that needs no model; then what the model makes of the lines. */
  async #predict(): Promise<void> {
    const place = this.#searchedFrom();
    const document = place === null ? null : this.#document(place.uri);
    if (place === null || document === null || this.#isOff()) return;
    const { uri, offset } = place;
    const refusal = this.#refusal(uri);
    if (refusal !== null) return this.#note(uri, offset, refusal);
    const edits = this.#history.recent();
    if (edits.length === 0) return this.#note(uri, offset, 'noEdit');
    const asking = new AbortController();
    this.#asking = asking;
    const others = this.#user.seenOf(this.#documents().filter((each) => each !== document && this.#maySearch(each)));
    const versions = new Map([document, ...others.slice(0, MOST_DOCUMENTS)].map((each) => [each, each.version]));
    const [own, ...rest] = [...versions.keys()].map(
      (each): SearchedDocument => ({ uri: each.uri, languageId: each.languageId, text: each.getText() }),
    );
    if (own === undefined) return;
    const isDismissed = ({ text }: SearchedDocument, edit: DueEdit) => this.#dismissals.has(text, edit, edit.kind);
    const repeat = await this.#tiers.repeats.find({ own, offset, others: rest, edits, isDismissed }, asking.signal);
    if (asking.signal.aborted) return;
    if (repeat.kind === 'edit') return this.#announceAt(repeat.uri, versions, repeat.edit, repeat.more);
    await this.#askModel(own, offset, rest, versions, repeat, asking.signal);
  }

  /** Where the user is; in a file that cannot be changed, where the last edit of another one was. */
  #searchedFrom(): { readonly uri: string; readonly offset: number } | null {
    const place = this.#user.present;
    if (place === null || !this.#readOnly.has(place.uri)) return place;
    const last = this.#history.recent().findLast(({ uri }) => !this.#readOnly.has(uri));
    if (last === undefined) return null;
    const text = this.#document(last.uri)?.getText() ?? '';
    return { uri: last.uri, offset: offsetOfLine(text, last.line - 1) };
  }

  #maySearch({ uri }: EditableDocument): boolean {
    return !this.#readOnly.has(uri) && this.#refusal(uri) === null;
  }

  async #askModel(
    own: SearchedDocument,
    offset: number,
    others: readonly SearchedDocument[],
    versions: ReadonlyMap<EditableDocument, number>,
    repeat: Extract<FoundRepeat, { kind: 'none' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { uri } = own;
    try {
      const edits = this.#history.recent();
      const asked = others.map((each) => ({ ...each, offset: null }));
      const found = await this.#tiers.model.find({ ...own, offset }, asked, edits, signal);
      if (signal.aborted) return this.#noteEnd(uri, offset, signal);
      if (found.kind === 'none') {
        const reason = NOT_ASKED.has(found.reason) ? (repeat.reason ?? found.reason) : found.reason;
        return this.#note(uri, offset, reason);
      }
      const text = [own, ...others].find((each) => each.uri === found.uri)?.text ?? '';
      if (this.#dismissals.has(text, found, null)) return this.#note(uri, offset, 'dismissed');
      this.#announceAt(found.uri, versions, { ...found, reason: 'model', kind: null }, 0);
    } catch (thrown) {
      if (signal.aborted) return this.#noteEnd(uri, offset, signal);
      const { code, message } = toEngineError(thrown);
      this.#note(uri, offset, 'engineError');
      this.#log.debug(`No next edit: ${code}: ${message}`);
      if (code === 'internal') throw thrown;
    }
  }

  /** Looks again where the document has changed meanwhile, or is closed. */
  #announceAt(
    uri: string,
    versions: ReadonlyMap<EditableDocument, number>,
    { start, end, newText, reason, kind }: Omit<DueEdit, 'chance' | 'kind'> & { readonly kind: string | null },
    more: number,
  ): void {
    const [document, version] = [...versions].find(([each]) => each.uri === uri) ?? [];
    if (document === undefined || document.version !== version || this.#document(uri) !== document) {
      this.#schedule(FINISHED_AFTER_MS);
      return;
    }
    // The settings may have changed since the search began.
    const refusal = this.#refusal(uri);
    if (refusal !== null) {
      this.#note(uri, start, refusal);
      return;
    }
    const edit = { id: ++this.#lastId, document, version, start, end, newText, reason, more };
    this.#present = { edit, kind };
    this.#decisions.add(uri, lineAt(document.getText(), start), 'announced', reason);
    this.#predicted.fire(edit);
  }

  #note(uri: string, offset: number, reason: NextEditOutcomeReason): void {
    const text = this.#document(uri)?.getText() ?? '';
    // Every key in a refused document says the same, and lines are counted only once.
    if (!this.#decisions.again(uri, reason)) this.#decisions.add(uri, lineAt(text, offset), 'nothing', reason);
  }

  /** Why a question to the model was not answered: a key began another search, or the settings forbid it now. */
  #noteEnd(uri: string, offset: number, signal: AbortSignal): void {
    const refusal = this.#document(uri) === null ? null : this.#refusal(uri);
    if (refusal !== null) this.#note(uri, offset, refusal);
    // An undo has said so already.
    else if (this.#due !== null || this.#asking.signal !== signal) this.#note(uri, offset, 'cancelled');
  }

  #cancel(): void {
    if (this.#due !== null) clearTimeout(this.#due);
    this.#due = null;
    this.#asking.abort();
  }

  #withdraw(): void {
    this.#cancel();
    if (this.#present === null) return;
    this.#present = null;
    this.#predicted.fire(null);
  }

  /** Whether a change is the announced edit. */
  #isPresent(uri: string, [change, ...others]: readonly DocumentChange[]): boolean {
    if (this.#present === null || change === undefined || others.length > 0) return false;
    const { document, start, end, newText } = this.#present.edit;
    const sameRange = change.offset === start && change.removed.length === end - start;
    return document.uri === uri && sameRange && change.inserted === newText;
  }

  /** Why edits of a document are neither remembered nor predicted; null where they are. */
  #refusal(uri: string): NextEditRefusal | null {
    const document = this.#document(uri);
    if (this.#isOff()) return 'off';
    if (document === null || hasSecretName(locationOf(uri).path)) return 'secretFile';
    if (!languageEnabled(this.#settings(), document.languageId)) return 'languageDisabled';
    return document.getText().length > LONGEST_DOCUMENT ? 'tooLong' : null;
  }

  #isOff(): boolean {
    const { enabled, nextEditMode } = this.#settings();
    return !enabled || nextEditMode === 'off';
  }

  #linesBetween(uri: string, one: number, other: number): number {
    const text = this.#document(uri)?.getText() ?? '';
    return Math.abs(lineAt(text, one) - lineAt(text, other));
  }

  #document(uri: string): EditableDocument | null {
    return this.#documents().find((document) => document.uri === uri) ?? null;
  }
}
