import { afterEach, describe, expect, it } from 'vitest';
import { crashedStatus, NOT_STARTED_STATUS, STARTING_STATUS } from '../../../../extension/src/client/session-status.js';
import type { EditedLanguage } from '../../../../extension/src/editor/active-language.js';
import { RESTART_ACTION } from '../../../../extension/src/status/error-action.js';
import {
  type StatusSurroundings,
  statusView,
  withoutBackground,
} from '../../../../extension/src/status/status-view.js';
import {
  type EngineErrorCode,
  type EngineState,
  type InklingStatus,
  type MemorySummary,
  setTranslations,
} from '../../../../server/protocol/index.js';
import { STARTER_MODEL, servingStatus } from './status-fixture.js';

const CALM: StatusSurroundings = { snoozedUntil: null, isAutomatic: true, edited: null, showsMemory: false };
const WITH_NUMBERS = { ...CALM, showsMemory: true };
const SNOOZED = { ...CALM, snoozedUntil: 1 };
const ON_REQUEST = { ...CALM, isAutomatic: false };
const inLanguage = (edited: EditedLanguage) => ({ ...CALM, edited });
const inPlainText = inLanguage({ languageId: 'plaintext', languages: { plaintext: false } });

afterEach(() => setTranslations(null));

describe('statusView', () => {
  it('uses the language that is set at the time of the call', () => {
    const texts = { Ready: 'Bereit', Memory: 'Speicher', Snooze: 'Stummschalten' };
    setTranslations({ language: 'de', texts });
    const { text, headline, rows, links } = statusView(servingStatus({ kind: 'ready' }), WITH_NUMBERS);
    expect([text, headline]).toEqual(['$(inkling-drop) Bereit 0,1 / 8,0 GB', 'Bereit']);
    expect(rows.map(({ label }) => label)).toContain('Speicher');
    expect(links.map(({ label }) => label)).toContain('Stummschalten');
  });

  it.each([
    ['a server that was asked for', STARTING_STATUS, '$(inkling-drop) Loading 0%'],
    ['loading', servingStatus({ kind: 'loading', progress: 0.427 }), '$(inkling-drop) Loading 42%'],
    ['nearly all bytes read', servingStatus({ kind: 'loading', progress: 0.999 }), '$(inkling-drop) Loading 99%'],
    ['all bytes read, not ready', servingStatus({ kind: 'loading', progress: 1 }), '$(inkling-drop) Preparing'],
    ['ready', servingStatus({ kind: 'ready' }), '$(inkling-drop) Ready'],
    ['working', servingStatus({ kind: 'working' }), '$(loading~spin) Ready'],
    ['unloaded', servingStatus({ kind: 'unloaded', reason: 'idle' }), '$(inkling-drop) Unloaded'],
    ['off', servingStatus({ kind: 'off' }), '$(inkling-drop) Off'],
    ['never started', NOT_STARTED_STATUS, '$(inkling-drop) Off'],
    ['crashed too often', crashedStatus(5, false), '$(inkling-drop) Error'],
  ])('is the drop and the state when it is %s', (_name, status, text) => {
    expect(statusView(status).text).toBe(text);
  });

  it('has numbers behind the state when they are wanted and known', () => {
    const status = servingStatus({ kind: 'ready' });
    expect(statusView(status, WITH_NUMBERS).text).toBe('$(inkling-drop) Ready 0.1 / 8.0 GB');
    expect(statusView({ ...status, memory: null }, WITH_NUMBERS).text).toBe('$(inkling-drop) Ready');
  });

  it('says calmly that the model does not know the language of the active editor', () => {
    const status = servingStatus({ kind: 'ready' });
    const languages = { '*': true, plaintext: false };
    const sentence = 'The starter model knows TypeScript, JavaScript and Python. Choose a model for Java';
    const view = statusView(status, inLanguage({ languageId: 'java', languages }));
    expect(view).toMatchObject({ headline: sentence, accessibleText: `Inkling: ${sentence}`, color: 'normal' });
    expect(view.text).toBe('$(inkling-drop) Unknown language');
    expect(view.remedies.map(({ label }) => label)).toEqual(['Choose a model']);
    expect(view.links[0]).toEqual(view.remedies[0]);
  });

  it('says calmly that suggestions are off in the language of the active editor, and turns them on', () => {
    const edited = { languageId: 'plaintext', languages: { '*': true, plaintext: false } };
    const view = statusView(servingStatus({ kind: 'ready' }), inLanguage(edited));
    expect(view).toMatchObject({
      text: '$(inkling-drop) Off for Plain Text',
      headline: 'Suggestions are turned off for Plain Text',
      color: 'normal',
    });
    expect(view.remedies).toMatchObject([
      { label: 'Turn on for this language', command: 'inkling.internal.turnOnLanguage' },
    ]);
    const loading = statusView(servingStatus({ kind: 'loading', progress: 0 }), inLanguage(edited));
    expect(loading.remedies).toEqual([]);
  });

  it('makes no icon of the id of a language', () => {
    const edited = { languageId: '$(error)', languages: { '*': false } };
    const { text } = statusView(servingStatus({ kind: 'ready' }), inLanguage(edited));
    expect(text).toBe('$(inkling-drop) Off for $ (error)');
  });

  it.each<[string, InklingStatus, StatusSurroundings, string | null]>([
    ['ready', servingStatus({ kind: 'ready' }), CALM, null],
    ['working', servingStatus({ kind: 'working' }), CALM, null],
    ['off', NOT_STARTED_STATUS, CALM, 'Inkling is off.'],
    ['off in a language that is off', servingStatus({ kind: 'off' }), inPlainText, 'Inkling is off.'],
    ['snoozed', servingStatus({ kind: 'ready' }), SNOOZED, 'Snoozed until'],
    ['off in this language', servingStatus({ kind: 'ready' }), inPlainText, 'turned off for Plain Text.'],
    ['loading', STARTING_STATUS, CALM, 'Loading the model'],
    ['unloaded', servingStatus({ kind: 'unloaded', reason: 'idle' }), CALM, 'The next key loads the model again.'],
    ['crashed', crashedStatus(5, false), CALM, 'Inkling did not restart it.'],
  ])('knows why no suggestions come by themselves while it is %s', (_name, status, surroundings, reason) => {
    const { obstacle } = statusView(status, surroundings);
    if (reason === null) expect(obstacle).toBeNull();
    else expect(obstacle).toContain(reason);
    expect(obstacle ?? '.').toMatch(/[^.]\.$|^\.$/);
  });

  it.each([
    ['a language that the model knows', { kind: 'ready' }, 'python', {}],
    ['one that the user switched on', { kind: 'ready' }, 'java', { java: true }],
    ['a model unloaded that a key here loads', { kind: 'unloaded', reason: 'idle' }, 'python', {}],
    ['a suggestion under way that the user asked for', { kind: 'working' }, 'java', {}],
    ['suggestions off', { kind: 'off' }, 'java', {}],
  ] as const)('says nothing of languages with %s', (_name, state, languageId, languages) => {
    const status = servingStatus(state);
    expect(statusView(status, inLanguage({ languageId, languages }))).toEqual(statusView(status));
  });

  it.each(['idle', 'battery', 'user', 'memoryPressure'] as const)(
    'says of an unloaded model that keys load nothing in a language without suggestions: %s',
    (reason) => {
      const status = servingStatus({ kind: 'unloaded', reason });
      const off = statusView(status, inPlainText);
      expect(off.text).toBe('$(inkling-drop) Off for Plain Text');
      expect(off.headline).toBe('Suggestions are turned off for Plain Text. Unloaded');
      expect(off.obstacle).toBe(`${off.headline}.`);
      expect(off.remedies.map(({ label }) => label)).toEqual(['Turn on for this language', 'Load the model']);
      const unknown = statusView(status, inLanguage({ languageId: 'java', languages: {} }));
      expect(unknown.headline).toMatch(/^The starter model knows .*\. Choose a model for Java\. Unloaded$/);
      expect(unknown.remedies.map(({ label }) => label)).toEqual(['Choose a model', 'Load the model']);
    },
  );

  it('says nothing of languages while snoozed, or where the model does not say', () => {
    const status = servingStatus({ kind: 'ready' });
    const java = { languageId: 'java', languages: {} };
    expect(statusView(status, { ...SNOOZED, edited: java })).toEqual(statusView(status, SNOOZED));
    const silent = servingStatus({ kind: 'ready' }, { ...STARTER_MODEL, languages: null });
    expect(statusView(silent, inLanguage(java))).toEqual(statusView(silent));
  });

  it('is coloured by errors and shortage of memory only', () => {
    const states = [
      { kind: 'loading', progress: 0 },
      { kind: 'ready' },
      { kind: 'working' },
      { kind: 'unloaded', reason: 'memoryPressure' },
      { kind: 'off' },
    ] as const;
    expect(states.map((state) => statusView(servingStatus(state)).color)).toEqual(states.map(() => 'normal'));
    expect(statusView(crashedStatus(5, false)).color).toBe('error');
    const colorWith = (memory: Partial<MemorySummary>) =>
      statusView(servingStatus({ kind: 'ready' }, STARTER_MODEL, memory)).color;
    expect(colorWith({ inUseBytes: 7_100_000_000 })).toBe('normal');
    expect(colorWith({ inUseBytes: 7_300_000_000 })).toBe('warning');
    expect(colorWith({ windowCount: 1, windowBytes: 17e9 })).toBe('normal');
    expect(colorWith({ windowCount: 3, windowBytes: 17e9 })).toBe('warning');
  });

  it.each<[EngineErrorCode, string]>([
    ['fileNotFound', 'Choose a model'],
    ['notGguf', 'Choose a model'],
    ['noFimTokens', 'Choose a model'],
    ['outOfMemory', 'Choose a model'],
    ['addonUnavailable', 'Show log'],
    ['internal', 'Restart'],
    ['decodeFailed', 'Restart'],
  ])('offers for the error %s first: %s', (code, label) => {
    const view = statusView(servingStatus({ kind: 'error', error: { code, message: 'It failed.' } }));
    expect(view.headline).toBe('It failed.');
    expect(view.remedies.map((remedy) => remedy.label)).toEqual([...new Set([label, 'Show log'])]);
    expect(view.links.slice(0, view.remedies.length)).toEqual(view.remedies);
  });

  it('explains too many crashes and offers a restart', () => {
    const view = statusView(crashedStatus(5, false));
    expect(view.headline).toContain('5 times');
    expect(view.remedies[0]).toEqual(RESTART_ACTION);
    expect(view.rows).toEqual([]);
  });

  it.each([
    ['crashedWithModel', ['Use the starter model', 'Restart', 'Show log']],
    ['modelCrashed', ['Try again', 'Choose a model', 'Show log']],
  ] as const)('has for %s these actions: %j', (code, labels) => {
    const view = statusView(servingStatus({ kind: 'error', error: { code, message: 'It failed.' } }));
    expect(view.remedies.map((remedy) => remedy.label)).toEqual(labels);
  });

  it.each<[string, InklingStatus, StatusSurroundings, string[]]>([
    ['ready', servingStatus({ kind: 'ready' }), CALM, []],
    ['off', NOT_STARTED_STATUS, CALM, ['Turn on']],
    ['unloaded', servingStatus({ kind: 'unloaded', reason: 'idle' }), CALM, ['Load the model']],
    ['snoozed', servingStatus({ kind: 'ready' }), SNOOZED, ['End snooze']],
    ['off and snoozed', servingStatus({ kind: 'off' }), SNOOZED, ['Turn on']],
  ])('has four links while it is %s', (_name, status, surroundings, remedies) => {
    const view = statusView(status, surroundings);
    expect(view.remedies.map(({ label }) => label)).toEqual(remedies);
    const usual = ['Why no suggestion?', 'Memory', 'Choose a model', 'Snooze'];
    expect(view.links.map(({ label }) => label)).toEqual([...remedies, ...usual].slice(0, 4));
  });

  it.each<EngineState>([
    { kind: 'loading', progress: 0.5 },
    { kind: 'unloaded', reason: 'idle' },
    { kind: 'unloaded', reason: 'user' },
    { kind: 'error', error: { code: 'loadFailed', message: 'It failed.' } },
  ])('ends a snooze, and begins none, while it is snoozed and %j', (state) => {
    const view = statusView(servingStatus(state), SNOOZED);
    expect(view.remedies.map(({ label }) => label)).toContain('End snooze');
    expect(view.links.map(({ label }) => label)).toContain('End snooze');
    expect(view.links.map(({ label }) => label)).not.toContain('Snooze');
    expect(view.links.length).toBeLessThanOrEqual(4);
  });

  it('says of a model that was unloaded during a snooze that keys load nothing', () => {
    const view = statusView(servingStatus({ kind: 'unloaded', reason: 'idle' }), SNOOZED);
    expect(view.text).toBe('$(inkling-drop) Snoozed');
    expect(view.headline).toMatch(/^Snoozed until \d.*\. Unloaded$/);
    expect(view.obstacle).toBe(`${view.headline}.`);
    expect(view.remedies.map(({ label }) => label)).toEqual(['End snooze', 'Load the model']);
  });

  it.each(['idle', 'battery'] as const)(
    'names what loads a model that no key loads, as suggestions come on request only: %s',
    (reason) => {
      const view = statusView(servingStatus({ kind: 'unloaded', reason }), ON_REQUEST);
      expect(view.headline).toBe('Unloaded');
      expect(view.obstacle).toContain('Run "Inkling: Load Model" or "Trigger Inline Suggestion"');
    },
  );

  it('says until when it is snoozed', () => {
    const view = statusView(servingStatus({ kind: 'ready' }), SNOOZED);
    expect(view.text).toBe('$(inkling-drop) Snoozed');
    expect(view.headline).toMatch(/^Snoozed until \d/);
  });

  it('has three parts in the tooltip: model, memory with one bar of the budget, last suggestion', () => {
    expect(statusView(servingStatus({ kind: 'ready' })).rows).toEqual([
      { label: 'Model', value: 'Inkling Starter 55M · Q4_K_M', share: null },
      { label: 'Memory', value: '0.1 / 8.0 GB budget', share: 91 / 8000 },
      { label: 'Last suggestion', value: '42 ms, 12 tokens', share: null },
    ]);
  });

  it('names the GPU that holds the model in the tooltip', () => {
    const gpus = [{ name: 'RTX 3060', heldBytes: 2e9, freeBytes: 5e9, totalBytes: 8e9 }];
    const { rows } = statusView(servingStatus({ kind: 'ready' }, STARTER_MODEL, { gpus }));
    expect(rows).toContainEqual({ label: 'GPU', value: '2.0 GB on RTX 3060', share: null });
  });

  it.each(['user', 'memoryPressure'] as const)('says what loads a model that stays unloaded: %s', (reason) => {
    const { obstacle } = statusView(servingStatus({ kind: 'unloaded', reason }));
    expect(obstacle).toContain('Run "Inkling: Load Model" or "Trigger Inline Suggestion"');
    expect(obstacle?.includes('to free memory')).toBe(reason === 'memoryPressure');
  });

  it.each([
    ['deviceUnknown', 'Change the setting'],
    ['deviceUnusable', 'Try again'],
    ['gpuGivenUp', 'Try again'],
  ] as const)('is ready after %s, with a warning: the processor suggests instead; offers: %s', (code, remedy) => {
    const error = { code, message: 'The GPU cannot be used. The processor is used.' };
    const view = statusView(servingStatus({ kind: 'error', error }));
    expect(view.obstacle).toBeNull();
    expect(view.text).toBe('$(inkling-drop) Ready');
    expect(view.color).toBe('warning');
    expect(view.headline).toBe(`Ready. ${error.message}`);
    expect(view.remedies.map(({ label }) => label)).toEqual([remedy, 'Show log']);
  });

  it('says of a model with a drawback what it says of another: that it makes no suggestions here, and why', () => {
    const error = { code: 'deviceUnknown', message: 'The processor is used.' } as const;
    const status = servingStatus({ kind: 'error', error });
    const off = statusView(status, inPlainText);
    expect(off.headline).toBe('Suggestions are turned off for Plain Text. The processor is used.');
    expect(off.obstacle).toBe('Suggestions are turned off for Plain Text.');
    expect(off.remedies.map(({ label }) => label)).toContain('Change the setting');
    const snoozed = statusView(status, SNOOZED);
    expect(snoozed.text).toBe('$(inkling-drop) Snoozed');
    expect(snoozed.remedies.map(({ label }) => label)).toEqual(['End snooze', 'Change the setting', 'Show log']);
    const { headline } = statusView(servingStatus({ kind: 'error', error }, STARTER_MODEL, { inUseBytes: 9e9 }));
    expect(headline).toMatch(/^Ready\. The processor is used\. .*budget/);
  });

  it('names the ways to load an unloaded model', () => {
    expect(statusView(servingStatus({ kind: 'unloaded', reason: 'idle' })).headline).toContain('next key');
    expect(statusView(servingStatus({ kind: 'unloaded', reason: 'user' })).headline).toBe('Unloaded');
  });

  it('says in words what the colour means', () => {
    const full = servingStatus({ kind: 'ready' }, STARTER_MODEL, { inUseBytes: 7_900_000_000 });
    expect(statusView(full).accessibleText).toBe('Inkling: Ready. The memory budget is almost used up');
  });

  it('ends an error with one full stop before a warning', () => {
    const error = { code: 'gpuGivenUp', message: 'The GPU failed. The processor is slower.' } as const;
    const full = servingStatus({ kind: 'error', error }, STARTER_MODEL, { inUseBytes: 7_900_000_000 });
    expect(statusView(full).headline).toBe(`Ready. ${error.message} The memory budget is almost used up`);
  });

  it('describes the state to a screen reader', () => {
    expect(statusView(servingStatus({ kind: 'ready' })).accessibleText).toBe('Inkling: Ready');
  });
});

describe('an engine on another machine', () => {
  const remote = { host: 'gpu-box:8080', kind: 'ollama' } as const;
  const there = (state: EngineState): InklingStatus => ({
    ...servingStatus(state, { ...STARTER_MODEL, name: 'coder:7b', parameterCount: null, quantization: null }),
    remote,
  });
  it.each<[EngineState, string, string, string]>([
    [
      { kind: 'loading', progress: 0 },
      '$(inkling-drop) Connecting to gpu-box:8080',
      'Connecting to gpu-box:8080',
      'normal',
    ],
    [{ kind: 'ready' }, '$(inkling-drop) Ready on gpu-box:8080', 'Ready on gpu-box:8080', 'normal'],
    [{ kind: 'working' }, '$(loading~spin) Ready on gpu-box:8080', 'Generating a suggestion', 'normal'],
    [{ kind: 'working', work: 'answer' }, '$(loading~spin) Ready on gpu-box:8080', 'Writing an answer', 'normal'],
    [
      { kind: 'error', error: { code: 'remoteUnreachable', message: 'gpu-box:8080 cannot be found' } },
      '$(inkling-drop) Not connected',
      'gpu-box:8080 cannot be found. Retrying automatically',
      'warning',
    ],
    [
      { kind: 'error', error: { code: 'remoteFailed', message: 'gpu-box:8080 failed' } },
      '$(inkling-drop) Error',
      'gpu-box:8080 failed',
      'error',
    ],
  ])('is named while it is %j', (state, text, headline, color) => {
    expect(statusView(there(state), WITH_NUMBERS)).toMatchObject({ text, headline, color });
  });

  it('has its memory on the remote machine: this one holds only the server itself', () => {
    const view = statusView(there({ kind: 'ready' }));
    expect(view.rows.map(({ label, value, share }) => [label, value, share])).toEqual([
      ['Model', 'coder:7b · gpu-box:8080 (Ollama)', null],
      ['Memory', '91 MB on this machine', null],
      ['Last suggestion', '42 ms, 12 tokens', null],
    ]);
    expect(view.links.map(({ label }) => label)).toContain('Remote server');
  });

  it.each<[EngineErrorCode, string]>([
    ['remoteUnreachable', 'Try again'],
    ['remoteFailed', 'Try again'],
    ['remoteUnauthorized', 'Set remote API key'],
    ['remoteNotFound', 'Remote server'],
    ['remoteModelUnknown', 'Change the setting'],
  ])('that fails with %s has first: %s', (code, label) => {
    const { links, remedies } = statusView(there({ kind: 'error', error: { code, message: 'no' } }));
    expect(remedies[0]?.label).toBe(label);
    expect(remedies.map((remedy) => remedy.label)).toContain('Remote server');
    expect(links.length).toBeLessThanOrEqual(4);
  });
});

it('does not speak of work that nobody waits for', () => {
  const ahead = withoutBackground(servingStatus({ kind: 'working', work: 'background' }));
  expect(ahead).toEqual(servingStatus({ kind: 'ready' }));
  const wanted = servingStatus({ kind: 'working' });
  expect(withoutBackground(wanted)).toBe(wanted);
});

it('says that a model for chat alone writes an answer', () => {
  const chat = { state: { kind: 'working', work: 'answer' }, path: '/models/chat.gguf', model: null } as const;
  const { text, headline } = statusView({ ...servingStatus({ kind: 'ready' }), chat });
  expect([text, headline]).toEqual(['$(loading~spin) Ready', 'Writing an answer']);
  // Nobody waits for what it does in the background.
  for (const state of [{ kind: 'ready' }, { kind: 'working', work: 'background' }] as const) {
    const quiet = statusView({ ...servingStatus({ kind: 'ready' }), chat: { ...chat, state } });
    expect([quiet.text, quiet.headline]).toEqual(['$(inkling-drop) Ready', 'Ready']);
  }
});
