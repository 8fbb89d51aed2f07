import { t } from '../../../../protocol/index.js';
import { listOf, objectOf, shownText } from '../../../util/json.js';
import { EngineError } from '../../port/engine-error.js';

/**
 * Explains a missing or partial answer.
 *
 * @param host as users read it
 * @param peer whom the connection is to: the host, or the proxy on the way to it
 */
export function connectionError(thrown: unknown, host: string, limits: TimeLimits, peer = host): EngineError {
  if (thrown instanceof EngineError) return thrown;
  const { code, detail } = causeOf(thrown);
  const fail = (sentence: string) => new EngineError('remoteUnreachable', sentence, { cause: thrown });
  switch (code) {
    case 'ECONNREFUSED':
      return fail(t('{0} refused the connection: no server is listening', peer));
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(t('{0} cannot be found: the host name is unknown', peer));
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
      return fail(t('{0} cannot be reached ({1})', peer, code === 'UND_ERR_CONNECT_TIMEOUT' ? 'ETIMEDOUT' : code));
    case 'UND_ERR_HEADERS_TIMEOUT':
      return fail(t('{0} did not start to answer within {1} s', host, seconds(limits.firstByteMs)));
    case 'UND_ERR_BODY_TIMEOUT':
      return broken(t('{0} stopped answering: no data for {1} s', host, seconds(limits.stallMs)), thrown);
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return fail(t('{0} closed the connection before the answer was complete', host));
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return fail(t('{0} does not support https. Try an address that starts with http://', host));
    default:
      if (CERTIFICATE_ERRORS.test(code)) {
        return fail(
          t(
            'The certificate of {0} is not trusted ({1}). Set NODE_EXTRA_CA_CERTS to the file of its certificate authority',
            host,
            code,
          ),
        );
      }
      return fail(t('The request to {0} failed: {1}', host, shownText(detail)));
  }
}

const CERTIFICATE_ERRORS = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS/;

export interface TimeLimits {
  readonly firstByteMs: number;
  readonly stallMs: number;
}

/** Explains an answer with an error status. @param body the answer's text, as far as it was read */
export function statusError(status: number, location: string | null, body: string, host: string): EngineError {
  const said = messageIn(body);
  const answer = said === '' ? String(status) : `${status}: ${shownText(said)}`;
  if (status >= 300 && status < 400) {
    const target = shownText(location ?? '?');
    return broken(t('{0} redirects to {1}. Inkling never sends data to another host', host, target), null);
  }
  switch (status) {
    case 401:
    case 403:
      return new EngineError('remoteUnauthorized', t('{0} rejected the API key or requires one ({1})', host, answer));
    case 404:
      return new EngineError('remoteNotFound', t('{0} does not have the requested model or page ({1})', host, answer));
    case 502:
    case 503:
    case 504:
      return new EngineError('remoteUnreachable', t('{0} is not ready ({1})', host, answer));
    default:
      return broken(t('{0} returned an error ({1})', host, answer), null);
  }
}

/** An answer came that does not follow the protocol. */
export function protocolError(host: string, what: string, cause: unknown = null): EngineError {
  return broken(t('{0} sent an unexpected answer: {1}', host, what), cause);
}

/** An error that the server reports in the middle of a stream, in its own words. */
export function reportedError(host: string, message: string): EngineError {
  return broken(t('{0} failed: {1}', host, shownText(message)), null);
}

/** The message in an error that a server sends as JSON: OpenAI's form, Ollama's and FastAPI's two; empty without one. */
export function messageIn(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return errorMessageOf(parsed) ?? '';
  } catch {
    // Proxies answer with HTML pages, which tell users nothing.
    return /^\s*</.test(body) ? '' : body.trim();
  }
}

/** Null for a value that reports no error. */
export function errorMessageOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const { error, detail, message, object } = value as Record<string, unknown>;
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null) {
    const { message: inner } = error as { readonly message?: unknown };
    return typeof inner === 'string' ? inner : JSON.stringify(error);
  }
  if (typeof detail === 'string') return detail;
  if (Array.isArray(detail)) return firstProblem(detail);
  const isError = object === 'error' || (error !== undefined && error !== null && error !== false);
  return isError && typeof message === 'string' ? message : null;
}

/** What is wrong with a request, and in which field: FastAPI lists all that it finds. */
function firstProblem([first]: readonly unknown[]): string | null {
  const { loc, msg } = objectOf(first);
  const field = listOf(loc)
    .filter((part) => typeof part === 'string')
    .join('.');
  return typeof msg !== 'string' ? null : field === '' ? msg : `${field}: ${msg}`;
}

function broken(sentence: string, cause: unknown): EngineError {
  return new EngineError('remoteFailed', sentence, cause === null ? {} : { cause });
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

/** Node wraps the reasons: after attempts at several addresses, there is one for each. */
function causeOf(thrown: unknown): { readonly code: string; readonly detail: string } {
  for (let error: unknown = thrown; error instanceof Error; ) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'string') return { code, detail: error.message };
    const [first] = error instanceof AggregateError ? error.errors : [error.cause];
    if (!(first instanceof Error)) return { code: '', detail: error.message };
    error = first;
  }
  return { code: '', detail: String(thrown) };
}
