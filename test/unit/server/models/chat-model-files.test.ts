import { describe, expect, it } from 'vitest';
import type { LoadRequest } from '../../../../server/src/engine/port/engine.js';
import { EngineError } from '../../../../server/src/engine/port/engine-error.js';
import { ChatModelFiles, type ChatModelFilesOptions } from '../../../../server/src/models/chat-model-files.js';
import type { GgufHeader } from '../../../../server/src/models/gguf/gguf-header.js';
import type { Planned, TooLarge } from '../../../../server/src/models/planning/load-planner.js';

const LOAD_REQUEST: LoadRequest = { path: '/chat.gguf', contextLength: 4096, budgetBytes: 3e9, requireFim: false };
const TOO_LARGE: TooLarge = {
  kind: 'tooLarge',
  memoryBytes: 4e9,
  contextLength: 4096,
  limitBytes: 3e9,
  limitedBy: 'budget',
  fittingContext: null,
};

interface World {
  readonly header?: Partial<GgufHeader>;
  readonly planned?: Planned | EngineError;
}

function files({
  header = {},
  planned = { kind: 'fits', options: LOAD_REQUEST, memoryBytes: 1e9 },
}: World): ChatModelFiles {
  const options: ChatModelFilesOptions = {
    header: async () =>
      ({ name: 'Talker', architecture: 'qwen2', pooling: null, chatTemplate: '{{ x }}', ...header }) as GgufHeader,
    onDevices: (plan) => plan,
    planner: {
      besidesBytes: 1.5e9,
      workingSetBytes: null,
      planLoad: async () => {
        if (planned instanceof EngineError) throw planned;
        return planned;
      },
    },
    loadRequest: () => ({ path: '/starter.gguf', contextLength: 4096, budgetBytes: 3e9 }),
    machineBytes: 16e9,
  };
  return new ChatModelFiles(options);
}

describe('a model for chat alone', () => {
  it.each<readonly [string, World, RegExp]>([
    ['no decoder', { header: { architecture: 'clip' } }, /architecture 'clip'/],
    ['no chat template', { header: { chatTemplate: null } }, /no chat template/],
    [
      'no room in the budget',
      { planned: TOO_LARGE },
      /^Talker needs about 2\.5 GB for chat beside the 1\.5 GB in use, more than the memory budget of 3\.0 GB$/,
    ],
    [
      'no room on the machine',
      { planned: { ...TOO_LARGE, limitedBy: 'machine' } },
      /too much for this machine with 16\.0 GB$/,
    ],
    ['no room now', { planned: { ...TOO_LARGE, limitedBy: 'available' } }, /more than the 3\.0 GB free now$/],
    [
      'room for a shorter context',
      { planned: { ...TOO_LARGE, fittingContext: 1024 } },
      /3\.0 GB\. A context of 1024 tokens would fit$/,
    ],
    ['nothing that the engine knows', { planned: new EngineError('loadFailed', 'No sense in it') }, /No sense in it/],
  ])('with %s is refused', async (_name, world, message) => {
    const same = files(world);
    expect((await same.refusal('/chat.gguf'))?.message).toMatch(message);
    expect((await same.plan(LOAD_REQUEST)).kind).toBe('refused');
  });

  it('needs no tokens to fill in the middle', async () => {
    const same = files({ header: { fim: false } });
    expect(await same.refusal('/chat.gguf')).toBeNull();
    expect(await same.plan(LOAD_REQUEST)).toMatchObject({ kind: 'fits', options: { requireFim: false } });
  });

  it.each(['embedding', 'reranker'] as const)('is no %s model', async (pooling) => {
    const refused = await files({ header: { pooling } }).plan(LOAD_REQUEST);
    expect(refused).toMatchObject({ kind: 'refused', error: { code: 'unsupportedModel' } });
    expect(refused).toHaveProperty('error.message', expect.stringContaining('a model for search'));
  });

  it('is left to the engine without an estimate where the planner allows that', async () => {
    const { budgetBytes: _, ...options } = LOAD_REQUEST;
    expect(await files({ planned: new EngineError('internal', 'no process') }).plan(LOAD_REQUEST)).toEqual({
      kind: 'fits',
      options,
    });
  });
});
