import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ModelOffer } from '../../../../../server/src/engine/shared/model-offer.js';
import { OfferFolder } from '../../../../../server/src/engine/shared/offer-folder.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { ScriptedEngine, SILENT } from '../../scripted-engine.js';

const NAME = 'a'.repeat(24);
const TOUCHED_MS = 20_000;

let runtime: TemporaryFolder;
let offer: ModelOffer | null = null;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  runtime = new TemporaryFolder();
});
afterEach(async () => {
  vi.useRealTimers();
  await offer?.close();
  offer = null;
  runtime.dispose();
});

const file = (kind: string, name = NAME) => runtime.file(`inkling/${name}.${kind}`);

async function open(): Promise<void> {
  const folder = OfferFolder.open({ XDG_RUNTIME_DIR: runtime.path });
  const lock = folder.takeLock(NAME);
  if (lock === null) throw new Error('the lock is held');
  const nothing = (): void => undefined;
  const parts = { engine: new ScriptedEngine(), options: { path: '/a.gguf' }, version: '1', log: SILENT };
  const plan = async (options: { readonly path: string }) => options;
  offer = await ModelOffer.open({ name: NAME, folder, lock, plan, onDeviceLost: nothing, ...parts });
}

/** All files of the offer look as if nobody had touched them for decades. @returns those that are touched after a while */
function touchedAfter(kinds: readonly string[]): readonly string[] {
  for (const kind of kinds) utimesSync(file(kind), 1, 1);
  vi.advanceTimersByTime(TOUCHED_MS);
  return kinds.filter((kind) => statSync(file(kind)).mtimeMs > 1e12);
}

it.skipIf(process.platform === 'win32')('keeps all its files fresh, as old temporary files are tidied up', async () => {
  await open();
  expect(touchedAfter(['lock', 'key', 'sock'])).toEqual(['lock', 'key', 'sock']);
});

it.skipIf(process.platform === 'win32')('keeps no file of another owner fresh that has taken its place', async () => {
  await open();
  writeFileSync(file('lock'), JSON.stringify({ pid: process.ppid, start: null, host: 'other', id: 'another' }));
  expect(touchedAfter(['lock', 'key', 'sock'])).toEqual([]);
});

it('removes what a killed owner left under a name that nobody asks for again', async () => {
  mkdirSync(runtime.file('inkling'), { mode: 0o700 });
  const left = file('key', 'b'.repeat(24));
  writeFileSync(left, '{}', { mode: 0o600 });
  utimesSync(left, 1, 1);
  await open();
  expect(existsSync(left)).toBe(false);
  expect(existsSync(file('key'))).toBe(true);
});
