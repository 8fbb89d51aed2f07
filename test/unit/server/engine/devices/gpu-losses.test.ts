import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GpuLosses, type GpuLossesOptions } from '../../../../../server/src/engine/devices/gpu-losses.js';
import { AS_REQUESTED } from '../../../../../server/src/engine/port/plan-load.js';
import { LockFile } from '../../../../../server/src/util/files/lock-file.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

const STARTED_AT = 1_000_000_000;
const MINUTE = 60_000;
/** A process that has ended. */
const DEAD = { pid: spawnSync(process.execPath, ['--eval', '']).pid, start: null };

let folder: TemporaryFolder;
/** Milliseconds since the machine started; each process begins a second after the last one. */
let now: number;

beforeEach(() => {
  folder = new TemporaryFolder();
  now = 5_000;
});
afterEach(() => folder.dispose());

/** As the next process sees it. */
function losses(options: Partial<GpuLossesOptions> = {}): GpuLosses {
  now += 1_000;
  const start = { startedAt: STARTED_AT, bootId: null };
  const base = { stateDirectory: folder.file('state'), log: SILENT, ...start, now: () => now };
  return new GpuLosses({ ...base, ...options });
}

const forEver = () => new Promise<never>(() => undefined);

/** A process that ends while it works with the GPU, such as in a driver that crashes. */
function endAtWork(): void {
  // It looks at the others first, as a plan does.
  const ended = losses({ process: DEAD });
  ended.checkGivenUp();
  void ended.whileItWorks(forEver);
}

const markers = (): readonly string[] =>
  existsSync(folder.file('state/gpu-work')) ? readdirSync(folder.file('state/gpu-work')) : [];

it('gives the GPU up when two processes in a row have lost it', () => {
  losses().add();
  expect(losses().checkGivenUp()).toBe(false);
  losses().add();
  expect(losses().checkGivenUp()).toBe(true);
});

it('counts again after an answer of the GPU, but not what is given up', () => {
  losses().add();
  const next = losses();
  expect(next.checkGivenUp()).toBe(false);
  next.worked();
  losses().add();
  expect(losses().checkGivenUp()).toBe(false);
  losses().add();
  losses().worked();
  expect(losses().checkGivenUp()).toBe(true);
});

it('gives up a GPU that is lost three times within an hour, whatever it answered meanwhile', () => {
  const loseAfterAnswer = () => {
    const each = losses();
    expect(each.checkGivenUp()).toBe(false);
    each.worked();
    each.add();
  };
  for (const pause of [0, 40 * MINUTE, 40 * MINUTE]) {
    now += pause;
    loseAfterAnswer();
  }
  expect(losses().checkGivenUp()).toBe(false);
  loseAfterAnswer();
  expect(losses().checkGivenUp()).toBe(true);
  now += 300 * MINUTE;
  expect(losses().checkGivenUp()).toBe(true);
});

it('tries again when the user wants to, and after a start of the machine', () => {
  losses().add();
  losses().add();
  expect(losses({ startedAt: STARTED_AT + 3_000 }).checkGivenUp()).toBe(true);
  expect(losses({ startedAt: STARTED_AT + 3_600_000 }).checkGivenUp()).toBe(false);
  expect(losses().forgive()).toBe(true);
  expect(losses().checkGivenUp()).toBe(false);
  expect(losses().forgive()).toBe(false);
});

it('knows the start of the machine by its id, where there is one: the clock may be set', () => {
  const DAY = 24 * 60 * MINUTE;
  const first = { bootId: 'first' };
  losses(first).add();
  losses({ ...first, startedAt: STARTED_AT + DAY }).add();
  expect(losses(first).checkGivenUp()).toBe(true);
  expect(losses({ ...first, startedAt: STARTED_AT - DAY }).checkGivenUp()).toBe(true);
  // The machine may be back within seconds.
  expect(losses({ bootId: 'second', startedAt: STARTED_AT + 20_000 }).checkGivenUp()).toBe(false);
  // Without an id on both sides, the clock decides.
  expect(losses({ bootId: null, startedAt: STARTED_AT + 2 * DAY }).checkGivenUp()).toBe(false);
});

it('knows by that id, too, which work a process died of', () => {
  const die = (options: Partial<GpuLossesOptions>) => void losses({ ...options, process: DEAD }).whileItWorks(forEver);
  die({ bootId: 'first' });
  expect(losses({ bootId: 'second' }).checkGivenUp()).toBe(false);
  expect(markers()).toEqual([]);
  for (let count = 0; count < 2; count += 1) {
    die({ bootId: 'second', startedAt: STARTED_AT + count * 60 * MINUTE });
    expect(losses({ bootId: 'second' }).checkGivenUp()).toBe(count === 1);
  }
});

it('counts without a state folder, too', () => {
  const alone = losses({ stateDirectory: null });
  alone.add();
  expect(alone.checkGivenUp()).toBe(false);
  now += 1;
  alone.add();
  expect(alone.checkGivenUp()).toBe(true);
});

it('plans for the processor meanwhile, and says so; a remote server is not concerned', async () => {
  losses().add();
  const request = { path: '/model.gguf', budgetBytes: 1 };
  expect(await losses().around(AS_REQUESTED)(request)).toEqual({ kind: 'fits', options: { path: '/model.gguf' } });
  losses().add();
  const plan = losses().around(AS_REQUESTED);
  expect(await plan(request)).toEqual({
    kind: 'fits',
    options: { path: '/model.gguf', gpuLayers: 0 },
    drawback: { code: 'gpuGivenUp', message: expect.stringContaining('processor') },
  });
  const remote = { address: 'http://gpu-box:8080' } as never;
  expect(await plan({ path: 'remote', remote })).toMatchObject({ options: { path: 'remote', remote } });
  const refused = { kind: 'refused', error: { code: 'outOfMemory', message: 'full' } } as const;
  expect(await losses().around(async () => refused)(request)).toEqual(refused);
});

describe('work on a GPU', () => {
  it('counts as a loss if its process ends meanwhile', () => {
    endAtWork();
    expect(losses().checkGivenUp()).toBe(false);
    expect(markers()).toEqual([]);
    endAtWork();
    expect(losses().checkGivenUp()).toBe(true);
  });

  it('counts nothing while its process lives, in however many windows', async () => {
    const windows = [losses(), losses(), losses()];
    for (const each of windows) {
      expect(each.checkGivenUp()).toBe(false);
      void each.during('/model.gguf', forEver);
    }
    expect(losses().checkGivenUp()).toBe(false);
    for (const each of windows) each.dispose();
    expect(losses().checkGivenUp()).toBe(false);
  });

  it('keeps what other windows have counted when it is over', async () => {
    const window = losses();
    await window.during('/model.gguf', async () => endAtWork());
    window.dispose();
    endAtWork();
    expect(losses().checkGivenUp()).toBe(true);
  });

  it('counts once what several windows lose at the same time', () => {
    const windows = [losses(), losses({ process: DEAD })];
    for (const each of windows) void each.whileItWorks(forEver);
    now += 1_000;
    // One finds out by an error, the other one ends by it.
    windows[0]?.add();
    expect(losses().checkGivenUp()).toBe(false);
    expect(losses().checkGivenUp()).toBe(false);
    losses().add();
    expect(losses().checkGivenUp()).toBe(true);
  });

  it('counts as a loss if it hangs', () => {
    for (let count = 0; count < 2; count += 1) {
      const hung = losses();
      expect(hung.checkGivenUp()).toBe(false);
      void hung.during('/model.gguf', forEver);
      hung.blame();
      hung.dispose();
    }
    expect(losses().checkGivenUp()).toBe(true);
  });

  it('counts for the next process where this one could not write it before its end', () => {
    const lose = () => {
      mkdirSync(folder.file('state'), { recursive: true });
      const byAnother = LockFile.take(folder.file('state/gpu.json.lock'));
      expect(byAnother).not.toBeNull();
      const lost = losses({ process: DEAD });
      void lost.whileItWorks(forEver);
      lost.add();
      lost.dispose();
      byAnother?.release();
    };
    lose();
    expect(losses().checkGivenUp()).toBe(false);
    lose();
    expect(losses().checkGivenUp()).toBe(true);
    expect(markers()).toEqual([]);
  });

  it('counts nothing once it is over, or when the user ends the process', async () => {
    for (let count = 0; count < 2; count += 1) {
      const finished = losses({ process: DEAD, idleMs: 0 });
      await finished.during('/model.gguf', async () => undefined);
      await expect.poll(markers).toEqual([]);
      const ended = losses({ process: DEAD });
      void ended.during('/model.gguf', forEver);
      ended.dispose();
    }
    losses().add();
    expect(losses().checkGivenUp()).toBe(false);
  });

  it('has one marker until it rests, and none once it is disposed', async () => {
    const busy = losses();
    for (let count = 0; count < 3; count += 1) {
      await busy.whileItWorks(async () => expect(markers()).toHaveLength(1));
      expect(markers()).toEqual([expect.stringMatching(/-1\.json$/)]);
    }
    busy.dispose();
    await busy.whileItWorks(async () => expect(markers()).toEqual([]));
  });

  it.each([
    ['no JSON', '{'],
    ['no time', '{"begunAt":"now","startedAt":1}'],
    ['another start of the machine', JSON.stringify({ begunAt: 1, startedAt: 7, process: DEAD })],
  ])('makes nothing of a marker with %s', (_name, content) => {
    endAtWork();
    for (const name of markers()) writeFileSync(folder.file(`state/gpu-work/${name}`), content);
    losses().add();
    expect(losses().checkGivenUp()).toBe(false);
    expect(markers()).toEqual([]);
  });
});
