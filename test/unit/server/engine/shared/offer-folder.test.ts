import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InsecureError, OfferFolder } from '../../../../../server/src/engine/shared/offer-folder.js';
import { startOf } from '../../../../../server/src/util/files/process-identity.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const NAME = 'abc';
const DAY_S = 86_400;
const RUNNING = { pid: process.ppid, start: startOf(process.ppid) };
type Four = [string, string, string, string];
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let runtime: TemporaryFolder;
let server: Server | null = null;
beforeEach(() => {
  runtime = new TemporaryFolder();
});
afterEach(() => {
  server?.close();
  server = null;
  runtime.dispose();
});

const open = () => OfferFolder.open({ XDG_RUNTIME_DIR: runtime.path });

function folderWithLongPath(): string {
  const long = runtime.file('x'.repeat(90));
  mkdirSync(long, { mode: 0o700 });
  return long;
}

/** An owner that listens. */
async function offered(): Promise<OfferFolder> {
  const folder = open();
  const door = folder.prepare(NAME);
  server = createServer();
  await new Promise<void>((resolve) => server?.listen(door.address, resolve));
  folder.publish(NAME, door);
  return folder;
}

describe.skipIf(process.platform === 'win32')('the folder of offers', () => {
  it("is this user's alone, with all that is in it", async () => {
    const folder = await offered();
    expect(statSync(runtime.file('inkling')).mode & 0o777).toBe(0o700);
    expect(readdirSync(runtime.file('inkling')).sort()).toEqual(['abc.key', 'abc.sock']);
    for (const file of ['abc.key', 'abc.sock']) {
      expect(statSync(runtime.file(`inkling/${file}`)).mode & 0o777).toBe(0o600);
    }
    expect(folder.find(NAME)).toMatchObject({ address: runtime.file('inkling/abc.sock') });
    expect(folder.find(NAME)?.secret).toMatch(/^[0-9a-f]{64}$/);
    expect(open().find(NAME)).toEqual(folder.find(NAME));
    expect(folder.find('another')).toBeNull();
    folder.clear(NAME);
    expect(folder.find(NAME)).toBeNull();
  });

  it('has another secret for each owner', () => {
    const folder = open();
    expect(folder.prepare(NAME).secret).not.toBe(folder.prepare(NAME).secret);
  });

  it.each([
    ['there is no runtime folder', () => ''],
    ['its path is relative', () => 'relative'],
    ['it is missing', () => runtime.file('missing')],
    ['it leaves a socket no room for its path', () => folderWithLongPath()],
  ])('is in the folder for temporary files where %s', (_reason, runtimeFolder) => {
    const own = new TemporaryFolder();
    const before = process.env.TMPDIR;
    try {
      process.env.TMPDIR = own.path;
      const { address } = OfferFolder.open({ XDG_RUNTIME_DIR: runtimeFolder() }).prepare(NAME);
      expect(address).toBe(path.join(own.path, `inkling-${process.getuid?.()}`, `${NAME}.sock`));
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      own.dispose();
    }
  });

  it.each([0o755, 0o770, 0o701])('is refused with mode %o', (mode) => {
    mkdirSync(runtime.file('inkling'));
    chmodSync(runtime.file('inkling'), mode);
    expect(open).toThrow(InsecureError);
  });

  it('is refused as a link, or as a file', () => {
    mkdirSync(runtime.file('elsewhere'), { mode: 0o700 });
    symlinkSync(runtime.file('elsewhere'), runtime.file('inkling'));
    expect(open).toThrow('is no folder');
    const other = new TemporaryFolder();
    writeFileSync(other.file('inkling'), '');
    expect(() => OfferFolder.open({ XDG_RUNTIME_DIR: other.path })).toThrow('is no folder');
    other.dispose();
  });

  it.skipIf(!isRoot)('is refused where it belongs to another user (needs root to make one)', () => {
    mkdirSync(runtime.file('inkling'), { mode: 0o700 });
    chownSync(runtime.file('inkling'), NOBODY, NOBODY);
    expect(open).toThrow('belongs to user 65534');
  });

  it.each(['abc.key', 'abc.sock'])('trusts no %s that others may open', async (file) => {
    const folder = await offered();
    chmodSync(runtime.file(`inkling/${file}`), 0o640);
    expect(() => folder.find(NAME)).toThrow('is open to other users (mode 640)');
  });

  it.skipIf(!isRoot).each(['abc.key', 'abc.sock'])('trusts no %s of another user (needs root)', async (file) => {
    const folder = await offered();
    chownSync(runtime.file(`inkling/${file}`), NOBODY, NOBODY);
    expect(() => folder.find(NAME)).toThrow('belongs to user 65534');
  });

  it.each(['', '{', '[]', '{"secret":5}', 'x'.repeat(5000)])('trusts no damaged key: %.10s', async (text) => {
    const folder = await offered();
    writeFileSync(runtime.file('inkling/abc.key'), text);
    expect(() => folder.find(NAME)).toThrow(InsecureError);
  });

  it('goes nowhere else, whatever the key says', async () => {
    const folder = await offered();
    const key = { secret: 'a', address: '/elsewhere.sock' };
    writeFileSync(runtime.file('inkling/abc.key'), JSON.stringify(key));
    expect(folder.find(NAME)?.address).toBe(runtime.file('inkling/abc.sock'));
  });

  it('has one owner for a name at a time', () => {
    const [first, second] = [open(), open()];
    expect(first.isOwned(NAME)).toBe(false);
    const lock = first.takeLock(NAME);
    expect([lock === null, second.takeLock(NAME), second.isOwned(NAME)]).toEqual([false, null, true]);
    lock?.release();
    expect(second.isOwned(NAME)).toBe(false);
  });

  it('shows no offer before others are kept out: a window that looks meanwhile is to look again', async () => {
    const folder = open();
    const door = folder.prepare(NAME);
    server = createServer();
    await new Promise<void>((resolve) => server?.listen(door.address, resolve));
    chmodSync(door.address, 0o755);
    expect(folder.find(NAME)).toBeNull();
    folder.publish(NAME, door);
    expect(folder.find(NAME)).toEqual(door);
  });

  it('keeps what programs that tidy up would take for forgotten: key and socket of an owner', async () => {
    const folder = await offered();
    for (const file of ['abc.key', 'abc.sock']) utimesSync(runtime.file(`inkling/${file}`), 1, 1);
    folder.touch(NAME);
    for (const file of ['abc.key', 'abc.sock']) {
      const { atimeMs, mtimeMs } = statSync(runtime.file(`inkling/${file}`));
      expect([atimeMs > 1e12, mtimeMs > 1e12]).toEqual([true, true]);
    }
  });

  describe('with what killed owners left under names that nobody asks for again', () => {
    const kinds = ['key', 'lock', 'sock'];
    const filesOf = (name: string) => kinds.map((kind) => `${name}.${kind}`);
    const DEAD = { pid: 999_999_999, start: '1', host: hostname(), id: 'x' };

    function leave(name: string, owner: object, ageSeconds: number): void {
      const at = Date.now() / 1000 - ageSeconds;
      for (const file of filesOf(name).map((each) => runtime.file(`inkling/${each}`))) {
        writeFileSync(file, JSON.stringify(owner), { mode: 0o600 });
        utimesSync(file, at, at);
      }
    }

    it('keeps nothing of them after a day, and all of those that run', () => {
      const folder = open();
      const [old, recent, running, own] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(24)) as Four;
      leave(old, DEAD, 2 * DAY_S);
      leave(recent, DEAD, 3600);
      leave(running, { ...DEAD, ...RUNNING }, 2 * DAY_S);
      const lock = folder.takeLock(own);
      folder.removeLeft();
      const kept = [...filesOf(recent), ...filesOf(running), `${own}.lock`];
      expect(readdirSync(runtime.file('inkling')).sort()).toEqual(kept.sort());
      lock?.release();
    });

    it('touches no other files, and needs no folder', () => {
      const folder = open();
      const others = ['notes.key', `${'A'.repeat(24)}.key`, `${'a'.repeat(24)}.txt`];
      for (const file of others) {
        writeFileSync(runtime.file(`inkling/${file}`), '');
        utimesSync(runtime.file(`inkling/${file}`), 1, 1);
      }
      folder.removeLeft();
      expect(readdirSync(runtime.file('inkling')).sort()).toEqual(others.sort());
      rmSync(runtime.file('inkling'), { recursive: true });
      folder.removeLeft();
    });

    it('keeps no draft of a key', () => {
      const folder = open();
      const draft = runtime.file(`inkling/${'a'.repeat(24)}.4711.tmp`);
      writeFileSync(draft, '{"sec');
      utimesSync(draft, 1, 1);
      folder.removeLeft();
      expect(readdirSync(runtime.file('inkling'))).toEqual([]);
    });
  });

  it('says so where no folder leaves room for a socket', () => {
    expect(() => open().prepare('x'.repeat(90))).toThrow('is too long');
  });
});
