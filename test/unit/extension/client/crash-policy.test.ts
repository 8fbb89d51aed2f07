import { describe, expect, it } from 'vitest';
import {
  type Crash,
  decideAfterCrash,
  recentCrashes,
  suspectModels,
} from '../../../../extension/src/client/crash-policy.js';
import type { EngineState, InklingStatus } from '../../../../server/protocol/index.js';
import { STARTER_MODEL, servingStatus } from '../status/status-fixture.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const at = (times: readonly number[], models: readonly string[] = []): readonly Crash[] =>
  times.map((time) => ({ at: time, models }));

describe('decideAfterCrash', () => {
  it.each([
    ['the first crash', [0], { kind: 'restart', delayMs: 250, withoutModel: null }],
    ['the second', [0, 2 * SECOND], { kind: 'restart', delayMs: 1_000, withoutModel: null }],
    ['the third', [0, 2 * SECOND, 5 * SECOND], { kind: 'restart', delayMs: 4_000, withoutModel: null }],
    ['the fourth', [0, 2 * SECOND, 5 * SECOND, 12 * SECOND], { kind: 'restart', delayMs: 10_000, withoutModel: null }],
    ['the fifth', [0, 2 * SECOND, 5 * SECOND, 12 * SECOND, 25 * SECOND], { kind: 'giveUp', crashes: 5 }],
    [
      'a crash after a quiet time',
      [0, SECOND, 2 * SECOND, 3 * SECOND, 5 * MINUTE],
      { kind: 'restart', delayMs: 250, withoutModel: null },
    ],
    [
      'a crash a minute, for ever',
      [0, 1, 2, 3, 4, 5, 6].map((minute) => minute * MINUTE),
      { kind: 'restart', delayMs: 4_000, withoutModel: null },
    ],
    [
      'four within the window after one outside',
      [0, 2 * MINUTE, 2.5 * MINUTE, 2.9 * MINUTE, 3 * MINUTE],
      { kind: 'restart', delayMs: 10_000, withoutModel: null },
    ],
  ] as const)('answers %s', (_name, crashTimes, decision) => {
    expect(decideAfterCrash(at(crashTimes), crashTimes.at(-1) ?? 0)).toEqual(decision);
  });
});

describe('crashes with a model', () => {
  const without = (model: string) => ({ kind: 'restart', delayMs: 250, withoutModel: model });

  it('leave it out after the third within an hour, however far apart they are', () => {
    const times = [0, 20 * MINUTE, 40 * MINUTE];
    expect(decideAfterCrash(at(times.slice(0, 2), ['a']), 20 * MINUTE)).toMatchObject({ withoutModel: null });
    expect(decideAfterCrash(at(times, ['a']), 40 * MINUTE)).toEqual(without('a'));
    expect(decideAfterCrash(at([0, 40 * MINUTE, 61 * MINUTE], ['a']), 61 * MINUTE)).toMatchObject({
      withoutModel: null,
    });
  });

  it('count for each model by itself', () => {
    const crashes = [...at([0], ['a']), ...at([1], ['b']), ...at([2], ['a', 'b'])];
    expect(decideAfterCrash(crashes, 2)).toMatchObject({ withoutModel: null });
    expect(decideAfterCrash([...crashes, ...at([3], ['b'])], 3)).toEqual(without('b'));
  });
});

describe('suspectModels', () => {
  const TALKER = { ...STARTER_MODEL, path: '/talker.gguf' };
  const withChat = (state: EngineState, chat: EngineState): InklingStatus => ({
    ...servingStatus(state),
    chat: { state: chat, path: TALKER.path, model: TALKER },
  });
  const onGpu = (status: InklingStatus): InklingStatus => ({ ...status, model: { ...STARTER_MODEL, onGpu: true } });
  const idle = { kind: 'unloaded', reason: 'idle' } as const;

  it.each<[string, InklingStatus, readonly string[]]>([
    ['the loaded model', servingStatus({ kind: 'ready' }), [STARTER_MODEL.path]],
    ['no unloaded one', servingStatus(idle), []],
    ['both while both rest', withChat({ kind: 'ready' }, { kind: 'ready' }), [STARTER_MODEL.path, TALKER.path]],
    ['the one at work', withChat({ kind: 'ready' }, { kind: 'working' }), [TALKER.path]],
    ['none on a GPU, whose driver may be why', onGpu(servingStatus({ kind: 'working' })), []],
    ['the one on the processor', onGpu(withChat({ kind: 'ready' }, { kind: 'ready' })), [TALKER.path]],
    ['none on another machine', { ...servingStatus({ kind: 'working' }), remote: { host: 'gpu', kind: null } }, []],
  ])('names %s', (_name, status, expected) => {
    expect(suspectModels(status)).toEqual(expected);
  });
});

describe('recentCrashes', () => {
  it('forgets crashes after an hour', () => {
    expect(recentCrashes(at([0, 1, MINUTE]), 60 * MINUTE)).toEqual(at([1, MINUTE]));
  });
});
