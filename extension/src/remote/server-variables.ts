/** What VS Code's own settings say of connections. */
export interface HttpSettings {
  /** `http.proxy`; empty for what the environment says. */
  readonly proxy: string;
  /** `http.proxySupport`. */
  readonly proxySupport: string;
  /** `http.noProxy`. */
  readonly noProxy: readonly string[];
  /** `http.systemCertificates`. */
  readonly systemCertificates: boolean;
}

/** An API key with the scheme, host and port that it is for. */
export interface KeyForOrigin {
  readonly origin: string;
  readonly key: string;
}

/**
 * Environment variables that tell the server process what VS Code knows of connections, and the API key: variables are
 * in no log, as settings and messages may be.
 */
export function serverVariables(http: HttpSettings, key: KeyForOrigin | null): Readonly<Record<string, string>> {
  const { proxy, proxySupport, noProxy, systemCertificates } = http;
  const variables: Record<string, string> = {};
  if (proxySupport === 'off') {
    // Empty is none, whatever the environment says.
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) variables[name] = '';
  } else if (proxy !== '') {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) variables[name] = proxy;
  }
  if (noProxy.length > 0) {
    variables.NO_PROXY = noProxy.join(',');
    variables.no_proxy = variables.NO_PROXY;
  }
  // Node 22 and newer heeds it: authorities that the system trusts, beside Node's own.
  if (systemCertificates) variables.NODE_USE_SYSTEM_CA = '1';
  if (key !== null) {
    variables.INKLING_REMOTE_KEY = key.key;
    variables.INKLING_REMOTE_ORIGIN = key.origin;
  }
  return variables;
}

/** Scheme, host and port of an address as `inkling.remote.url` holds it; null for what is none. */
export function originOf(url: string): string | null {
  const trimmed = url.trim();
  if (trimmed === '') return null;
  const named = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(named)) return null;
  const { protocol, origin, hostname } = new URL(named);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '' ? origin : null;
}
