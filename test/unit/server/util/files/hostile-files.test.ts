import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BundledProgram } from '../../../../support/servers/bundled-program.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const FILES = ['state.json', 'loading/999999999-1.json', 'windows/1.json', 'model.lock', 'inkling/abc.key'];
/** Far longer than a read takes: only a program that waits without end needs it. */
const PATIENCE_MS = 20_000;

let bundles: TemporaryFolder;
let reader: BundledProgram;
beforeAll(async () => {
  bundles = new TemporaryFolder();
  reader = await BundledProgram.build('test/support/programs/state-reader.ts', bundles.path);
});
afterAll(() => bundles.dispose());

/** What a server makes of a folder in which each shared file is something else. */
async function readWith(make: (path: string) => void): Promise<readonly unknown[]> {
  const folder = new TemporaryFolder();
  try {
    for (const name of ['loading', 'windows']) mkdirSync(folder.file(name));
    mkdirSync(folder.file('inkling'), { mode: 0o700 });
    for (const name of FILES) make(folder.file(name));
    const running = reader.start(folder.path);
    const patience = setTimeout(() => void running.kill(), PATIENCE_MS);
    const lines = await running.end();
    clearTimeout(patience);
    return lines;
  } finally {
    folder.dispose();
  }
}

/** More than any limit: nobody may hold that in memory. Takes no room on the disk. */
function makeHuge(path: string): void {
  const file = openSync(path, 'w', 0o600);
  ftruncateSync(file, 2 ** 40);
  closeSync(file);
}

it.skipIf(process.platform === 'win32').each([
  ['a pipe that nobody writes to', (path: string) => void execFileSync('mkfifo', ['-m', '600', path])],
  ['a folder', (path: string) => void mkdirSync(path, { mode: 0o700 })],
  ['a link to a device without end', (path: string) => symlinkSync('/dev/zero', path)],
  ['a link to itself', (path: string) => symlinkSync(path, path)],
  ['a file of a terabyte', makeHuge],
])(
  '%s in the place of each file holds up no server',
  async (_what, make) => {
    expect(await readWith(make)).toEqual([
      { file: null },
      { marked: 0 },
      { windows: 1 },
      { held: expect.any(Boolean) },
      { offer: expect.any(String) },
    ]);
  },
  60_000,
);
