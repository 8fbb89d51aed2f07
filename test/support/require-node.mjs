// Ends the process where Node is too old for our scripts, which would fail in words that nobody understands. It is
// imported before anything else, so it uses only what any Node has that knows modules.
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const needed = manifest.engines.node.replace('>=', '');
const [found, least] = [process.versions.node, needed].map((version) => version.split('.').map(Number));

if (found[0] < least[0] || (found[0] === least[0] && found[1] < least[1])) {
  process.stderr.write(
    `inkling: this is Node ${process.versions.node} (${process.execPath}); Inkling needs ${needed} or newer\n`,
  );
  process.exit(1);
}
