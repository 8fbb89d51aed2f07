import { isIP } from 'node:net';

/**
 * The proxy for an address, by the usual variables: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in capitals or not. Names
 * that only a private network knows never go through a proxy.
 *
 * @returns the proxy's address; null for none
 */
export function proxyFor(address: string, environment: NodeJS.ProcessEnv): string | null {
  const url = new URL(address);
  const variable = (name: string) => (environment[name.toLowerCase()] || environment[name] || '').trim();
  const proxy = url.protocol === 'https:' ? variable('HTTPS_PROXY') : variable('HTTP_PROXY');
  if (proxy === '' || isLocalName(url.hostname) || isExcepted(url, variable('NO_PROXY'))) return null;
  const named = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  return URL.canParse(named) ? named : null;
}

/** Names without dots, `localhost`, `.local` and the like, and addresses of this machine or of private networks. */
export function isLocalName(hostname: string): boolean {
  const name = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  switch (isIP(name)) {
    case 4:
      return PRIVATE_IPV4.test(name);
    case 6:
      return name === '::1' || PRIVATE_IPV6.test(name);
    default:
      return !name.includes('.') || PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix));
  }
}

const PRIVATE_SUFFIXES = ['.localhost', '.local', '.lan', '.internal', '.home.arpa'];
/** This machine, private networks (RFC 1918), link-local addresses, and those of overlay networks (RFC 6598). */
const PRIVATE_IPV4 =
  /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
/** Unique local and link-local addresses, and IPv4's loopback mapped. */
const PRIVATE_IPV6 = /^(f[cd]|fe[89ab]|::ffff:(127\.|7f))/;

/**
 * Exceptions are `*` for all, or names with their subdomains: `name`, `.name` or `*.name`, each perhaps with a port. An IPv6
 * address stands in brackets where it has one.
 */
function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const effectivePort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((each) => each !== '')
    .some((exception) => {
      if (exception === '*') return true;
      const [name, wantedPort] = partsOf(exception);
      if (wantedPort !== undefined && wantedPort !== effectivePort) return false;
      return host === name || host.endsWith(`.${name}`);
    });
}

function partsOf(exception: string): readonly [name: string, port: string | undefined] {
  if (isIP(exception) === 6) return [exception, undefined];
  const [, address, port] = /^\[(.*)\](?::(\d+))?$/.exec(exception) ?? [];
  if (address !== undefined) return [address, port];
  const [, name = '', wantedPort] = /^(.*?)(?::(\d+))?$/.exec(exception.replace(/^\*?\./, '')) ?? [];
  return [name, wantedPort];
}
