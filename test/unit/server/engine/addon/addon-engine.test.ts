import { expect, it } from 'vitest';
import { AddonEngine, type ReadCard } from '../../../../../server/src/engine/addon/addon-engine.js';
import type {
  NativeAddon,
  NativeEngine,
  NativeGenerationResult,
  NativeModelFacts,
} from '../../../../../server/src/engine/addon/addon-types.js';
import { SILENT } from '../../scripted-engine.js';

const FACTS = {
  path: '/model.gguf',
  name: 'Model',
  quantization: 'Q4_K - Medium',
  contextLength: 1024,
  mtpLayerCount: 1,
  fim: { prefix: 7, suffix: 8, middle: 9, pad: -1, repo: -1, fileSep: 10 },
  bosToken: -1,
  addBos: false,
  chatTemplate: null,
} as unknown as NativeModelFacts;

const RESULT = {
  text: 'ab',
  tokens: [1, 2],
  logProbabilities: [-0.1, -0.2],
  givenTypedLogProbabilities: [-0.05, -0.2],
  pieceLengths: [0, 2],
  stopReason: 'endOfText',
  metrics: { promptTokens: 5, generatedTokens: 2, replayedTokens: 1, preemptions: 0, verifyMs: [4.5, 5] },
} as unknown as NativeGenerationResult;

const never = new AbortController().signal;

/** The engine port over an addon that answers with these. */
function engineWith(facts: NativeModelFacts, result: NativeGenerationResult, readCard?: ReadCard): AddonEngine {
  class FakeEngine {
    load = async () => facts;
    generate = () => ({ result: Promise.resolve(result), abort: () => undefined });
  }
  const addon = { Engine: FakeEngine as unknown as new () => NativeEngine } as unknown as NativeAddon;
  return new AddonEngine(addon, SILENT, undefined, readCard);
}

it('says null where the vocabulary has no such token', async () => {
  const facts = await engineWith(FACTS, RESULT).load({ path: '/model.gguf' }, () => undefined, never);
  expect(facts).toMatchObject({
    kind: 'local',
    path: '/model.gguf',
    quantization: 'Q4_K_M',
    mtp: true,
    fim: { prefix: 7, suffix: 8, middle: 9, pad: null, repo: null, fileSep: 10 },
    bosToken: null,
  });
});

it('adds what the file says of its making', async () => {
  const card = { isStarter: true, languages: ['python'], trainingContextLength: 2048, nextEditFormat: 'sweep' };
  const asked: string[] = [];
  const engine = engineWith(FACTS, RESULT, async (path) => {
    asked.push(path);
    return card;
  });
  expect(await engine.load({ path: '/model.gguf' }, () => undefined, never)).toMatchObject(card);
  expect(asked).toEqual(['/model.gguf']);
});

it('says null for the tokens of a model that cannot fill in the middle', async () => {
  const engine = engineWith({ ...FACTS, fim: null, mtpLayerCount: 0, bosToken: 0 }, RESULT);
  const facts = await engine.load({ path: '/model.gguf' }, () => undefined, never);
  expect(facts).toMatchObject({ fim: null, mtp: false, bosToken: 0 });
});

it('joins runners-up with their probabilities, and has none where they were not asked for', async () => {
  const asked = { ...RESULT, runnersUp: [-1, 4], runnerUpLogProbabilities: [0, -0.5] };
  const request = { prompt: ['p'], maxTokens: 2, runnersUp: true };
  const result = await engineWith(FACTS, asked).generate(request, () => undefined, never);
  expect(result.runnersUp).toEqual([null, { token: 4, logProbability: -0.5 }]);
  expect((await engineWith(FACTS, RESULT).generate(request, () => undefined, never)).runnersUp).toEqual([]);
});

it('keeps what only a local engine measures apart from what all engines say', async () => {
  const { metrics } = await engineWith(FACTS, RESULT).generate({ prompt: ['p'], maxTokens: 2 }, () => undefined, never);
  expect(metrics).toMatchObject({ promptTokens: 5, generatedTokens: 2, local: { replayedTokens: 1, preemptions: 0 } });
  expect(metrics.local).toMatchObject({ draftFailure: null, stepMs: 4.5 });
  const unmeasured = { ...RESULT, metrics: { ...RESULT.metrics, verifyMs: [0, 0] } };
  const later = await engineWith(FACTS, unmeasured).generate({ prompt: ['p'], maxTokens: 2 }, () => undefined, never);
  expect(later.metrics.local?.stepMs).toBeNull();
});

it('counts the processor time that an answer takes', async () => {
  class BusyEngine {
    load = async () => FACTS;
    generate = () => {
      const start = process.cpuUsage();
      while (process.cpuUsage(start).user + process.cpuUsage(start).system < 30_000);
      return { result: Promise.resolve(RESULT), abort: () => undefined };
    };
  }
  const addon = { Engine: BusyEngine as unknown as new () => NativeEngine } as unknown as NativeAddon;
  const engine = new AddonEngine(addon, SILENT);
  const { metrics } = await engine.generate({ prompt: ['p'], maxTokens: 2 }, () => undefined, never);
  expect(metrics.local?.processorMs).toBeGreaterThanOrEqual(30);
});

it('opens an addon that starts drivers within the load, and not before', async () => {
  const steps: string[] = [];
  class FakeEngine {
    load = async () => FACTS;
    close = async () => void steps.push('closed');
  }
  const open = () => {
    steps.push('opened');
    return { Engine: FakeEngine as unknown as new () => NativeEngine } as unknown as NativeAddon;
  };
  const unused = new AddonEngine(open, SILENT);
  await unused.close();
  const engine = new AddonEngine(open, SILENT, async (_path, load) => {
    steps.push('marked');
    return load(() => undefined);
  });
  expect(steps).toEqual([]);
  await engine.load({ path: '/model.gguf' }, () => undefined, never);
  await engine.close();
  expect(steps).toEqual(['marked', 'opened', 'closed']);
});

it.each([
  ['CPU', 0],
  ['Vulkan', 2],
])('guards the answers of a model on %s: %d of 2', async (backend, expected) => {
  let guarded = 0;
  class FakeEngine {
    load = async () => ({ ...FACTS, backend });
    generate = () => ({ result: Promise.resolve(RESULT), abort: () => undefined });
  }
  const addon = { Engine: FakeEngine as unknown as new () => NativeEngine } as unknown as NativeAddon;
  const engine = new AddonEngine(addon, SILENT, undefined, undefined, (work) => {
    guarded += 1;
    return work();
  });
  await engine.load({ path: '/model.gguf' }, () => undefined, never);
  for (let count = 0; count < 2; count += 1)
    await engine.generate({ prompt: ['p'], maxTokens: 2 }, () => undefined, never);
  expect(guarded).toBe(expected);
});
