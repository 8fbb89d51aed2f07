import { spawnSync } from 'node:child_process';
import {
  fstatSync,
  fsyncSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { OWN_PROCESS } from '../../../../../server/src/util/files/process-identity.js';
import { ProcessMarkers, type ProcessMarkersOptions } from '../../../../../server/src/util/files/process-markers.js';
import { refusing, withChangedFs } from '../../../../support/faults/changed-fs.js';
import { SmallDisk } from '../../../../support/faults/small-disk.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

interface Doing {
  readonly what: string;
}

const DAY_S = 86_400;
/** A process that has ended, and would be gone on any machine. */
const DEAD = { pid: spawnSync(process.execPath, ['--eval', '']).pid, start: '1' };

const disk = SmallDisk.mount(2 ** 16);
const temporary = new TemporaryFolder();
let count = 0;
let folder: string;
beforeEach(() => {
  count += 1;
  folder = temporary.file(String(count));
});
afterAll(() => {
  temporary.dispose();
  disk?.dispose();
});

function open(options: Partial<ProcessMarkersOptions<Doing>> = {}): ProcessMarkers<Doing> {
  const parse = ({ what }: Readonly<Record<string, unknown>>) => (typeof what === 'string' ? { what } : null);
  return new ProcessMarkers({ folder, parse, durable: false, log: SILENT, ...options });
}

/** A marker by somebody else, written this many seconds ago. */
function leave(owner: object, age = 0, name = `${DEAD.pid}-1.json`): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), JSON.stringify({ what: 'a load', process: owner }));
  const at = Date.now() / 1000 - age;
  utimesSync(join(folder, name), at, at);
}

const left = () => open().left();

it('of an ended process is left, and that of a running one is not', () => {
  const marker = open().add({ what: 'a load' });
  expect(left()).toEqual([]);
  leave(DEAD);
  expect(left()).toEqual([{ path: join(folder, `${DEAD.pid}-1.json`), content: { what: 'a load' } }]);
  open().remove(marker ?? '');
  expect(readdirSync(folder)).toEqual([`${DEAD.pid}-1.json`]);
});

it('is of a machine: in a shared home folder, nobody judges what runs on another one', () => {
  const marker = open().add({ what: 'a load' });
  expect(JSON.parse(readFileSync(marker ?? '', 'utf8'))).toMatchObject({ process: { host: hostname() } });
  leave({ ...DEAD, host: 'another machine' });
  expect(left()).toEqual([]);
  leave({ ...DEAD, host: hostname() });
  expect(left()).toHaveLength(1);
});

it.each([
  ['of another machine, after an hour', { ...DEAD, host: 'another machine' }, 3600, 0],
  ['of another machine, after days', { ...DEAD, host: 'another machine' }, 2 * DAY_S, 1],
  ['of another machine, from before the clock was set back', { ...DEAD, host: 'another machine' }, -2 * DAY_S, 1],
  ['whose id another process may have now, after an hour', { pid: process.ppid, start: null }, 3600, 0],
  ['whose id another process may have now, after days', { pid: process.ppid, start: null }, 2 * DAY_S, 1],
])('that nobody can check, %s: %j, %d s old, %d left', (_when, owner, age, expected) => {
  leave(owner, age);
  expect(left()).toHaveLength(expected);
});

it('of a process that is known to run is not left, however old it is', () => {
  leave({ pid: OWN_PROCESS.pid, start: OWN_PROCESS.start }, 2 * DAY_S);
  expect(left()).toHaveLength(OWN_PROCESS.start === null ? 1 : 0);
});

it('that cannot be read now is neither damaged nor left', () => {
  leave(DEAD);
  withChangedFs({ openSync: refusing('EIO') }, () => expect(left()).toEqual([]));
  expect(left()).toHaveLength(1);
});

it('of a running process is not left where another version wrote it, which says other things', () => {
  const parse = () => null;
  leave({ pid: OWN_PROCESS.pid, start: OWN_PROCESS.start });
  expect(open({ parse }).left()).toEqual([]);
  leave(DEAD);
  expect(open({ parse }).left()).toEqual([{ path: join(folder, `${DEAD.pid}-1.json`), content: null }]);
});

it('takes no place of one that an earlier process with the same id left', () => {
  leave({ pid: process.pid, start: 'long ago' }, 0, `${process.pid}-1.json`);
  const marker = open().add({ what: 'another load' });
  expect(readdirSync(folder)).toHaveLength(2);
  expect(open().read(marker ?? '')).toEqual({ what: 'another load' });
  expect(left()).toHaveLength(1);
});

it('counts where the file system cannot promise its name', () => {
  const sync = fsyncSync;
  const refuse = refusing('EINVAL');
  const syncFile = (file: number): void => (fstatSync(file).isDirectory() ? refuse() : sync(file));
  withChangedFs({ fsyncSync: syncFile }, () => {
    const markers = open({ durable: true });
    const marker = markers.add({ what: 'a load' });
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([marker]);
    markers.remove(marker ?? '');
  });
  expect(readdirSync(folder)).toEqual([]);
});

it.skipIf(disk === null)('leaves no draft on a full disk', () => {
  const onDisk = join(disk?.path ?? '', 'loading');
  mkdirSync(onDisk);
  disk?.fill();
  expect(open({ folder: onDisk }).add({ what: 'a load' })).toBeNull();
  expect(readdirSync(onDisk)).toEqual([]);
});

it('removes drafts of processes that were killed while they wrote, once nobody can be writing them', () => {
  leave(DEAD, 0, `${DEAD.pid}-1.json.tmp`);
  leave(DEAD, 2 * DAY_S, `${DEAD.pid}-2.json.tmp`);
  expect(left()).toEqual([]);
  expect(readdirSync(folder)).toEqual([`${DEAD.pid}-1.json.tmp`]);
});

it.skipIf(process.platform !== 'linux').each([true, false])(
  'that is to survive the end of the machine (%j) is on the disk with its name, too',
  (durable) => {
    const synced: string[] = [];
    const sync = fsyncSync;
    const note = (file: number): void => {
      synced.push(readlinkSync(`/proc/self/fd/${file}`));
      sync(file);
    };
    withChangedFs({ fsyncSync: note }, () => void open({ durable }).add({ what: 'a load' }));
    expect(synced.includes(folder)).toBe(durable);
  },
);
