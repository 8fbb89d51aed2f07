import type { Connection, InitializeParams, WorkspaceFolder } from 'vscode-languageserver';
import { Emitter } from '../util/emitter.js';

/** The URIs of the client's workspace folders, updated if the client reports changes. */
export class WorkspaceFolders {
  readonly #changed = new Emitter<void>();
  #uris: readonly string[] = [];

  readonly onDidChange = this.#changed.event;

  get uris(): readonly string[] {
    return this.#uris;
  }

  initialize(params: InitializeParams): void {
    const folders = params.workspaceFolders ?? (params.rootUri ? [{ uri: params.rootUri, name: '' }] : []);
    this.#uris = urisOf(folders);
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

function urisOf(folders: readonly WorkspaceFolder[]): string[] {
  return folders.map(({ uri }) => uri);
}
