import type { Transport } from './lsp/connection/connection.js';

export interface ServerOptions {
  readonly transport: Transport;
  /** The file that this process runs, for processes that help it. */
  readonly program: string;
  /** The program of the process that renders chat templates. */
  readonly templateWorker: string;
  /** Where the `.node` files are. */
  readonly nativeDirectory: string;
  /** Where the tree-sitter grammars are. */
  readonly grammarsDirectory: string;
  /** The GGUF that serves until the user chooses another one. */
  readonly starterModelPath: string;
  readonly version: string;
  /** A folder for what the server remembers between sessions, on this machine only; null remembers nothing. */
  readonly stateDirectory: string | null;
  readonly environment: NodeJS.ProcessEnv;
}
