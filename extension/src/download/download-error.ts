import { t } from '../../../server/protocol/index.js';

/** The kinds of download failures; each kind gets its own remedy. */
export type DownloadErrorKind =
  /** The repository requires an access token, or one with more rights. */
  | 'unauthorized'
  | 'notFound'
  /** The connection failed repeatedly, or stalled. */
  | 'network'
  /** The server answered with something that is not part of the file. */
  | 'server'
  /** The file on the server is not the described one, or has changed since the download began. */
  | 'changed'
  | 'wrongHash'
  | 'diskFull'
  /** The file cannot be written for another reason. */
  | 'disk'
  /** Refused before any request. */
  | 'invalidSource'
  /** The header shows that the model cannot be used here. */
  | 'unusable'
  /** Another window is downloading the same file. */
  | 'busyElsewhere';

/** What prevents access where the kind is `unauthorized`. */
export type AccessProblem =
  /** The user has to accept conditions, and to say who they are. */
  | 'conditions'
  /** There is no such repository, or it is private: a host says the same of both. */
  | 'hidden'
  /** The token that is stored for the host. */
  | 'token';

interface DownloadErrorDetails {
  readonly transient?: boolean;
  readonly origin?: string | null;
  readonly access?: AccessProblem;
  readonly cause?: unknown;
}

/** Messages are whole sentences for the user. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly kind: DownloadErrorKind;
  /** Whether the same request may succeed a little later. */
  readonly transient: boolean;
  /** The host that wants an access token, for `unauthorized`. */
  readonly origin: string | null;
  readonly access: AccessProblem;

  constructor(
    kind: DownloadErrorKind,
    message: string,
    { transient = false, origin = null, access = 'conditions', cause }: DownloadErrorDetails = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.transient = transient;
    this.origin = origin;
    this.access = access;
  }
}

/** Why anything thrown was thrown, as text for the user. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Converts anything thrown by file access or requests. */
export function toDownloadError(thrown: unknown): DownloadError {
  if (thrown instanceof DownloadError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new DownloadError('diskFull', t('The disk is full. The partial download is kept.'), { cause: thrown });
  }
  return new DownloadError('disk', t('The model cannot be saved: {0}', reasonOf(thrown)), { cause: thrown });
}
