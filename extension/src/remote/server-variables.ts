import { t } from '../../../server/protocol/index.js';

/** VS Code's own settings for connections. */
export interface HttpSettings {
  /** `http.proxy`; empty to use the environment's. */
  readonly proxy: string;
  /** `http.proxySupport`. */
  readonly proxySupport: string;
  /** `http.noProxy`. */
  readonly noProxy: readonly string[];
  /** `http.systemCertificates`. */
  readonly systemCertificates: boolean;
}

/** The names of these settings. */
export const HTTP_SETTINGS = ['http.proxy', 'http.proxySupport', 'http.noProxy', 'http.systemCertificates'] as const;

/**
 * Reads VS Code's settings for connections, which the user may have written in any form.
 *
 * @param get the value below `http`
 */
export function readHttpSettings(get: (key: string) => unknown): HttpSettings {
  return {
    proxy: textOf(get('proxy')),
    proxySupport: textOf(get('proxySupport')),
    noProxy: exceptionsOf(get('noProxy')),
    systemCertificates: get('systemCertificates') !== false,
  };
}

/** The list that VS Code documents, or the text that environment variables hold. */
function exceptionsOf(value: unknown): readonly string[] {
  const text = typeof value === 'string' ? value : '';
  const list: readonly unknown[] = Array.isArray(value) ? value : text.split(/[\s,;]+/);
  const exceptions: string[] = [];
  let left = LONGEST_VARIABLE;
  for (const each of list.map(textOf).filter((named) => named !== '')) {
    left -= each.length + 1;
    if (left < 0) break;
    exceptions.push(each);
  }
  return exceptions;
}

/** In UTF-16 units. Windows allows 32,767 of them, Linux 131,072 bytes: a process does not start with more. */
const LONGEST_VARIABLE = 32_000;

/** Nor does a process start with a variable that contains a NUL. */
function textOf(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_VARIABLE) return '';
  return value.replaceAll('\0', '').trim();
}

/** An API key with its scheme, host and port. */
export interface KeyForOrigin {
  readonly origin: string;
  readonly key: string;
}

/**
 * Environment variables with VS Code's connection settings and the API key for the server process. No log contains
 * variables, whereas settings and messages may be logged.
 */
export function serverVariables(http: HttpSettings, key: KeyForOrigin | null): Readonly<Record<string, string>> {
  const { proxy, proxySupport, noProxy, systemCertificates } = http;
  const variables: Record<string, string> = {};
  if (proxySupport === 'off') {
    // Empty turns the environment's proxies off.
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) variables[name] = '';
  } else if (proxy !== '') {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) variables[name] = proxy;
  }
  if (noProxy.length > 0) {
    variables.NO_PROXY = noProxy.join(',');
    variables.no_proxy = variables.NO_PROXY;
  }
  // Node 22 and newer then trusts the system's authorities besides its own.
  if (systemCertificates) variables.NODE_USE_SYSTEM_CA = '1';
  if (key !== null) {
    variables.INKLING_REMOTE_KEY = key.key;
    variables.INKLING_REMOTE_ORIGIN = key.origin;
  }
  return variables;
}

/** Scheme, host and port of the address in `inkling.remote.url`; null for an invalid address. */
export function originOf(url: string): string | null {
  return parseAddress(url)?.origin ?? null;
}

/** Why an entered address is not written into the settings; null if it is. */
export function refuseAddress(text: string): string | null {
  if (text.trim() === '') return null;
  const address = parseAddress(text);
  if (address === null) return t('An address such as http://gpu-box:8080');
  return address.username === '' && address.password === ''
    ? null
    : t('An address without a user name or password. Run "Inkling: Set Remote API Key" for a key.');
}

function parseAddress(text: string): URL | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const named = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(named)) return null;
  const address = new URL(named);
  const { protocol, hostname } = address;
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '' ? address : null;
}
