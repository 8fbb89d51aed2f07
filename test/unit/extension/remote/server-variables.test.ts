import { describe, expect, it } from 'vitest';
import { type HttpSettings, originOf, serverVariables } from '../../../../extension/src/remote/server-variables.js';

const HTTP: HttpSettings = { proxy: '', proxySupport: 'override', noProxy: [], systemCertificates: false };

describe('the server process gets', () => {
  it('nothing without settings', () => {
    expect(serverVariables(HTTP, null)).toEqual({});
  });

  it('the proxy of the settings, and its exceptions', () => {
    const http = { ...HTTP, proxy: 'http://proxy:3128', noProxy: ['example.com', '.local'] };
    expect(serverVariables(http, null)).toMatchObject({
      HTTP_PROXY: 'http://proxy:3128',
      https_proxy: 'http://proxy:3128',
      NO_PROXY: 'example.com,.local',
    });
  });

  it('no proxy if the settings turn it off, whatever the environment has', () => {
    const http = { ...HTTP, proxy: 'http://proxy:3128', proxySupport: 'off' };
    expect(serverVariables(http, null)).toMatchObject({ HTTP_PROXY: '', HTTPS_PROXY: '' });
  });

  it("the system's certificates", () => {
    expect(serverVariables({ ...HTTP, systemCertificates: true }, null)).toEqual({ NODE_USE_SYSTEM_CA: '1' });
  });

  it('the key with the host that it is for', () => {
    expect(serverVariables(HTTP, { origin: 'http://gpu:1', key: 'k' })).toEqual({
      INKLING_REMOTE_KEY: 'k',
      INKLING_REMOTE_ORIGIN: 'http://gpu:1',
    });
  });
});

it.each([
  ['', null],
  ['  ', null],
  ['gpu-box:8080', 'http://gpu-box:8080'],
  ['https://gpu-box/v1', 'https://gpu-box'],
  ['ftp://gpu-box', null],
  ['http://a b', null],
])('the address %j has the origin %j', (url, origin) => {
  expect(originOf(url)).toBe(origin);
});
