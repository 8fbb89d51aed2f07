import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GpuLosses } from '../../../../server/src/engine/gpu-losses.js';
import { AS_REQUESTED } from '../../../../server/src/engine/plan-load.js';
import { JsonFile } from '../../../../server/src/util/json-file.js';
import { SILENT } from '../scripted-engine.js';

const STARTED_AT = 1_000_000_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inkling-gpu-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As the next process sees it. */
function losses(startedAt = STARTED_AT): GpuLosses {
  return new GpuLosses(new JsonFile(join(folder, 'gpu.json'), SILENT), startedAt);
}

it('gives the GPU up when two processes in a row have lost it', () => {
  losses().add();
  expect(losses().isGivenUp).toBe(false);
  losses().add();
  expect(losses().isGivenUp).toBe(true);
});

it('counts again after an answer, which on the processor says nothing', () => {
  losses().add();
  losses().worked();
  losses().add();
  expect(losses().isGivenUp).toBe(false);
  losses().add();
  losses().worked();
  expect(losses().isGivenUp).toBe(true);
});

it('tries again when the user wants to, and after a start of the machine', () => {
  losses().add();
  losses().add();
  expect(losses(STARTED_AT + 3_000).isGivenUp).toBe(true);
  expect(losses(STARTED_AT + 3_600_000).isGivenUp).toBe(false);
  expect(losses().forgive()).toBe(true);
  expect(losses().isGivenUp).toBe(false);
  expect(losses().forgive()).toBe(false);
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

describe('a load onto a GPU', () => {
  it('counts as a loss if its process ends meanwhile', async () => {
    for (let count = 0; count < 2; count += 1) void losses().during('/model.gguf', () => new Promise(() => undefined));
    expect(losses().isGivenUp).toBe(true);
  });

  it('counts as a loss if it hangs', () => {
    for (let count = 0; count < 2; count += 1) {
      const hung = losses();
      void hung.during('/model.gguf', () => new Promise(() => undefined));
      hung.blame();
      hung.dispose();
    }
    expect(losses().isGivenUp).toBe(true);
  });

  it('counts nothing once it is over, or when the user ends the process', async () => {
    for (let count = 0; count < 2; count += 1) {
      await losses().during('/model.gguf', async () => undefined);
      const ended = losses();
      void ended.during('/model.gguf', () => new Promise(() => undefined));
      ended.dispose();
    }
    losses().add();
    expect(losses().isGivenUp).toBe(false);
  });
});
