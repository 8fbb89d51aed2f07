import { t } from '../../../server/protocol/index.js';

/** Every way in which a download can fail, so that whoever shows it can offer what helps. */
export type DownloadErrorKind =
  /** The repository wants an access token, or one with more rights. */
  | 'unauthorized'
  | 'notFound'
  /** The connection broke, stalled, or could not be made, again and again. */
  | 'network'
  /** The server answered, with something that is no part of the file. */
  | 'server'
  /** The file on the server is not the one that the repository describes, or not the one that was begun. */
  | 'changed'
  | 'wrongHash'
  | 'diskFull'
  /** A file cannot be written for another reason. */
  | 'disk'
  /** Refused before anything was sent. */
  | 'invalidSource'
  /** The header has arrived, and the model cannot be used here. */
  | 'unusable'
  /** Another window downloads the same file. */
  | 'busyElsewhere';

/** Messages are whole sentences for the user. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly kind: DownloadErrorKind;
  /** Whether the same request may well succeed a little later. */
  readonly transient: boolean;

  constructor(
    kind: DownloadErrorKind,
    message: string,
    { transient = false, cause }: { readonly transient?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.transient = transient;
  }
}

/** Anything that was thrown while files were written or requests made. */
export function toDownloadError(thrown: unknown): DownloadError {
  if (thrown instanceof DownloadError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new DownloadError('diskFull', t('The disk is full. The partial download is kept.'), { cause: thrown });
  }
  return new DownloadError('disk', t('The model cannot be saved: {0}', reason), { cause: thrown });
}
