import type { Connection, InitializeParams } from 'vscode-languageserver';
import { isRecord, isText } from '../../../protocol/index.js';
import { Emitter } from '../../util/emitter.js';

/** The URIs of the client's workspace folders, updated if the client reports changes. */
export class WorkspaceFolders {
  readonly #changed = new Emitter<void>();
  #uris: readonly string[] = [];

  readonly onDidChange = this.#changed.event;

  get uris(): readonly string[] {
    return this.#uris;
  }

  initialize(params: InitializeParams): void {
    this.#uris = urisOf(params.workspaceFolders ?? [{ uri: params.rootUri, name: '' }]);
    this.#changed.fire();
  }

  /** Only for a client with the capability: registering anything else is an error. */
  followChanges(connection: Connection): void {
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      const removedUris = new Set(urisOf(removed));
      this.#uris = [...this.#uris.filter((uri) => !removedUris.has(uri)), ...urisOf(added)];
      this.#changed.fire();
    });
  }
}

/** A client may send anything. */
function urisOf(folders: unknown): string[] {
  if (!Array.isArray(folders)) return [];
  return folders.flatMap((folder: unknown) =>
    isRecord(folder) && isText(folder.uri) && folder.uri !== '' ? [folder.uri] : [],
  );
}
