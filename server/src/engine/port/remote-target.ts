import { type InklingSettings, type RemoteKind, t, withoutTrailingSlashes } from '../../../protocol/index.js';
import { EngineError } from './engine-error.js';

/** A remote server, as the user names it. */
export interface RemoteTarget {
  /** As in the setting; `parseAddress` says what it means. */
  readonly url: string;
  readonly kind: RemoteKind;
  /** Empty for the only model of the server. */
  readonly model: string;
}

export interface RemoteAddress {
  /** Paths such as `/v1/models` are appended to it; no slash at its end. */
  readonly base: string;
  /** Scheme, host and port; an API key belongs to one origin. */
  readonly origin: string;
  /** As users read it: `gpu-box:8080`. */
  readonly host: string;
}

/**
 * Where requests go. A path is kept, for servers behind a reverse proxy. `/v1` at its end is removed: other programs
 * expect it in an address, and our paths contain it.
 *
 * @throws EngineError `remoteNotFound`, in words for the user
 */
export function parseAddress(text: string): RemoteAddress {
  const trimmed = text.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url === null || url.hostname === '') throw notAnAddress(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notAnAddress(text);
  if (url.username !== '' || url.password !== '') {
    throw new EngineError(
      'remoteNotFound',
      t('inkling.remote.url must not contain a user name or password. Run "Inkling: Set Remote API Key" instead'),
    );
  }
  const path = withoutTrailingSlashes(url.pathname).replace(/\/v1$/, '');
  return { base: `${url.origin}${path}`, origin: url.origin, host: url.host };
}

/** The host as users read it, or the whole text if it is no address. */
export function hostOf({ url }: RemoteTarget): string {
  try {
    return parseAddress(url).host;
  } catch {
    return url;
  }
}

/** The remote server that the settings name; null for this machine. */
export function remoteRequest({
  remoteUrl: url,
  remoteKind: kind,
  remoteModel: model,
}: InklingSettings): { readonly path: string; readonly remote: RemoteTarget } | null {
  return url === '' ? null : { path: url, remote: { url, kind, model } };
}

function notAnAddress(text: string): EngineError {
  const message = t('inkling.remote.url is "{0}". Enter an address such as http://gpu-box:8080', text.trim());
  return new EngineError('remoteNotFound', message);
}
