import type { NamedDefinition } from '../../protocol/index.js';
import { type ContextBlock, type ContextSnippet, EMPTY_CONTEXT } from '../prompt/context-block.js';
import { BackgroundQueue, type Turn } from '../util/background-queue.js';
import { describeError } from '../util/describe-error.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { FileAdmission, type WorkspaceFacts } from './admission/file-admission.js';
import { SecretDocuments } from './admission/secret-documents.js';
import { ContextBlocks, type ShownContext } from './context-blocks.js';
import type { ContextCandidate, ContextDocument, ContextQuery, ContextSource } from './context-source.js';
import { DiskFiles } from './files/disk-files.js';
import { FileIndex } from './files/file-index.js';
import { locationOf, locationOfKey } from './files/file-location.js';
import { nameOf } from './files/file-name.js';
import { familyOf } from './languages/languages.js';
import { nearbyLines } from './nearby.js';
import { type LiveDocument, OpenDocuments } from './open-documents.js';
import { Clipboard } from './sources/clipboard.js';
import { DiagnosedNames } from './sources/diagnosed-names.js';
import { EditorDefinitions } from './sources/editor-definitions.js';
import { IMPORTED_DECLARATIONS } from './sources/imported-declarations.js';
import { NOTEBOOK_CELLS } from './sources/notebook-cells.js';
import { OPEN_FILES } from './sources/open-files.js';
import { RECENT_EDITS } from './sources/recent-edits.js';
import { SIMILAR_SNIPPETS } from './sources/similar-snippets.js';

export interface ContextFacts extends WorkspaceFacts {
  /** If false, nothing is read and every block is empty. */
  readonly enabled: boolean;
  readonly clipboard: boolean;
}

export type DocumentEvent =
  | { readonly kind: 'open'; readonly document: LiveDocument }
  | { readonly kind: 'change' | 'close'; readonly uri: string };

export interface ContextTiming {
  /** Files are read after this time without typing. */
  readonly quietMs: number;
  /** A prompt's context may change after this time without typing. */
  readonly refreshMs: number;
}

const DEFAULT_TIMING: ContextTiming = { quietMs: 200, refreshMs: 1000 };
const DEFAULT_DEADLINE_MS = 10;
/** A source that searches in the background blocks the event loop no longer than this. */
const SOURCE_SLICE_MS = 4;

interface Place {
  readonly document: ContextDocument;
  readonly offset: number;
  readonly budgetTokens: number;
}

/**
 * What prompts show of the rest of the project. Files are read and compared in the background. A prompt gets what is
 * known at that time, and keeps it unchanged until a quiet moment.
 */
export class ContextService {
  readonly #index = new FileIndex();
  readonly #admission: FileAdmission;
  readonly #queue: BackgroundQueue;
  readonly #documents: OpenDocuments;
  readonly #secrets: SecretDocuments;
  readonly #clipboard = new Clipboard();
  readonly #diagnosed = new DiagnosedNames();
  readonly #defined = new EditorDefinitions();
  readonly #sources: readonly ContextSource[];
  readonly #blocks = new ContextBlocks();
  readonly #refreshed = new Emitter<string>();
  readonly #revoked = new Emitter<string>();
  readonly #timing: ContextTiming;
  #facts: ContextFacts = { enabled: true, folderUris: [], trusted: null, exclude: [], clipboard: false };
  #refreshTimer: NodeJS.Timeout | null = null;
  /** The place of each open document's last prompt, by key. */
  readonly #places = new Map<string, Place>();
  /** Key of the document that the user works in. The next quiet moment serves it. */
  #active: string | null = null;

  constructor(log: Log, timing: ContextTiming = DEFAULT_TIMING) {
    this.#timing = timing;
    this.#admission = new FileAdmission(log);
    this.#secrets = new SecretDocuments(log);
    const { quietMs } = timing;
    this.#queue = new BackgroundQueue({
      quietMs,
      onError: (error) => log.warn(`Context could not be read: ${describeError(error)}`),
    });
    this.#documents = new OpenDocuments(
      this.#index,
      this.#admission,
      (isOpen) => new DiskFiles(this.#index, this.#admission, isOpen),
      this.#queue,
      {
        onIndexed: () => this.#scheduleRefresh(),
        onRevoked: (key) => this.#revoke(key),
      },
    );
    // Most valuable first: a deadline leaves out the last ones.
    this.#sources = [
      NOTEBOOK_CELLS,
      this.#defined,
      IMPORTED_DECLARATIONS,
      this.#diagnosed,
      RECENT_EDITS,
      this.#clipboard,
      OPEN_FILES,
      SIMILAR_SNIPPETS,
    ];
  }

  /** Fires with a document's URI when its next prompt shows something else: a good time to prepare that prompt. */
  readonly onDidRefresh = this.#refreshed.event;

  /** Fires with a document's URI when its last prompt showed text that may no longer be shown. */
  readonly onDidRevoke = this.#revoked.event;

  setFacts(facts: ContextFacts): void {
    if (JSON.stringify(facts) === JSON.stringify(this.#facts)) return;
    this.#facts = facts;
    if (!facts.clipboard) this.#clipboard.set('');
    this.#admission.update(facts);
    this.#defined.clear();
    for (const uri of this.#blocks.clear()) this.#revoked.fire(uri);
    this.#documents.reset();
  }

  setClipboard(text: string): void {
    if (this.#facts.clipboard && this.#clipboard.set(text)) this.#scheduleRefresh();
  }

  /** @param messages all current diagnostics of a document */
  setDiagnostics(uri: string, messages: readonly string[]): void {
    const { key } = locationOf(uri);
    if (!this.#documents.has(key)) return;
    this.#diagnosed.set(uri, messages);
    if (key === this.#active) this.#scheduleRefresh();
  }

  /** @param definitions of the names around the cursor, as the editor's language servers know them */
  setDefinitions(uri: string, definitions: readonly NamedDefinition[]): void {
    if (!this.#facts.enabled || !this.#documents.has(locationOf(uri).key)) return;
    const files = this.#defined.set(uri, definitions);
    if (files.length === 0) return;
    this.#documents.refer(uri, files, () => this.#defined.prune((key) => this.#index.get(key) !== null));
  }

  update(event: DocumentEvent): void {
    this.#queue.disturb();
    switch (event.kind) {
      case 'open':
        this.#documents.open(event.document);
        this.#secrets.open(event.document.uri);
        break;
      case 'change':
        this.#documents.change(event.uri);
        break;
      case 'close':
        this.#documents.close(event.uri);
        this.#secrets.close(event.uri);
        this.#blocks.delete(locationOf(event.uri).key);
        this.#places.delete(locationOf(event.uri).key);
        this.#diagnosed.forget(event.uri);
        this.#defined.forget(event.uri);
        break;
    }
    this.#scheduleRefresh();
  }

  visited(uri: string): void {
    const { key } = locationOf(uri);
    if (key === this.#active) return;
    this.#active = key;
    this.#documents.visit(uri);
    this.#scheduleRefresh();
  }

  /**
   * What a prompt at this place shows of other files. It is the same block as last time, unless a quiet moment has
   * found something new or a file may no longer be shown. Never waits; sources that are not ready at the deadline are
   * left out.
   *
   * @param offset in UTF-16 units
   */
  contextFor(
    document: ContextDocument,
    offset: number,
    budgetTokens: number,
    deadlineMs = DEFAULT_DEADLINE_MS,
  ): ContextBlock {
    if (!this.#facts.enabled) return EMPTY_CONTEXT;
    const { key } = locationOf(document.uri);
    this.visited(document.uri);
    const place = { document, offset, budgetTokens };
    if (this.#places.get(key)?.offset !== offset) this.#scheduleRefresh();
    if (this.#documents.has(key)) this.#places.set(key, place);
    const shown = this.#blocks.get(key);
    if (shown !== null && shown.budgetTokens === budgetTokens) return shown.block;

    const deadline = performance.now() + deadlineMs;
    const query = this.#query(place, () => performance.now() >= deadline);
    const candidates: ContextCandidate[] = [];
    for (const source of this.#sources) {
      if (query.expired()) break;
      candidates.push(...source.find(query));
    }
    return this.#show(place, query, candidates).block;
  }

  /** Whether a document, or what a link to it leads to, is named like one with secrets. Answers at once. */
  mayHoldSecrets(uri: string): boolean {
    return this.#secrets.mayHoldSecrets(uri);
  }

  /** What the last prompt in a document showed; null without one. */
  lastBlock(uri: string): ContextBlock | null {
    return this.#blocks.get(locationOf(uri).key)?.block ?? null;
  }

  /** Definitions that the last prompt in a document showed. */
  lastDefinitions(uri: string): readonly ContextSnippet[] {
    const snippets = this.lastBlock(uri)?.snippets ?? [];
    return snippets.filter(({ why }) => why === 'definition' || why === 'importedDeclaration');
  }

  /** A document's name in prompts. */
  nameOf(uri: string): string {
    const location = locationOf(uri);
    return nameOf(location, this.#admission.folderOf(location));
  }

  /** Whether prompts for other documents, or the chat, may show this text of a document. */
  async mayShow(uri: string, text: string): Promise<boolean> {
    return this.#facts.enabled && (await this.admits(uri, text));
  }

  /** Whether Inkling may look at this text of a document that the user is not in, for itself or for the model. */
  async admits(uri: string, text: string): Promise<boolean> {
    return this.#admission.admitsText(text) && (await this.#admission.admits(locationOf(uri)));
  }

  dispose(): void {
    this.#queue.dispose();
    if (this.#refreshTimer !== null) clearTimeout(this.#refreshTimer);
    this.#blocks.clear();
    this.#places.clear();
    this.#index.clear();
  }

  #show(place: Place, query: ContextQuery, candidates: readonly ContextCandidate[]): ShownContext {
    const location = locationOf(place.document.uri);
    const folder = this.#admission.folderOf(location);
    return this.#blocks.show(location.key, {
      uri: place.document.uri,
      candidates,
      budgetTokens: place.budgetTokens,
      shownLines: query.nearbyLines,
      repository: folder === null ? null : folder.slice(folder.lastIndexOf('/') + 1) || null,
      languageId: place.document.languageId,
      stillHolds: ({ fileKey, text }) => fileKey !== null && this.#holds(fileKey, text),
    });
  }

  #query({ document, offset }: Place, expired: () => boolean): ContextQuery {
    const { key } = locationOf(document.uri);
    const { lines, cursorLine } = nearbyLines(document.text, offset);
    return {
      key,
      uri: document.uri,
      languageId: document.languageId,
      family: familyOf(document.languageId),
      current: this.#index.get(key),
      nearbyLines: lines,
      cursorLine,
      files: this.#index.files.filter((file) => file.key !== key),
      fileByKey: (other) => this.#index.get(other),
      expired,
    };
  }

  /** Whether a file still contains a snippet word for word. */
  #holds(fileKey: string, text: string): boolean {
    const file = this.#index.get(fileKey);
    if (file === null) return false;
    const [first = '', ...others] = text.split('\n').slice(0, -1);
    for (let line = file.lines.indexOf(first); line >= 0; line = file.lines.indexOf(first, line + 1)) {
      if (others.every((other, index) => file.lines[line + 1 + index] === other)) return true;
    }
    return file.declarations.some((declaration) => declaration.text === text);
  }

  #revoke(key: string): void {
    this.#defined.prune((other) => other !== key);
    for (const uri of this.#blocks.revoke(key)) this.#revoked.fire(uri);
  }

  #scheduleRefresh(): void {
    if (this.#refreshTimer !== null) clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => {
      this.#refreshTimer = null;
      // Runs after all pending reads.
      this.#queue.enqueue('refresh', (turn) => this.#refresh(turn));
    }, this.#timing.refreshMs);
    this.#refreshTimer.unref();
  }

  async #refresh(turn: Turn): Promise<void> {
    const key = this.#active;
    const facts = this.#facts;
    if (key === null || !facts.enabled) return;
    for (const fileKey of new Set(this.#blocks.get(key)?.chosen.map((snippet) => snippet.fileKey))) {
      await turn();
      if (fileKey !== null) await this.#documents.renew(fileKey, turn);
    }
    const place = this.#places.get(key);
    if (place === undefined) return;
    const candidates: ContextCandidate[] = [];
    let sliceEnd = 0;
    const query = this.#query(place, () => performance.now() >= sliceEnd);
    for (const source of this.#sources) {
      await turn();
      sliceEnd = performance.now() + SOURCE_SLICE_MS;
      candidates.push(...source.find(query));
    }
    await turn();
    // The user has moved on meanwhile, or other rules apply; another refresh will follow.
    if (this.#active !== key || !this.#places.has(key) || this.#facts !== facts) return;
    const before = this.#blocks.get(key)?.block;
    // A document may have been closed since a source found it.
    const known = candidates.filter(({ fileKey }) => fileKey === null || this.#index.get(fileKey) !== null);
    const shown = this.#show(place, query, known);
    if (shown.block !== before) this.#refreshed.fire(place.document.uri);
    // Rules may have changed since a file was read: .gitignore, or the target of a link.
    for (const fileKey of new Set(shown.chosen.map((snippet) => snippet.fileKey))) {
      await turn();
      if (fileKey !== null && !(await this.#admission.admits(locationOfKey(fileKey)))) {
        this.#index.remove(fileKey);
        this.#revoke(fileKey);
      }
    }
  }
}
