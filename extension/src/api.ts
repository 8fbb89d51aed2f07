import type { InklingStatus } from '../../server/protocol/index.js';
import type { AcceptEvent } from './inline-completion.js';

/** What `activate` returns: enough for a test, or another extension, to see what Inkling is doing. */
export interface InklingApi {
  /** Own time of `activate`, in milliseconds. */
  readonly activationMs: number;
  status(): InklingStatus;
  /** Process id of the server; null while none runs. */
  serverPid(): number | null;
  /** The last suggestion, or part of one, that the user accepted. */
  lastAccepted(): AcceptEvent | null;
}
