import type { CompletionService } from '../../completion/completion-service.js';
import type { CompletionRequest } from '../../completion/request/completion-request.js';
import type { EngineClient } from '../../engine/lifecycle/engine-client.js';
import type { ModelFacts } from '../../engine/port/model-facts.js';
import type { FollowedDocuments } from './documents.js';
import { requestAt } from './snapshot.js';
import type { WorkspaceFolders } from './workspace-folders.js';

/**
 * Notices which document the user looks at, and has the first key there prepared: when it is shown, and once a model that
 * was still loading is ready.
 */
export class ShownDocuments {
  readonly #documents: Pick<FollowedDocuments, 'get' | 'onDidOpen'>;
  readonly #folders: Pick<WorkspaceFolders, 'uris'>;
  readonly #service: Pick<CompletionService, 'documentShown'>;
  #reportsCursor = false;
  #last: { readonly uri: string; readonly version: number; readonly offset: number } | null = null;
  #facts: ModelFacts | null = null;

  constructor(
    documents: Pick<FollowedDocuments, 'get' | 'onDidOpen'>,
    folders: Pick<WorkspaceFolders, 'uris'>,
    service: Pick<CompletionService, 'documentShown'>,
    client: Pick<EngineClient, 'facts' | 'onDidChange'>,
  ) {
    this.#documents = documents;
    this.#folders = folders;
    this.#service = service;
    // Most editors open a document when they show it, at its start.
    documents.onDidOpen(({ document }) => {
      if (!this.#reportsCursor) this.cursorAt(requestAt(document, 0, 'prepared', folders.uris));
    });
    client.onDidChange(() => {
      const { facts } = client;
      if (facts === this.#facts) return;
      this.#facts = facts;
      if (facts !== null) this.#showAgain();
    });
  }

  /** Our own extension opens documents that nobody sees, and reports the cursor. */
  clientReportsCursor(): void {
    this.#reportsCursor = true;
  }

  cursorAt(request: CompletionRequest): void {
    const { document, offset } = request;
    const isShownAnew = document.uri !== this.#last?.uri;
    this.#last = { uri: document.uri, version: document.version, offset };
    if (isShownAnew) this.#service.documentShown(request);
  }

  /** Not in a document that the user has typed in since: the next key there prepares for itself. */
  #showAgain(): void {
    const document = this.#last === null ? undefined : this.#documents.get(this.#last.uri);
    if (document === undefined || this.#last === null || document.version !== this.#last.version) return;
    this.#service.documentShown(requestAt(document, this.#last.offset, 'prepared', this.#folders.uris));
  }
}
