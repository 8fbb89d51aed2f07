import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  HTTP_SETTINGS,
  type HttpSettings,
  originOf,
  readHttpSettings,
  refuseAddress,
  serverVariables,
} from '../../../../extension/src/remote/server-variables.js';

const HTTP: HttpSettings = { proxy: '', proxySupport: 'override', noProxy: [], systemCertificates: false };

describe("VS Code's settings for connections", () => {
  const noProxy = (value: unknown) => readHttpSettings((key) => (key === 'noProxy' ? value : undefined)).noProxy;

  it.each([
    [
      ['a.com', '.local'],
      ['a.com', '.local'],
    ],
    ['a.com, .local', ['a.com', '.local']],
    ['a.com;b.com', ['a.com', 'b.com']],
    ['', []],
    [undefined, []],
    [null, []],
    [7, []],
    [{ 'a.com': true }, []],
    [['a.com', 7, null, '', ['b.com']], ['a.com']],
  ])('noProxy may be %j', (value, expected) => {
    expect(noProxy(value)).toEqual(expected);
  });

  it.each([[undefined], [null], [7], [[]], [{}], ['on']])(
    'others may be %j: the variables are those of no setting',
    (value) => {
      const settings = readHttpSettings((key) => (key === 'proxySupport' ? value : undefined));
      expect(serverVariables({ ...settings, systemCertificates: false }, null)).toEqual({});
    },
  );

  it('are all known, so that a change of any starts a server with the new ones', () => {
    const read: string[] = [];
    readHttpSettings((key) => void read.push(`http.${key}`));
    expect(read.sort()).toEqual([...HTTP_SETTINGS].sort());
  });

  it('never make variables with which no process starts', () => {
    const variables = serverVariables(
      readHttpSettings(() => 'http://a\0b'),
      null,
    );
    expect(Object.values(variables).join()).not.toContain('\0');
    expect(variables.HTTP_PROXY).toBe('http://ab');
  });

  it.each([
    ['a list', Array.from({ length: 10_000 }, (_, index) => `${index}.example.com`)],
    ['a text', Array.from({ length: 10_000 }, (_, index) => `${index}.example.com`).join()],
    ['one name', 'a'.repeat(2 ** 20)],
  ])('start a process however long they are: %s', (_name, value) => {
    const settings = readHttpSettings((key) => (key === 'proxySupport' ? 'override' : value));
    const program = ['-e', 'console.log(process.env.NO_PROXY ?? "")'];
    const env = { SystemRoot: process.env.SystemRoot, ...serverVariables(settings, null) };
    const started = spawnSync(process.execPath, program, { env, encoding: 'utf8' });
    expect(started.error).toBeUndefined();
    const [first = ''] = started.stdout.trim().split(',');
    expect(first).toBe(value.length === 2 ** 20 ? '' : '0.example.com');
  });
});

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

it.each([
  ['', null],
  ['http://gpu-box:8080', null],
  ['gpu-box:8080', null],
  ['ftp://gpu-box', 'An address such as'],
  ['http://me:secret@gpu-box:8080', 'without a user name or password'],
  ['me@gpu-box', 'without a user name or password'],
])('an entered address %j is refused, or is written into the settings', (text, refusal) => {
  expect(refuseAddress(text)).toEqual(refusal === null ? null : expect.stringContaining(refusal));
});
