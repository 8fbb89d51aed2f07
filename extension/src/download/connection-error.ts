import { t } from '../../../server/protocol/index.js';
import { DownloadError } from './download-error.js';

/** Codes of Node and of Chromium, through which VS Code may send requests. */
const UNREACHABLE =
  /^(ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|EHOSTDOWN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_NAME_NOT_RESOLVED|ERR_INTERNET_DISCONNECTED|ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION_(REFUSED|TIMED_OUT)|ERR_(PROXY|TUNNEL)_CONNECTION_FAILED)$/;
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS/;

/** What prevents a connection, and what the user can do about it. */
export function connectionError(thrown: unknown, host: string): DownloadError {
  const { code, message } = rootOf(thrown);
  if (UNTRUSTED.test(code)) {
    const text = t(
      'The certificate of {0} is not trusted ({1}). Add its certificate authority to those of the system.',
      host,
      code,
    );
    return new DownloadError('network', text, { cause: thrown });
  }
  const text = UNREACHABLE.test(code)
    ? t('{0} cannot be reached ({1}). Check the network and the setting http.proxy.', host, code)
    : t('The connection to {0} failed: {1}.', host, message || code);
  return new DownloadError('network', text, { transient: true, cause: thrown });
}

/** `fetch failed` explains nothing; its cause does. Of a host with several addresses the cause has a code and no message. */
function rootOf(thrown: unknown): { readonly code: string; readonly message: string } {
  if (!(thrown instanceof Error)) return { code: '', message: String(thrown) };
  if (thrown.cause instanceof Error) return rootOf(thrown.cause);
  const named = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  const code = named || (/\bnet::(ERR_\w+)/.exec(thrown.message)?.[1] ?? '');
  return { code, message: thrown.message };
}
