import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const EXTENSION_HOST = 'out/vs/workbench/api/node/extensionHostProcess.js';

// code-server lets every extension use every proposed API: its `isProposedApiEnabled(extension, proposal)` just
// returns true. The function is known by what follows it in the bundle, `checkProposedApiEnabled`, which calls it.
const PERMISSIVE = /function (\w+)\((\w+),(\w+)\)\{return!0\}(?=function \w+\(\w+,\w+\)\{if\(!\1\()/g;

/**
 * Puts VS Code's own rule back: an extension has the proposals that its manifest names, in `enabledApiProposals`.
 * Without that, an extension that uses a proposed API would pass the tests and fail at its users.
 * @param {string} vscode folder of the VS Code server
 */
export function restoreProposedApiRule(vscode) {
  const file = path.join(vscode, EXTENSION_HOST);
  const source = readFileSync(file, 'utf8');
  const found = [...source.matchAll(PERMISSIVE)];
  if (found.length !== 1) {
    throw new Error(`${file} has ${found.length} functions that look like isProposedApiEnabled, expected 1`);
  }
  const strict = source.replace(
    PERMISSIVE,
    'function $1($2,$3){return!!$2.enabledApiProposals&&$2.enabledApiProposals.includes($3)}',
  );
  writeFileSync(file, strict);
}
