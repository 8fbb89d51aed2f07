import {
  type InklingSettings,
  languageEnabled,
  type NextEditDecision,
  type NextEditReason,
} from '../../protocol/index.js';
import type { DocumentChange } from '../completion/cursor/edit-kind.js';
import { hasSecretName } from '../context/admission/secret-files.js';
import { locationOf } from '../context/file-location.js';
import { toEngineError } from '../engine/engine-error.js';
import { describeError } from '../util/describe-error.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { EditHistory } from './history/edit-history.js';
import type { ModelEdits } from './model-edits.js';
import { NextEditDecisions } from './next-edit-decisions.js';
import { type DueEdit, RepeatedEdits } from './repeat/repeated-edits.js';

/** An open document, as the editor keeps it up to date. */
export interface EditableDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  getText(): string;
}

/** An edit that is due. Offsets are UTF-16 units of that version. */
export interface PredictedEdit {
  readonly id: number;
  readonly document: EditableDocument;
  readonly version: number;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  readonly reason: NextEditReason;
  readonly more: number;
}

export interface NextEditListener {
  count(what: 'nextEditsShown' | 'nextEditsApplied' | 'nextEditsDismissed'): void;
}

interface Place {
  readonly uri: string;
  readonly offset: number;
}

/** An edit is finished after this time without a key. */
const FINISHED_AFTER_MS = 300;
/** Larger documents are not searched. */
const LONGEST_DOCUMENT = 1_000_000;
const MOST_DOCUMENTS = 24;
const REMEMBERED_DISMISSALS = 64;

/** What the user does next, predicted from what the user has just done. Every key cancels it. */
export class NextEditService {
  readonly #documents: () => readonly EditableDocument[];
  readonly #settings: () => InklingSettings;
  readonly #listener: NextEditListener;
  readonly #modelEdits: Pick<ModelEdits, 'find'>;
  readonly #log: Log;
  readonly #history: EditHistory;
  readonly #predicted = new Emitter<PredictedEdit | null>();
  readonly #dismissed = new Set<string>();
  /** Versions that an undo made, where the notification came before the change. */
  readonly #undone = new Map<string, number>();
  readonly #decisions = new NextEditDecisions();
  #due: NodeJS.Timeout | null = null;
  /** Ends the question to the model. */
  #asking = new AbortController();
  /** The edit that is announced, and its kind. */
  #present: { readonly edit: PredictedEdit; readonly kind: string } | null = null;
  /** Where the user is. */
  #place: Place | null = null;
  /** The document that the client says the user is in; null where it does not say, and until it says so again. */
  #cursorIn: string | null = null;
  #lastId = 0;

  /** @param documents all that are open */
  constructor(
    documents: () => readonly EditableDocument[],
    settings: () => InklingSettings,
    listener: NextEditListener,
    modelEdits: Pick<ModelEdits, 'find'>,
    log: Log,
  ) {
    this.#documents = documents;
    this.#settings = settings;
    this.#listener = listener;
    this.#modelEdits = modelEdits;
    this.#log = log;
    this.#history = new EditHistory((uri) => this.#document(uri)?.getText() ?? null);
  }

  /** Fires with the edit that is due now; null when the last one is due no more. */
  readonly onDidPredict = this.#predicted.event;

  /** Newest first. */
  get decisions(): readonly NextEditDecision[] {
    return this.#decisions.latest();
  }

  documentEdited(uri: string, version: number, changes: readonly DocumentChange[]): void {
    const applied = this.#isPresent(uri, changes);
    const byUser = applied || this.#cursorIn === null || this.#cursorIn === uri;
    if (applied && this.#cursorIn !== uri) this.#cursorIn = null;
    if (byUser || this.#present?.edit.document.uri === uri) this.#withdraw();
    if (!this.#follows(uri)) {
      this.#history.missed(uri);
      return;
    }
    if (this.#undone.get(uri) === version) {
      this.#undone.delete(uri);
      this.#history.undone(uri);
      return;
    }
    // A generated file, or a rename in all files: the user's own edit goes on.
    if (!byUser) {
      this.#history.editedElsewhere(uri, changes);
      return;
    }
    this.#history.edited(uri, changes);
    const last = changes.at(-1);
    if (last === undefined) return;
    this.#place = { uri, offset: last.offset + last.inserted.length };
    // After one edit of a chain the next one is wanted at once.
    this.#schedule(applied ? 0 : FINISHED_AFTER_MS);
  }

  /** An undo or redo made this version. The notification may arrive before or after the change. */
  documentUndone(uri: string, version: number): void {
    this.#withdraw();
    this.#history.undone(uri);
    const present = this.#document(uri);
    if (present !== null && present.version < version) this.#undone.set(uri, version);
  }

  documentClosed(uri: string): void {
    this.#history.closed(uri);
    this.#undone.delete(uri);
    if (this.#place?.uri === uri) this.#place = null;
    if (this.#cursorIn === uri) this.#cursorIn = null;
    if (this.#present?.edit.document.uri === uri) this.#withdraw();
  }

  cursorMoved(uri: string, offset: number): void {
    this.#place = { uri, offset };
    this.#cursorIn = uri;
  }

  /** The user has seen, made or refused an announced edit. */
  noteOutcome(id: number, outcome: 'shown' | 'applied' | 'dismissed'): void {
    const present = this.#present;
    if (present?.edit.id !== id && outcome !== 'applied') return;
    switch (outcome) {
      case 'shown':
        this.#listener.count('nextEditsShown');
        break;
      case 'applied':
        this.#listener.count('nextEditsApplied');
        break;
      case 'dismissed':
        this.#listener.count('nextEditsDismissed');
        if (present !== null) this.#dismiss(present.kind);
        this.#withdraw();
        break;
    }
  }

  dispose(): void {
    this.#cancel();
  }

  #schedule(delayMs: number): void {
    this.#due = setTimeout(() => {
      this.#due = null;
      this.#predict().catch((error: unknown) => {
        this.#log.error(`A next edit could not be predicted: ${describeError(error)}`);
      });
    }, delayMs);
  }

  /** First what the edits repeat, since that needs no model; then what the model makes of the lines. */
  async #predict(): Promise<void> {
    const place = this.#place;
    if (place === null || this.#settings().nextEditMode === 'off') return;
    if (!this.#repeat(place)) await this.#askModel(place);
  }

  /** Whether a repeated edit is due. */
  #repeat(place: Place): boolean {
    const repeated = new RepeatedEdits(this.#history.recent());
    if (repeated.none) return false;
    const found = this.#searched(place.uri).flatMap((document) => {
      const edits = repeated.in(document.getText()).filter(({ kind }) => !this.#dismissed.has(kind));
      const ordered = document.uri === place.uri ? fromPlace(edits, place.offset) : edits;
      return ordered.map((edit) => ({ document, edit }));
    });
    const [first] = found;
    if (first === undefined) return false;
    const { document, edit } = first;
    const more = found.filter((each) => each.edit.kind === edit.kind).length - 1;
    this.#announce(document, edit, more);
    return true;
  }

  async #askModel({ uri, offset }: Place): Promise<void> {
    const document = this.#document(uri);
    const edits = this.#history.recent();
    if (document === null || edits.length === 0 || document.getText().length > LONGEST_DOCUMENT) return;
    const asking = new AbortController();
    this.#asking = asking;
    const asked = this.#searched(uri).map((each) => ({
      document: each,
      version: each.version,
      question: {
        uri: each.uri,
        languageId: each.languageId,
        text: each.getText(),
        offset: each === document ? offset : null,
      },
    }));
    const [own, ...others] = asked;
    if (own?.document !== document) return;
    const line = lineAt(own.question.text, offset);
    try {
      const found = await this.#modelEdits.find(
        own.question,
        others.map(({ question }) => question),
        edits,
        asking.signal,
      );
      if (asking.signal.aborted) return;
      if (found.kind === 'none') return this.#decisions.add(uri, line, 'nothing', found.reason);
      const target = asked.find(({ document: each }) => each.uri === found.uri);
      if (target === undefined || target.document.version !== target.version) return;
      const { start, end, newText } = found;
      // As with repeated edits: who dismisses one wants none like it.
      const kind = `${target.question.text.slice(start, end)}\0${newText}`;
      if (this.#dismissed.has(kind)) return this.#decisions.add(uri, line, 'nothing', 'dismissed');
      this.#announce(target.document, { start, end, newText, reason: 'model', kind }, 0);
    } catch (thrown) {
      if (asking.signal.aborted) return;
      const { code, message } = toEngineError(thrown);
      this.#decisions.add(uri, line, 'nothing', 'engineError');
      this.#log.debug(`No next edit: ${code}: ${message}`);
      if (code === 'internal') throw thrown;
    }
  }

  #announce(
    document: EditableDocument,
    { start, end, newText, reason, kind }: Omit<DueEdit, 'chance'>,
    more: number,
  ): void {
    const id = ++this.#lastId;
    const edit = { id, document, version: document.version, start, end, newText, reason, more };
    this.#present = { edit, kind };
    this.#decisions.add(document.uri, lineAt(document.getText(), start), 'announced', reason);
    this.#predicted.fire(edit);
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

  #dismiss(kind: string): void {
    this.#dismissed.add(kind);
    const [oldest] = this.#dismissed;
    if (this.#dismissed.size > REMEMBERED_DISMISSALS && oldest !== undefined) this.#dismissed.delete(oldest);
  }

  /** Whether a change is the announced edit. */
  #isPresent(uri: string, [change, ...others]: readonly DocumentChange[]): boolean {
    if (this.#present === null || change === undefined || others.length > 0) return false;
    const { document, start, end, newText } = this.#present.edit;
    const sameRange = change.offset === start && change.removed.length === end - start;
    return document.uri === uri && sameRange && change.inserted === newText;
  }

  /** The document itself first, then the others that are open. */
  #searched(uri: string): readonly EditableDocument[] {
    const documents = this.#documents().filter(
      (document) => this.#follows(document.uri) && document.getText().length <= LONGEST_DOCUMENT,
    );
    const own = documents.filter((document) => document.uri === uri);
    return [...own, ...documents.filter((document) => document.uri !== uri)].slice(0, MOST_DOCUMENTS);
  }

  /** Edits of secret files are neither remembered nor predicted. */
  #follows(uri: string): boolean {
    const document = this.#document(uri);
    if (document === null || hasSecretName(locationOf(uri).path)) return false;
    const settings = this.#settings();
    return settings.enabled && settings.nextEditMode !== 'off' && languageEnabled(settings, document.languageId);
  }

  #document(uri: string): EditableDocument | null {
    return this.#documents().find((document) => document.uri === uri) ?? null;
  }
}

/** Downwards from the cursor, then from the top. */
function fromPlace(edits: readonly DueEdit[], offset: number): readonly DueEdit[] {
  const below = edits.findIndex(({ start }) => start >= offset);
  return below < 0 ? edits : [...edits.slice(below), ...edits.slice(0, below)];
}

/** Zero-based. */
function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
