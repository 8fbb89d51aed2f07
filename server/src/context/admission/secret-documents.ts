import { describeError } from '../../util/describe-error.js';
import { errorCode } from '../../util/error-code.js';
import type { Log } from '../../util/log.js';
import { canBePath, locationOf } from '../files/file-location.js';
import { realPath } from './real-path.js';
import { hasSecretName } from './secret-files.js';

/** Schemes of documents whose path this machine's disk knows. */
const ON_DISK = new Set(['file', 'vscode-notebook-cell']);

/**
 * Which open documents may hold secrets: by their names, and by those of the files that links lead to. A link is
 * followed when its document opens. Until that is done, or if it fails, the document counts as secret.
 */
export class SecretDocuments {
  /** By URI, while a document is open. A document that opens again is another one. */
  readonly #documents = new Map<string, { holdsSecrets: boolean }>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  open(uri: string): void {
    const { scheme, path } = locationOf(uri);
    const document = { holdsSecrets: hasSecretName(path) };
    this.#documents.set(uri, document);
    if (document.holdsSecrets || !ON_DISK.has(scheme) || path === '') return;
    document.holdsSecrets = true;
    if (!canBePath(path)) return;
    // The editor may show what this process may not look at, so nothing else passes for absent.
    realPath(path, isAbsent).then(
      (real) => {
        document.holdsSecrets = hasSecretName(real);
      },
      (error: unknown) => this.#log.warn(`${path} counts as secret: its place is unknown (${describeError(error)})`),
    );
  }

  close(uri: string): void {
    this.#documents.delete(uri);
  }

  /** Answers at once. A document that is not open counts as secret. */
  mayHoldSecrets(uri: string): boolean {
    return this.#documents.get(uri)?.holdsSecrets ?? true;
  }
}

function isAbsent(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
