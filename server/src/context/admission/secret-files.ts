/** Names of files that contain secrets, matched against the lower-case base name. */
const SECRET_NAMES: readonly RegExp[] = [
  /^\.env/,
  /\.env$/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|gpg|asc|ovpn|tfstate|tfvars|mobileprovision)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /credentials/,
  /^\.?(?:npmrc|pypirc|netrc|htpasswd|pgpass|my\.cnf|git-credentials|dockercfg|vault-token|boto|s3cfg)$/,
  /^_netrc$/,
  /^\.yarnrc/,
  /kubeconfig/,
  /(?:^|[-_.])secrets?$/,
  /^service[-_]?account.*\.json$/,
  /tokens?\.(?:txt|json)$/,
];

const SECRET_WORD = /(?:^|[-_.])secrets?[-_.]/;
const CONFIGURATION = /\.(?:json|ya?ml|toml|ini|conf|cfg|txt|properties|xml|enc)$/;

const SECRET_FOLDERS = /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|gcloud|docker|git)\//;

/** Patterns that only secrets match. Each begins with fixed text, so that searching a file stays cheap. */
const SECRET_TEXT: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bgithub_pat_\w{22,}/,
  /\bglpat-[\w-]{20,}/,
  /\bxox[abeoprs]-[\w-]{10,}/,
  /\bsk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9]{20,}/,
  /\bsk-ant-[\w-]{20,}/,
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\bAIza[\w-]{35}/,
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\bpypi-AgEI[\w-]{20,}/,
  /\bhf_[A-Za-z0-9]{30,}/,
  /\bSG\.[\w-]{20,}\.[\w-]{20,}/,
  /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/,
  /:\/\/[^\s:@/${}<>'"]+:[^\s:@/${}<>'"]{3,}@[\w.-]+/,
];

/** `apiKey = "..."` with a value that is not a word. */
const ASSIGNED =
  /(?:password|passwd|secret|api_?key|access_?key|token|private_?key|client_?secret)["']?\s*(?::|=|=>)\s*["']([^"'\s]{16,})["']/gi;

/** @param path absolute, with forward slashes */
export function hasSecretName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (SECRET_FOLDERS.test(path.toLowerCase()) || SECRET_NAMES.some((pattern) => pattern.test(name))) return true;
  return SECRET_WORD.test(name) && CONFIGURATION.test(name);
}

/** Whether a text contains a private key, or what is clearly a token or password. */
export function holdsSecret(text: string): boolean {
  return SECRET_TEXT.some((pattern) => pattern.test(text)) || [...text.matchAll(ASSIGNED)].some(looksRandom);
}

function looksRandom([, value = '']: RegExpMatchArray): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value) && /^[\w+/=.~-]+$/.test(value);
}
