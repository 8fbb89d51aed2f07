import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const EXTENSION_HOST = 'out/vs/workbench/api/node/extensionHostProcess.js';

// In code-server, `isProposedApiEnabled(extension, proposal)` always returns true, so every extension may use every
// proposed API. The pattern finds the function by its successor in the bundle, `checkProposedApiEnabled`, which calls
// it.
const PERMISSIVE = /function (\w+)\((\w+),(\w+)\)\{return!0\}(?=function \w+\(\w+,\w+\)\{if\(!\1\()/g;

/**
 * Restores VS Code's own rule: an extension gets the proposals in its manifest's `enabledApiProposals`. Otherwise an
 * extension with a proposed API would pass the tests and fail for its users.
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
