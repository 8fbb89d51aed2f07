import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CrashedModels } from '../../../../../server/src/models/safety/crashed-models.js';
import { identify } from '../../../../../server/src/models/safety/file-identity.js';
import { LockFile } from '../../../../../server/src/util/files/lock-file.js';
import { OWN_PROCESS, startOf } from '../../../../../server/src/util/files/process-identity.js';
import { SmallDisk } from '../../../../support/faults/small-disk.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

const DISK_BYTES = 2 ** 17;
const disk = SmallDisk.mount(DISK_BYTES);
const folder = new TemporaryFolder();
let count = 0;
let stateDirectory: string;
let model: string;

beforeEach(() => {
  count += 1;
  stateDirectory = folder.file(`state-${count}`);
  model = folder.file(`model-${count}.gguf`);
  writeFileSync(model, 'weights');
});
afterAll(() => {
  folder.dispose();
  disk?.dispose();
});

/** Another model, which is there. */
function other(): string {
  const path = folder.file(`other-${count}.gguf`);
  writeFileSync(path, 'weights');
  utimesSync(path, 1, 1);
  return path;
}

function open(starterModelPath = '/starter.gguf', directory: string | null = stateDirectory): CrashedModels {
  return new CrashedModels({ stateDirectory: directory, starterModelPath, log: SILENT });
}

const markers = (): readonly string[] => readdirSync(join(stateDirectory, 'loading'));

/** A process that is gone by now. */
const deadProcess = () => ({ pid: spawnSync(process.execPath, ['--eval', '']).pid, start: null as string | null });

/** What a process leaves behind that ended while it loaded this file. */
async function leaveMarker(path: string, by = deadProcess(), content?: string): Promise<void> {
  mkdirSync(join(stateDirectory, 'loading'), { recursive: true });
  const marker = join(stateDirectory, 'loading', `${by.pid}-1.json`);
  writeFileSync(marker, content ?? JSON.stringify({ file: await identify(path), process: by }));
}

it('marks a load while it runs, and leaves nothing behind however it ends', async () => {
  const models = open();
  const during = await models.during(model, async () => markers());
  expect(during).toEqual([expect.stringMatching(new RegExp(`^${process.pid}-`))]);
  await expect(models.during(model, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(markers()).toEqual([]);
  expect(await open().refusal(model)).toBeNull();
});

it('takes its markers back when the process is about to end on purpose', async () => {
  const models = open();
  void models.during(model, () => new Promise(() => undefined));
  await expect.poll(() => markers().length).toBe(1);
  // A load that goes on here, or in another window, is no crash.
  expect(await open('/starter.gguf').refusal(folder.file('other.gguf'))).toBeNull();
  models.dispose();
  expect(markers()).toEqual([]);
});

it('marks no load that begins once the process is about to end on purpose', async () => {
  const models = open();
  let begun = (): void => undefined;
  const begins = new Promise<void>((resolve) => {
    begun = resolve;
  });
  void models.during(model, () => {
    begun();
    return new Promise(() => undefined);
  });
  // Looking at the file takes a moment.
  models.dispose();
  await begins;
  expect(existsSync(join(stateDirectory, 'loading')) ? markers() : []).toEqual([]);
});

it('refuses a file whose load ended a process, until the user wants to try again', async () => {
  await leaveMarker(model);
  expect(await open().refusal(model)).toMatchObject({
    code: 'modelCrashed',
    message: expect.stringContaining('model-'),
  });
  expect(markers()).toEqual([]);
  const next = open();
  expect(await next.refusal(model)).not.toBeNull();
  expect(await next.forgive(model)).toBe(true);
  expect(await next.refusal(model)).toBeNull();
  expect(await next.forgive(model)).toBe(false);
  expect(await open().refusal(model)).toBeNull();
});

it('knows the dead process from a later one with its id', async () => {
  if (OWN_PROCESS.start === null) return;
  await leaveMarker(model, { pid: process.ppid, start: startOf(process.ppid) });
  expect(await open().refusal(model)).toBeNull();
  await leaveMarker(model, { pid: process.pid, start: 'long ago' });
  expect(await open().refusal(model)).not.toBeNull();
});

it('takes a file that changed for another one', async () => {
  await leaveMarker(model);
  expect(await open().refusal(model)).not.toBeNull();
  writeFileSync(model, 'other weights');
  expect(await open().refusal(model)).toBeNull();
});

it('refuses a file with which the client counted too many crashes, at once and later', async () => {
  const models = open();
  models.note(model);
  expect(await models.refusal(model)).toMatchObject({
    code: 'modelCrashed',
    message: expect.stringContaining('several'),
  });
  expect(await open().refusal(model)).not.toBeNull();
});

it('never refuses the starter model, and marks none of its loads', async () => {
  await leaveMarker(model);
  const models = open(model);
  models.note(model);
  expect(await models.refusal(model)).toBeNull();
  await models.during(model, async () => expect(markers()).toHaveLength(1));
});

it.each([
  ['no JSON', '{"path":'],
  ['no file', '{"path":7}'],
  ['nothing', ''],
])('removes a marker with %s', async (_name, content) => {
  await leaveMarker(model, deadProcess(), content);
  expect(await open().refusal(model)).toBeNull();
  expect(markers()).toEqual([]);
});

it.each([
  ['no list', '{}'],
  ['strange entries', '[null,{"file":1},{"kind":"load"}]'],
  ['no JSON', 'x'],
])('starts again with a list that holds %s', async (_name, content) => {
  mkdirSync(stateDirectory);
  writeFileSync(join(stateDirectory, 'crashed-models.json'), content);
  const models = open();
  expect(await models.refusal(model)).toBeNull();
  models.note(model);
  expect(await models.refusal(model)).not.toBeNull();
});

it('loads all the same where nothing can be written', async () => {
  writeFileSync(stateDirectory, 'a file in the place of the folder');
  const models = open();
  expect(await models.during(model, async () => 'loaded')).toBe('loaded');
  models.note(model);
  expect(await models.refusal(model)).not.toBeNull();
  const without = open('/starter.gguf', null);
  expect(await without.during(model, async () => 'loaded')).toBe('loaded');
  expect(await without.refusal(model)).toBeNull();
});

const heldByAnother = (): LockFile | null => {
  mkdirSync(stateDirectory, { recursive: true });
  return LockFile.take(join(stateDirectory, 'crashed-models.json.lock'));
};

it('keeps a marker until its entry is in the list that other windows change too', async () => {
  await leaveMarker(model);
  const lock = heldByAnother();
  const models = open();
  expect(await models.refusal(model)).not.toBeNull();
  expect(markers()).toHaveLength(1);
  expect(readdirSync(stateDirectory)).not.toContain('crashed-models.json');
  lock?.release();
  expect(await models.refusal(model)).not.toBeNull();
  expect(markers()).toEqual([]);
  expect(await open().refusal(model)).not.toBeNull();
});

it('changes the list only while no other window does', async () => {
  const other = folder.file('other.gguf');
  writeFileSync(other, 'weights');
  const lock = heldByAnother();
  const wait = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
    // The other window writes while it holds the list.
    if (lock !== null) writeFileSync(join(stateDirectory, 'crashed-models.json'), JSON.stringify([entry]));
    lock?.release();
    return 'timed-out';
  });
  const entry = { file: await identify(other), kind: 'use' };
  await leaveMarker(model);
  expect(await open().refusal(model)).not.toBeNull();
  expect(wait).toHaveBeenCalled();
  wait.mockRestore();
  expect(await open().refusal(model)).not.toBeNull();
  expect(await open().refusal(other)).not.toBeNull();
});

describe.skipIf(disk === null)('on a full disk', () => {
  const onDisk = () => join(disk?.path ?? '', `state-${count}`);
  let ballast = '';
  afterEach(() => {
    disk?.resize(DISK_BYTES);
    rmSync(ballast, { force: true });
  });

  it('a file is forgiven that was refused before', async () => {
    const before = open('/starter.gguf', onDisk());
    before.note(model);
    expect(await before.refusal(model)).not.toBeNull();
    ballast = disk?.fill() ?? '';
    const models = open('/starter.gguf', onDisk());
    expect(await models.forgive(model)).toBe(true);
    expect(await models.refusal(model)).toBeNull();
    // Nobody else knows of it before there is room.
    expect(await open('/starter.gguf', onDisk()).refusal(model)).not.toBeNull();
    rmSync(ballast);
    models.note(other());
    expect(await models.refusal(other())).not.toBeNull();
    expect(await open('/starter.gguf', onDisk()).refusal(model)).toBeNull();
  });

  it('a file is forgiven whose load ended a process, and refused again if it ends another one', async () => {
    stateDirectory = onDisk();
    await leaveMarker(model);
    ballast = disk?.fill() ?? '';
    const models = open();
    expect(await models.forgive(model)).toBe(true);
    expect(await models.refusal(model)).toBeNull();
    expect(await open().refusal(model)).toBeNull();
    rmSync(ballast);
    await leaveMarker(model);
    expect(await models.refusal(model)).not.toBeNull();
    expect(await open().refusal(model)).not.toBeNull();
  });

  it('that can only be read as well', async () => {
    stateDirectory = onDisk();
    await leaveMarker(model);
    disk?.makeReadOnly();
    const models = open();
    expect(await models.forgive(model)).toBe(true);
    expect(await models.refusal(model)).toBeNull();
  });
});

it('forgives a file for which nothing could be written', async () => {
  const without = open('/starter.gguf', null);
  without.note(model);
  expect(await without.refusal(model)).not.toBeNull();
  expect(await without.forgive(model)).toBe(true);
  expect(await without.refusal(model)).toBeNull();
});
