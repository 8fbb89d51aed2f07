import { linkSync, type PathLike, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OfferFolder } from '../../../../../server/src/engine/shared/offer-folder.js';
import { JsonFile } from '../../../../../server/src/util/files/json-file.js';
import { removeLeftDrafts } from '../../../../../server/src/util/files/left-drafts.js';
import { LockFile } from '../../../../../server/src/util/files/lock-file.js';
import { ProcessMarkers } from '../../../../../server/src/util/files/process-markers.js';
import { withChangedFs } from '../../../../support/faults/changed-fs.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(() => folder.dispose());

/** Names of the drafts that are renamed or linked to their final names meanwhile. */
function draftsOf(run: () => void): readonly string[] {
  const drafts: string[] = [];
  const [rename, link] = [renameSync, linkSync];
  const noting = (right: typeof renameSync) => (from: PathLike, to: PathLike) => {
    drafts.push(basename(String(from)));
    right(from, to);
  };
  withChangedFs({ renameSync: noting(rename), linkSync: noting(link) }, run);
  return drafts;
}

function leave(names: readonly string[]): void {
  for (const name of names) {
    writeFileSync(folder.file(name), '');
    utimesSync(folder.file(name), 1, 1);
  }
}

it.skipIf(process.platform === 'win32').each([
  ['of a state file', () => new JsonFile(folder.file('state.json'), SILENT).write({})],
  ['of a lock', () => LockFile.take(folder.file('a.lock'))?.release()],
  [
    'of a marker',
    () => new ProcessMarkers({ folder: folder.path, parse: () => null, durable: true, log: SILENT }).add({}),
  ],
  [
    'of a key',
    () => {
      const name = 'a'.repeat(24);
      writeFileSync(folder.file('sock'), '');
      const offers = OfferFolder.open({ XDG_RUNTIME_DIR: folder.path });
      offers.publish(name, { address: folder.file('sock'), secret: 'a' });
    },
  ],
])('removes a draft %s, as its writer names it', (_of, write) => {
  const drafts = draftsOf(write);
  expect(drafts).toHaveLength(1);
  leave(drafts);
  removeLeftDrafts(folder.path);
  for (const draft of drafts) expect(readdirSync(folder.path)).not.toContain(draft);
});

it('removes nothing of other programs: users may choose any folder for the state', () => {
  const others = ['notes.tmp', 'data.json.tmp', 'data.json.123.tmp', 'yarn.lock', 'yarn.lock.tmp', 'a.lock.0123.tmp'];
  leave(others);
  removeLeftDrafts(folder.path);
  expect(readdirSync(folder.path).sort()).toEqual(others.sort());
});
