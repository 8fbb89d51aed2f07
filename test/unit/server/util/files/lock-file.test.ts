import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lutimesSync,
  openSync,
  type PathLike,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LockFile } from '../../../../../server/src/util/files/lock-file.js';
import { OWN_PROCESS, startOf } from '../../../../../server/src/util/files/process-identity.js';
import { refusing, withChangedFs } from '../../../../support/faults/changed-fs.js';
import { onWindows } from '../../../../support/faults/on-windows.js';
import { SmallDisk } from '../../../../support/faults/small-disk.js';
import { BundledProgram } from '../../../../support/servers/bundled-program.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const PAGE_BYTES = 4096;
const disk = SmallDisk.mount(16 * PAGE_BYTES);

let folder: TemporaryFolder;
let path: string;
let number = 0;

beforeAll(() => {
  folder = new TemporaryFolder();
});
beforeEach(() => {
  number += 1;
  path = folder.file(`${number}.lock`);
});
afterAll(() => {
  folder.dispose();
  disk?.dispose();
});

/** A lock of somebody else, touched this many seconds ago. */
function foreign(owner: object | string, age = 0): void {
  writeFileSync(path, typeof owner === 'string' ? owner : JSON.stringify({ id: 'x', host: hostname(), ...owner }));
  const at = Date.now() / 1000 - age;
  utimesSync(path, at, at);
}

function refusingFor(refused: string, code: string): typeof openSync {
  const right = openSync;
  return (opened, ...more) => (opened === refused ? refusing(code)() : right(opened, ...more));
}

const PARENT = { pid: process.ppid, start: startOf(process.ppid) };

describe('a lock', () => {
  it('is held by one at a time, and leaves nothing', () => {
    const lock = LockFile.take(path);
    expect(lock?.isOurs()).toBe(true);
    expect(LockFile.isHeld(path)).toBe(true);
    expect(LockFile.take(path)).toBeNull();
    lock?.release();
    expect(LockFile.isHeld(path)).toBe(false);
    expect(readdirSync(folder.path).filter((name) => name.startsWith(`${number}.`))).toEqual([]);
  });

  it('is whole from its first moment: the holder is in it', () => {
    const lock = LockFile.take(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ ...OWN_PROCESS, host: hostname() });
    lock?.release();
  });

  it('of a running process is held, however long it was not touched', () => {
    foreign(PARENT, 100_000);
    expect(LockFile.isHeld(path)).toBe(PARENT.start !== null);
  });

  it.skipIf(PARENT.start === null)('of an earlier process with the id of a running one is taken over', () => {
    foreign({ ...PARENT, start: '1' });
    expect(LockFile.isHeld(path)).toBe(false);
    const lock = LockFile.take(path);
    expect(lock?.isOurs()).toBe(true);
    lock?.release();
  });

  it('that an earlier attempt of this process left over is taken over', () => {
    foreign(OWN_PROCESS);
    const lock = LockFile.take(path);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it.each([
    ['without content and fresh', '', 0, true],
    ['without content and old', '', 60, false],
    ['without content and from the future', '', -60, false],
    ['with half a content and fresh', '{"pid":', 0, true],
    ['with other content and old', '12345', 60, false],
    ['of another machine, touched just now', { ...PARENT, host: 'other' }, 5, true],
    ['of another machine, not touched for long', { ...PARENT, host: 'other' }, 120, false],
    ['of a process without a known start, touched just now', { ...PARENT, start: null }, 5, true],
    ['of a process without a known start, not touched for long', { ...PARENT, start: null }, 120, false],
    ['of another machine whose clock is ahead', { ...PARENT, host: 'other' }, -120, true],
    ['of another machine, from before the clock was set back', { ...PARENT, host: 'other' }, -86_400, false],
    [
      'of a process without a known start, from before the clock was set back',
      { ...PARENT, start: null },
      -86_400,
      false,
    ],
    ['of no process', { pid: 999_999_999, start: '1' }, 0, false],
    ['of a group of processes', { pid: -1, start: null }, 0, false],
  ] as const)('%s: held is %j %d s after, %j', (_name, owner, age, held) => {
    foreign(owner, age);
    expect(LockFile.isHeld(path)).toBe(held);
    const lock = LockFile.take(path);
    expect(lock === null).toBe(held);
    lock?.release();
  });

  it('that someone removed or replaced is not ours, and stays when we release', () => {
    const lock = LockFile.take(path);
    foreign(PARENT);
    expect(lock?.isOurs()).toBe(false);
    lock?.release();
    expect(existsSync(path)).toBe(true);
  });

  it('cannot be taken in a folder that is not there', () => {
    expect(() => LockFile.take(folder.file('none/a.lock'))).toThrow('ENOENT');
  });
});

describe('what nobody here made in the place of a lock', () => {
  it.skipIf(process.platform === 'win32').each([
    ['a link that leads nowhere', () => symlinkSync('nowhere', path)],
    ['a pipe', () => void execFileSync('mkfifo', [path])],
  ])('is taken over once it is old: %s', (_what, make) => {
    make();
    lutimesSync(path, 0, 0);
    expect(LockFile.isHeld(path)).toBe(false);
    const lock = LockFile.take(path);
    expect(lock?.isOurs()).toBe(true);
    lock?.release();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a file system without links', () => {
  it('gives the lock to one at a time', () => {
    withChangedFs({ linkSync: refusing('EPERM') }, () => {
      const lock = LockFile.take(path);
      expect(lock?.isOurs()).toBe(true);
      expect(LockFile.take(path)).toBeNull();
      lock?.release();
    });
  });

  it('gives it to the one that took it over while the machine of the other slept', () => {
    const theirs = `${path}.theirs`;
    writeFileSync(theirs, JSON.stringify({ ...PARENT, id: 'x', host: hostname() }));
    const write = writeFileSync;
    const late: typeof writeFileSync = (file, ...more) => {
      // Between the file and its content: who found it empty for long has replaced it.
      if (typeof file === 'number') renameSync(theirs, path);
      write(file, ...more);
    };
    const parts = { linkSync: refusing('EPERM'), writeFileSync: late };
    withChangedFs(parts, () => expect(LockFile.take(path)).toBeNull());
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id: 'x' });
  });

  it.skipIf(disk === null)('keeps no lock of nobody where the disk became full', () => {
    const onDisk = join(disk?.path ?? '', 'full.lock');
    const ballast = disk?.fill() ?? '';
    // Room for the draft alone.
    truncateSync(ballast, statSync(ballast).size - PAGE_BYTES);
    withChangedFs({ linkSync: refusing('EPERM') }, () => expect(() => LockFile.take(onDisk)).toThrow('ENOSPC'));
    expect(readdirSync(disk?.path ?? '')).toEqual(['ballast']);
    expect(LockFile.isHeld(onDisk)).toBe(false);
  });

  it('on another machine may answer that a lock is there which it has just made', () => {
    const link = (from: PathLike, to: PathLike): void => {
      copyFileSync(from, to);
      refusing('EEXIST')();
    };
    withChangedFs({ linkSync: link }, () => {
      const lock = LockFile.take(path);
      expect(lock?.isOurs()).toBe(true);
      lock?.release();
    });
  });
});

describe('a lock that another program of Windows has open', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is not to be had for the moment: %s', (code) => {
    foreign({ pid: 999_999_999, start: '1' });
    onWindows(() => {
      withChangedFs({ renameSync: refusing(code) }, () => expect(LockFile.take(path)).toBeNull());
      // It is about to go: nobody may open it, or make another one, before it is closed.
      withChangedFs({ linkSync: refusing(code), openSync: refusingFor(path, code) }, () =>
        expect(LockFile.take(path)).toBeNull(),
      );
    });
    const lock = LockFile.take(path);
    expect(lock?.isOurs()).toBe(true);
    lock?.release();
  });

  it('is told from a folder in which nothing can be written', () => {
    onWindows(() => withChangedFs({ openSync: refusing('EPERM') }, () => expect(() => LockFile.take(path)).toThrow()));
  });
});

describe('what processes left that were killed while they took a lock', () => {
  const left = () => [`${path}.0c2f3a52-6f6b-4b3a-8a59-1d2e3f405162.tmp`, `${path}.0123456789abcdef`];

  it('is removed after a day, and nothing else', () => {
    const others = [`${path}.part`, `${path}.old`, path];
    for (const each of [...left(), ...others]) {
      writeFileSync(each, '');
      utimesSync(each, 1, 1);
    }
    LockFile.removeLeftovers(folder.path);
    expect(readdirSync(folder.path).filter((name) => name.startsWith(`${number}.`))).toEqual(
      others.map((each) => basename(each)).sort(),
    );
  });

  it('stays while its writer may be at work', () => {
    for (const each of left()) writeFileSync(each, '');
    LockFile.removeLeftovers(folder.path);
    for (const each of left()) expect(existsSync(each)).toBe(true);
    LockFile.removeLeftovers(folder.file('none'));
  });
});

describe('processes', () => {
  it('get a lock one after the other, also where each dies with it in its hands', async () => {
    const contender = await BundledProgram.build('test/support/programs/lock-contender.ts', folder.path);
    const dead = spawn(process.execPath, ['--eval', '']);
    const { pid } = dead;
    await once(dead, 'exit');
    foreign({ pid, start: '1' });
    const counter = folder.file('counter');
    writeFileSync(counter, '0');
    const running = [1, 2, 3].map(() => contender.start(path, counter, '40'));
    for (const each of running) expect(await each.end()).toEqual(['done']);
    expect(readFileSync(counter, 'utf8')).toBe('120');
    // Only the lock of the last one, which nobody took over.
    expect(readdirSync(folder.path).filter((name) => name.startsWith(`${number}.`))).toEqual([`${number}.lock`]);
  });

  it('that are killed lose their lock at once', async () => {
    const holder = await BundledProgram.build('test/support/programs/lock-holder.ts', folder.path);
    const first = holder.start(path);
    await expect.poll(() => first.lines).toEqual([true]);
    expect(LockFile.take(path)).toBeNull();
    await first.kill();
    const lock = LockFile.take(path);
    expect(lock?.isOurs()).toBe(true);
    lock?.release();
  });
});
