import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const folder = new TemporaryFolder();
const main = folder.file('my checkout/main.mjs');
beforeAll(() => {
  mkdirSync(path.dirname(main));
  copyFileSync(path.join(REPOSITORY_ROOT, 'test/support/is-main.mjs'), folder.file('my checkout/is-main.mjs'));
  writeFileSync(main, "import { isMain } from './is-main.mjs';\nconsole.log(isMain(import.meta.url));\n");
  writeFileSync(folder.file('my checkout/other.mjs'), "import './main.mjs';\n");
  symlinkSync(folder.file('my checkout'), folder.file('link'), 'junction');
});
afterAll(() => folder.dispose());

test.each([
  ['the script that was started', [main], true],
  ['the same through a link to its folder', [folder.file('link/main.mjs')], true],
  ['one that another imports', [folder.file('my checkout/other.mjs')], false],
  [
    'one that is imported without a script',
    ['--input-type=module', '-e', `import ${JSON.stringify(pathToFileURL(main).href)}`],
    false,
  ],
])('%s', (_, args, expected) => {
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: `${expected}\n`, stderr: '' });
});
