import { expect, it } from 'vitest';
import { DownloadError } from '../../../../extension/src/download/download-error.js';
import { HttpClient } from '../../../../extension/src/download/http-client.js';

const HUB = 'https://huggingface.co';

/** What a user reads whose connection fails in this way. */
async function refusal(cause: unknown): Promise<DownloadError> {
  const client = new HttpClient({
    ...{ tokenOrigin: HUB, token: async () => null, stallMs: 60_000 },
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  });
  const signal = new AbortController().signal;
  const thrown: unknown = await client.get({ url: `${HUB}/a`, signal }).catch((error: unknown) => error);
  if (!(thrown instanceof DownloadError)) throw new Error('it is no DownloadError');
  return thrown;
}

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

it.each([
  ['offline', failure('getaddrinfo ENOTFOUND huggingface.co', 'ENOTFOUND'), 'ENOTFOUND'],
  ['offline, as Chromium says it', failure('net::ERR_INTERNET_DISCONNECTED'), 'ERR_INTERNET_DISCONNECTED'],
  [
    'behind a firewall, with several addresses',
    Object.assign(new AggregateError([failure('connect ETIMEDOUT 1.2.3.4:443', 'ETIMEDOUT')]), { code: 'ETIMEDOUT' }),
    'ETIMEDOUT',
  ],
])('says what to look at: %s', async (_name, cause, code) => {
  const error = await refusal(cause);
  expect(error.message).toBe(
    `huggingface.co cannot be reached (${code}). Check the network and the setting http.proxy.`,
  );
  expect(error.transient).toBe(true);
});

it('says that a certificate is not trusted, and does not try again', async () => {
  const { message, transient } = await refusal(
    failure('unable to get local issuer certificate', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
  );
  expect(message).toContain('is not trusted (UNABLE_TO_GET_ISSUER_CERT_LOCALLY). Add its certificate authority');
  expect(transient).toBe(false);
});

it('repeats what it does not know', async () => {
  expect((await refusal(failure('other side closed', 'UND_ERR_SOCKET'))).message).toBe(
    'The connection to huggingface.co failed: other side closed.',
  );
});
