import type { InklingStatus } from '../../server/protocol/index.js';
import type { AcceptEvent } from './suggestions/inline-completion.js';

/** The result of `activate`: lets tests and other extensions follow what Inkling does. */
export interface InklingApi {
  /** What `activate` itself took of the processor, in milliseconds. Other programs hardly change it. */
  readonly activationMs: number;
  status(): InklingStatus;
  /** Process id of the server; null without one. */
  serverPid(): number | null;
  /** The last suggestion, or part of one, that the user accepted. */
  lastAccepted(): AcceptEvent | null;
}
