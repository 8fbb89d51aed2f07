import { type OpenMode, openSync, type PathLike, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LearnedConfidence } from '../../../../../server/src/completion/confidence/learned-confidence.js';
import { Statistics } from '../../../../../server/src/completion/feedback/statistics.js';
import { LatencyStats } from '../../../../../server/src/completion/trigger/latency-stats.js';
import { JsonFile } from '../../../../../server/src/util/files/json-file.js';
import { LockFile } from '../../../../../server/src/util/files/lock-file.js';
import { refusing, withChangedFs } from '../../../../support/faults/changed-fs.js';
import { onWindows } from '../../../../support/faults/on-windows.js';
import { BundledProgram } from '../../../../support/servers/bundled-program.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(() => {
  vi.useRealTimers();
  folder.dispose();
});

const path = () => folder.file('state.json');
const content = (): unknown => JSON.parse(readFileSync(path(), 'utf8'));
const increment = (written = (): void => undefined) => ({
  merge: (stored: unknown) => Number(stored ?? 0) + 1,
  written,
});

describe('a file of several processes', () => {
  it('is changed from what it holds then', () => {
    const [first, second] = [new JsonFile(path(), SILENT), new JsonFile(path(), SILENT)];
    for (const file of [first, second, first]) {
      file.changeSoon(increment());
      file.flush();
    }
    expect(content()).toBe(3);
    expect(readdirSync(folder.path)).toEqual(['state.json']);
  });

  it('is changed a little later, once for several changes', () => {
    vi.useFakeTimers();
    const written = vi.fn();
    const file = new JsonFile(path(), SILENT);
    for (let count = 0; count < 5; count += 1) file.changeSoon(increment(written));
    vi.advanceTimersByTime(5_000);
    expect(content()).toBe(1);
    expect(written).toHaveBeenCalledTimes(1);
  });

  it('is changed when the process that holds it is done', () => {
    vi.useFakeTimers();
    const lock = LockFile.take(`${path()}.lock`);
    const file = new JsonFile(path(), SILENT);
    file.changeSoon(increment());
    vi.advanceTimersByTime(12_000);
    expect(readdirSync(folder.path)).toEqual(['state.json.lock']);
    lock?.release();
    vi.advanceTimersByTime(5_000);
    expect(content()).toBe(1);
  });

  it.each(['', '{', 'x'.repeat(2 ** 20 + 1)])('starts again if it is damaged (%#)', (damage) => {
    writeFileSync(path(), damage);
    const file = new JsonFile(path(), SILENT);
    file.changeSoon(increment());
    file.flush();
    expect(content()).toBe(1);
  });

  it('that cannot be read for the moment is not taken for empty', () => {
    writeFileSync(path(), '41');
    const written = vi.fn();
    const file = new JsonFile(path(), SILENT);
    const right = openSync;
    const open = (opened: PathLike, ...more: [OpenMode]): number =>
      opened === path() ? refusing('EIO')() : right(opened, ...more);
    file.changeSoon(increment(written));
    withChangedFs({ openSync: open as typeof openSync }, () => file.flush());
    expect(content()).toBe(41);
    expect(written).not.toHaveBeenCalled();
    file.changeSoon(increment(written));
    file.flush();
    expect(content()).toBe(42);
  });

  it.each(['EPERM', 'EACCES', 'EBUSY'])('is changed once another program of Windows lets go of it: %s', (code) => {
    writeFileSync(path(), '41');
    const written = vi.fn();
    const file = new JsonFile(path(), SILENT);
    file.changeSoon(increment(written));
    let refusals = 3;
    const right = renameSync;
    const rename = (from: PathLike, to: PathLike): void => {
      refusals -= 1;
      if (refusals >= 0) refusing(code)();
      right(from, to);
    };
    onWindows(() => withChangedFs({ renameSync: rename }, () => file.flush()));
    expect(content()).toBe(42);
    expect(written).toHaveBeenCalledTimes(1);
    expect(readdirSync(folder.path)).toEqual(['state.json']);
  });

  it('is changed later where that takes long', () => {
    vi.useFakeTimers();
    const file = new JsonFile(path(), SILENT);
    file.changeSoon(increment());
    onWindows(() => withChangedFs({ renameSync: refusing('EPERM') }, () => vi.advanceTimersByTime(12_000)));
    expect(readdirSync(folder.path)).toEqual([]);
    vi.advanceTimersByTime(5_000);
    expect(content()).toBe(1);
  });

  it('that cannot be written is not fatal, and keeps what is not written', () => {
    const written = vi.fn();
    writeFileSync(folder.file('not-a-folder'), '');
    const file = new JsonFile(folder.file('not-a-folder/state.json'), SILENT);
    file.changeSoon(increment(written));
    file.flush();
    expect(written).not.toHaveBeenCalled();
  });
});

it('counts and learns what all windows do', async () => {
  const counter = await BundledProgram.build('test/support/programs/statistics-counter.ts', folder.path);
  const windows = [1, 2, 3].map(() => counter.start(folder.path, '30'));
  for (const each of windows) expect(await each.end()).toEqual([[]]);
  const file = (name: string) => new JsonFile(folder.file(name), SILENT);
  expect(new Statistics(file('statistics.json'), new LatencyStats()).summary()).toMatchObject({ shown: 90 });
  expect(file('confidence.json').read()).toMatchObject({
    models: [{ name: 'A model', learned: { known: 90, right: 90 } }],
  });
  expect(new LearnedConfidence(file('confidence.json')).shiftOf('A model')).toBeGreaterThan(0);
});

it('shows what other windows have counted, once it has written its own', () => {
  const open = () => new JsonFile(path(), SILENT);
  const [firstFile, secondFile] = [open(), open()];
  const first = new Statistics(firstFile, new LatencyStats());
  const second = new Statistics(secondFile, new LatencyStats());
  first.count('shown');
  first.count('accepted');
  second.count('shown');
  firstFile.flush();
  secondFile.flush();
  expect(second.summary()).toMatchObject({ shown: 2, accepted: 1 });
  writeFileSync(path(), '');
  second.count('shown');
  secondFile.flush();
  expect(new Statistics(open(), new LatencyStats()).summary()).toMatchObject({ shown: 3, accepted: 1 });
});
