import { describe, expect, it } from 'vitest';
import { hasSecretName, holdsSecret } from '../../../../../server/src/context/admission/secret-files.js';
import { isUnsuitable } from '../../../../../server/src/context/admission/unsuitable-text.js';

describe('a name of a file kept from the model', () => {
  it.each([
    '/w/.env',
    '/w/.env.local',
    '/w/.ENV.production',
    '/w/prod.env',
    '/w/.envrc',
    '/w/server.pem',
    '/w/server.key',
    '/w/cert.p12',
    '/w/cert.pfx',
    '/w/id_rsa',
    '/w/id_rsa.pub',
    '/w/id_ed25519',
    '/w/credentials',
    '/w/aws-credentials.json',
    '/w/.npmrc',
    '/w/.netrc',
    '/w/_netrc',
    '/w/.pypirc',
    '/w/.git-credentials',
    '/w/kubeconfig',
    '/w/prod.kubeconfig',
    '/w/secrets.yaml',
    '/w/app-secrets.json',
    '/w/terraform.tfstate',
    '/w/prod.tfvars',
    '/w/service-account-prod.json',
    '/home/u/.ssh/config',
    '/home/u/.aws/config',
    '/home/u/.kube/config',
    '/w/.git/config',
  ])('%s', (path) => {
    expect(hasSecretName(path)).toBe(true);
  });

  it.each(['/w/a.ts', '/w/environment.ts', '/w/keyboard.ts', '/w/keys.ts', '/w/secret-store.ts', '/w/tokenizer.json'])(
    'not %s',
    (path) => {
      expect(hasSecretName(path)).toBe(false);
    },
  );
});

describe('a text kept from the model', () => {
  // Concatenated here, so that secret scanners do not report this file.
  it.each([
    ['a private key', `-----BEGIN ${'RSA PRIVATE'} KEY-----`],
    ['an encrypted key', `-----BEGIN ${'ENCRYPTED PRIVATE'} KEY-----`],
    ['a PGP key', `-----BEGIN PGP ${'PRIVATE'} KEY BLOCK-----`],
    ['an AWS key', `id: ${'AKIA'}${'A1'.repeat(8)}`],
    ['a GitHub token', `"${'ghp'}_${'a1'.repeat(18)}"`],
    ['a fine-grained one', `${'github'}_pat_${'a1'.repeat(18)}`],
    ['a GitLab token', `${'glpat'}-${'a1'.repeat(10)}`],
    ['a Slack token', `${'xoxb'}-1234567890-abc`],
    ['an API key', `${'sk'}-${'a1B2'.repeat(8)}`],
    ['another one', `${'sk-ant'}-api03-${'a1B2'.repeat(8)}`],
    ['a payment key', `${'sk'}_live_${'a1B2'.repeat(5)}`],
    ['a Google key', `${'AIza'}${'a1B2c'.repeat(7)}`],
    ['an npm token', `${'npm'}_${'a1B2'.repeat(9)}`],
    ['a web token', `${'eyJ'}hbGciOiJIUzI1.${'eyJ'}zdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4`],
    ['a password in a URL', `postgres://admin:${'hunter2'}@db.example.com/shop`],
    ['an assigned one', `const apiKey = '${'k2Jd8sLw02mXz71q'}';`],
    ['one in JSON', `"client_secret": "${'k2Jd8sLw02mXz71q'}"`],
  ])('%s', (_name, text) => {
    expect(holdsSecret(`before\n${text}\nafter`)).toBe(true);
  });

  it.each([
    ['code', 'const token = tokens[index + 1];\n'],
    ['a public key', '-----BEGIN PUBLIC KEY-----'],
    ['a name', "const apiKey = 'MY_API_KEY_VARIABLE';"],
    ['a template', ['postgres://', '{user}:', '{password}@', '{host}/shop'].join('$')],
    ['a class', '.sk-fading-circle-with-a-long-name { color: red }'],
    ['a short one', "password: 'test1234'"],
    ['a URL with a port', 'http://localhost:8080/a@b'],
  ])('not %s', (_name, text) => {
    expect(holdsSecret(text)).toBe(false);
  });
});

describe("a text that does not show the project's code", () => {
  it.each([
    ['binary', 'a\0b'],
    ['huge', 'const a = 1;\n'.repeat(20_000)],
    ['minified in one line', `var a=${'1+'.repeat(2_000)}1`],
    ['minified in many', `${'x'.repeat(400)}\n`.repeat(20)],
  ])('is %s', (_name, text) => {
    expect(isUnsuitable(text)).toBe(true);
  });

  it.each([
    ['code', 'const a = 1;\n'.repeat(500)],
    ['one long line in a short text', `const a = '${'x'.repeat(1_000)}';\n`],
    ['nothing', ''],
  ])('is not %s', (_name, text) => {
    expect(isUnsuitable(text)).toBe(false);
  });
});
