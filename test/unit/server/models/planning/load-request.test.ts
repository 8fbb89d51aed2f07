import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../../server/protocol/index.js';
import { chatLoadRequest, loadRequest } from '../../../../../server/src/models/planning/load-request.js';

const STARTER = '/starter.gguf';
const ROOM = () => 1536;

describe('the load request', () => {
  test('of the completion engine', () => {
    const own = { threads: 3, contextLength: 2048 };
    const settings = { ...DEFAULT_SETTINGS, ...own, engineShare: 'on' as const, memoryBudgetGb: 1.5 };
    const rest = { ...own, deviceSetting: 'auto', share: 'on', suggestionTokens: 2048, budgetBytes: 1.5e9 };
    expect(loadRequest(settings, STARTER, ROOM)).toEqual({ path: STARTER, ...rest });
    expect(loadRequest({ ...settings, modelPath: '/own.gguf' }, STARTER, ROOM)).toEqual({ path: '/own.gguf', ...rest });
  });

  test('has room for the prompts of its model', () => {
    const room = (path: string) => (path === STARTER ? 1536 : 4096);
    const asked = ['', '/own.gguf'].map((modelPath) => loadRequest({ ...DEFAULT_SETTINGS, modelPath }, STARTER, room));
    expect(asked.map(({ suggestionTokens }) => suggestionTokens)).toEqual([2048, 4608]);
  });

  test.each([
    ['one model for both', '', '/a.gguf', null, null],
    ['the same model, named twice', '/a.gguf', '/a.gguf', null, null],
    ['another one', '/b.gguf', '/a.gguf', null, '/b.gguf'],
    ['the same model, which cannot complete', '/a.gguf', '/a.gguf', '/a.gguf', '/a.gguf'],
    ['one for both, which cannot complete', '', '/a.gguf', '/a.gguf', null],
    ['one that was unfit and is no longer wanted', '/b.gguf', '/b.gguf', '/a.gguf', null],
  ])('of a model for chat alone: %s', (_name, chatModelPath, modelPath, unfitPath, expected) => {
    const settings = { ...DEFAULT_SETTINGS, modelPath, chatModelPath };
    const asked = chatLoadRequest(settings, loadRequest(settings, STARTER, ROOM), unfitPath);
    expect(asked?.path ?? null).toBe(expected);
    if (asked !== null) expect(asked).toMatchObject({ requireFim: false, suggestionTokens: 0 });
  });

  test('of a model for chat alone, while a remote server completes: any that is named', () => {
    const settings = { ...DEFAULT_SETTINGS, chatModelPath: STARTER, remoteUrl: 'gpu-box' };
    const asked = chatLoadRequest(settings, loadRequest(settings, STARTER, ROOM), null);
    expect([asked?.path, asked?.remote]).toEqual([STARTER, undefined]);
  });
});
