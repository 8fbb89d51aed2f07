import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { RemoteEngine } from '../../../../../../server/src/engine/remote/remote-engine.js';
import { SILENT } from '../../../scripted-engine.js';

const never = new AbortController().signal;

async function failureThrough(proxy: string, url: string): Promise<unknown> {
  const engine = new RemoteEngine({ origin: '', key: '' }, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }, SILENT);
  return engine
    .load({ path: url, remote: { url, kind: 'auto', model: '' } }, () => undefined, never)
    .then(
      () => null,
      (error: unknown) => error,
    );
}

/** A port of this machine where nobody listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
  return address.port;
}

it.each(['http', 'https'])('says that the proxy refused the connection, and not the host: %s', async (scheme) => {
  const port = await closedPort();
  expect(await failureThrough(`http://127.0.0.1:${port}`, `${scheme}://engine.example.com`)).toMatchObject({
    code: 'remoteUnreachable',
    message: `The proxy 127.0.0.1:${port} refused the connection: no server is listening`,
  });
});

it.each(['socks5h://proxy.example:1080', 'http://user:p%ss@proxy.example:3128'])(
  'names a proxy that cannot be used, without its password: %s',
  async (proxy) => {
    const failure = await failureThrough(proxy, 'https://engine.example.com');
    expect(failure).toMatchObject({
      code: 'remoteNotFound',
      message: expect.stringMatching(/^The proxy proxy\.example:\d+ cannot be used: ./),
    });
    expect(String(failure)).not.toContain('p%ss');
  },
);
