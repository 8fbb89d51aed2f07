import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AddonEngine } from '../../../../../server/src/engine/addon/addon-engine.js';
import type {
  NativeAddon,
  NativeEngine,
  NativeModelFacts,
} from '../../../../../server/src/engine/addon/addon-types.js';
import { endHungLoads } from '../../../../../server/src/engine/addon/hung-loads.js';
import { createEngineHost } from '../../../../../server/src/engine/lifecycle/engine-host.js';
import { CrashedModels } from '../../../../../server/src/models/safety/crashed-models.js';
import { looksOf } from '../../../../support/faults/changed-fs.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

const LIMIT_MS = 120_000;
const folder = new TemporaryFolder();
const model = folder.file('hangs.gguf');
let count = 0;
let state: string;
let crashed: CrashedModels;
let errors: string[];
let ends: number;
let progress: (fraction: number) => void;
let finish: (facts: NativeModelFacts) => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  writeFileSync(model, 'weights');
  count += 1;
  state = folder.file(`state-${count}`);
  crashed = openCrashed();
  errors = [];
  ends = 0;
});
afterEach(() => void vi.useRealTimers());
afterAll(() => folder.dispose());

function openCrashed(): CrashedModels {
  return new CrashedModels({ stateDirectory: state, starterModelPath: '/starter.gguf', log: SILENT });
}

const markers = (): readonly string[] => (existsSync(`${state}/loading`) ? readdirSync(`${state}/loading`) : []);

/** Begins to load the model with an addon whose load settles only when the test says so. */
async function startLoad() {
  let start: () => void;
  // `vi.waitFor` would move the clock.
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  class HangingEngine {
    load({ onProgress }: { readonly onProgress: (fraction: number) => void }): Promise<NativeModelFacts> {
      progress = onProgress;
      start();
      return new Promise((resolve) => {
        finish = resolve;
      });
    }
    cancelLoad = () => undefined;
    close = async () => undefined;
  }
  const addon = { Engine: HangingEngine as unknown as new () => NativeEngine } as unknown as NativeAddon;
  const log = { ...SILENT, error: (line: string) => void errors.push(line) };
  // As in the server, whose end takes the markers back.
  const end = (): void => {
    ends += 1;
    crashed.dispose();
  };
  const duringLoad = endHungLoads({ crashed, log, end, limitMs: LIMIT_MS });
  const { lifecycle } = createEngineHost(() => new AddonEngine(addon, SILENT, duringLoad), SILENT);
  lifecycle.want({ path: model });
  await started;
  return lifecycle;
}

it('a load without progress ends the server, and its model is refused from then on', async () => {
  await startLoad();
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect([ends, errors, markers().length]).toEqual([0, [], 1]);
  vi.advanceTimersByTime(1);
  expect(ends).toBe(1);
  expect(errors).toEqual([expect.stringContaining('hangs.gguf made no progress for 120 s')]);
  expect(markers()).toHaveLength(1);
  expect(await openCrashed().refusal(model)).toMatchObject({ code: 'modelCrashed' });
});

it('a load that ends after all, while the server ends, leaves its marker', async () => {
  const lifecycle = await startLoad();
  vi.advanceTimersByTime(LIMIT_MS);
  finish({ path: model, quantization: 'Q8_0', fim: null } as unknown as NativeModelFacts);
  await lifecycle.settled(new AbortController().signal);
  expect(markers()).toHaveLength(1);
});

it('a load that nobody wants any more also ends the server, since every other load waits for it', async () => {
  const lifecycle = await startLoad();
  lifecycle.forget();
  vi.advanceTimersByTime(LIMIT_MS);
  expect(ends).toBe(1);
});

it('a load is not held up by parts that its file counts and that are not there', async () => {
  const path = folder.file('a-00001-of-99999.gguf');
  writeFileSync(path, 'weights');
  const during = endHungLoads({ crashed, log: SILENT, end: () => undefined });
  // The mark of the load takes one look.
  expect(await looksOf(() => during(path, async () => 'loaded'))).toBe(3);
});

it('a slow load that gets on is left alone, and leaves no marker', async () => {
  const lifecycle = await startLoad();
  for (const fraction of [0.1, 0.2, 0.3]) {
    vi.advanceTimersByTime(LIMIT_MS * 0.9);
    progress(fraction);
  }
  finish({ path: model, quantization: 'Q8_0', fim: null } as unknown as NativeModelFacts);
  await lifecycle.settled(new AbortController().signal);
  vi.advanceTimersByTime(2 * LIMIT_MS);
  expect([ends, markers()]).toEqual([0, []]);
  expect(lifecycle.state).toEqual({ kind: 'ready' });
});
