import { afterEach, describe, expect, it } from 'vitest';
import { RESTART_ACTION } from '../../../extension/src/error-action.js';
import { crashedStatus, NOT_STARTED_STATUS, STARTING_STATUS } from '../../../extension/src/session-status.js';
import { statusView } from '../../../extension/src/status-view.js';
import {
  type EngineErrorCode,
  type EngineState,
  type InklingStatus,
  type MemorySummary,
  setTranslations,
} from '../../../server/protocol/index.js';
import { STARTER_MODEL, servingStatus } from './status-fixture.js';

afterEach(() => setTranslations(null));

describe('statusView', () => {
  it('uses the language that is set at the time of the call', () => {
    const texts = { Restart: 'Neu starten', Ready: 'Bereit', Weights: 'Gewichte', 'Show log': 'Protokoll' };
    setTranslations({ language: 'de', texts });
    const { text, headline, rows, links } = statusView(servingStatus({ kind: 'ready' }));
    expect([text, headline]).toEqual(['$(pencil) Inkling 0,1 / 8,0 GB', 'Bereit']);
    expect(rows.map(({ label }) => label)).toContain('Gewichte');
    expect(links.map(({ label }) => label)).toEqual(expect.arrayContaining(['Neu starten', 'Protokoll']));
  });

  it.each([
    ['a server that was asked for', STARTING_STATUS, '$(loading~spin) Inkling 0%'],
    ['loading', servingStatus({ kind: 'loading', progress: 0.427 }), '$(loading~spin) Inkling 42%'],
    ['all bytes read, not ready', servingStatus({ kind: 'loading', progress: 1 }), '$(loading~spin) Inkling 99%'],
    ['ready', servingStatus({ kind: 'ready' }), '$(pencil) Inkling 0.1 / 8.0 GB'],
    ['ready without figures', { ...STARTING_STATUS, state: { kind: 'ready' } as const }, '$(pencil) Inkling'],
    ['working', servingStatus({ kind: 'working' }), '$(loading~spin) Inkling 0.1 / 8.0 GB'],
    ['unloaded', servingStatus({ kind: 'unloaded', reason: 'idle' }), '$(circle-outline) Inkling unloaded'],
    ['paused', servingStatus({ kind: 'paused' }), '$(debug-pause) Inkling paused'],
    ['never started', NOT_STARTED_STATUS, '$(debug-pause) Inkling paused'],
    ['crashed too often', crashedStatus(5, false), '$(error) Inkling error'],
  ])('writes the text of %s', (_name, status, text) => {
    expect(statusView(status).text).toBe(text);
  });

  it('says calmly that the model does not know the language of the active editor', () => {
    const status = servingStatus({ kind: 'ready' });
    const languages = { '*': true, plaintext: false };
    const sentence = 'The starter model knows TypeScript, JavaScript and Python. Choose a model for Java';
    const view = statusView(status, null, { languageId: 'java', languages });
    expect(view).toMatchObject({ headline: sentence, accessibleText: `Inkling: ${sentence}`, color: 'normal' });
    expect(view.text).toBe('$(circle-slash) Inkling 0.1 / 8.0 GB');
    expect(view.click.label).toBe('Choose a model');
    expect(view.links).toEqual(statusView(status).links);
  });

  it.each([
    ['a language that the model knows', { kind: 'ready' }, 'python', {}],
    ['one that the user switched on', { kind: 'ready' }, 'java', { java: true }],
    ['one that the user switched off', { kind: 'ready' }, 'java', { java: false }],
    ['no model loaded', { kind: 'unloaded', reason: 'idle' }, 'java', {}],
    ['a suggestion under way that the user asked for', { kind: 'working' }, 'java', {}],
    ['Inkling paused', { kind: 'paused' }, 'java', {}],
  ] as const)('says nothing of languages with %s', (_name, state, languageId, languages) => {
    const status = servingStatus(state);
    expect(statusView(status, null, { languageId, languages })).toEqual(statusView(status));
  });

  it('says nothing of languages while snoozed, or where the model does not say', () => {
    const status = servingStatus({ kind: 'ready' });
    const java = { languageId: 'java', languages: {} };
    expect(statusView(status, 1, java)).toEqual(statusView(status, 1));
    const silent = servingStatus({ kind: 'ready' }, { ...STARTER_MODEL, languages: null });
    expect(statusView(silent, null, java)).toEqual(statusView(silent));
  });

  it('is coloured by errors and shortage of memory only', () => {
    const states = [
      { kind: 'loading', progress: 0 },
      { kind: 'ready' },
      { kind: 'working' },
      { kind: 'unloaded', reason: 'memoryPressure' },
      { kind: 'paused' },
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
  ])('offers for the error %s one action: %s', (code, label) => {
    const view = statusView(servingStatus({ kind: 'error', error: { code, message: 'It failed.' } }));
    expect(view.click.label).toBe(label);
    expect(view.headline).toBe('It failed.');
    expect(view.links.map((link) => link.label)).toEqual([...new Set([label, 'Show log'])]);
  });

  it('explains too many crashes and offers a restart', () => {
    const view = statusView(crashedStatus(5, false));
    expect(view.headline).toContain('5 times');
    expect(view.click).toEqual(RESTART_ACTION);
    expect(view.rows).toEqual([]);
  });

  it.each([
    ['crashedWithModel', ['Use the starter model', 'Restart', 'Show log']],
    ['modelCrashed', ['Try again', 'Choose a model', 'Show log']],
  ] as const)('has for %s these actions: %j', (code, labels) => {
    const view = statusView(servingStatus({ kind: 'error', error: { code, message: 'It failed.' } }));
    expect(view.click.label).toBe(labels[0]);
    expect(view.links.map((link) => link.label)).toEqual(labels);
  });

  it('resumes on a click while paused', () => {
    expect(statusView(NOT_STARTED_STATUS).click).toEqual({ label: 'Resume', command: 'inkling.toggle' });
  });

  it('counts one token in words', () => {
    const status = servingStatus({ kind: 'ready' });
    const lastCompletion = status.lastCompletion === null ? null : { ...status.lastCompletion, generatedTokens: 1 };
    const values = statusView({ ...status, lastCompletion }).rows.map(({ value }) => value);
    expect(values).toContain('42 ms, one token');
  });

  it('explains model, memory and latency in the tooltip', () => {
    expect(statusView(servingStatus({ kind: 'ready' })).rows).toEqual([
      { label: 'Model', value: 'Inkling Starter 55M', share: null },
      { label: 'Size', value: '55M parameters, Q4_K - Medium', share: null },
      { label: 'Memory', value: '0.1 / 8.0 GB budget', share: 91 / 8000 },
      { label: 'Weights', value: '40 MB', share: 40 / 91 },
      { label: 'Draft head (MTP)', value: '2 MB', share: 2 / 91 },
      { label: 'KV cache', value: '12 MB', share: 12 / 91 },
      { label: 'Recurrent state', value: '8 MB', share: 8 / 91 },
      { label: 'Checkpoints', value: '6 MB', share: 6 / 91 },
      { label: 'Compute buffers', value: '5 MB', share: 5 / 91 },
      { label: 'Language server', value: '18 MB', share: 18 / 91 },
      { label: 'Device', value: '8.0 GB of 16.0 GB free', share: null },
      { label: 'Last suggestion', value: '42 ms, 12 tokens', share: null },
      { label: 'Prompt', value: '120 of 300 tokens reused', share: null },
      { label: 'Speed', value: '571 tokens/s', share: null },
      { label: 'Drafts', value: '3 of 4 accepted', share: null },
    ]);
  });

  it('shows why drafts stopped', () => {
    const status = servingStatus({ kind: 'ready' });
    const { lastCompletion } = status;
    if (lastCompletion === null) throw new Error('the fixture has a completion');
    const { rows } = statusView({ ...status, lastCompletion: { ...lastCompletion, draftFailure: 'no memory' } });
    expect(rows).toContainEqual({ label: 'Drafting stopped', value: 'no memory', share: null });
  });

  it('loads an unloaded model on a click, and names other ways to load it', () => {
    const view = statusView(servingStatus({ kind: 'unloaded', reason: 'idle' }));
    expect(view.click.command).toBe('inkling.load');
    expect(view.headline).toContain('next key');
    expect(statusView(servingStatus({ kind: 'unloaded', reason: 'user' })).headline).toBe('Unloaded');
  });

  it('offers every action that the state allows', () => {
    const commands = statusView(servingStatus({ kind: 'ready' })).links.map(({ command }) => command);
    for (const name of ['toggle', 'snooze', 'freeCaches', 'unload', 'pickModel', 'whyNoSuggestion', 'showLog']) {
      expect(commands).toContain(`inkling.${name}`);
    }
  });

  it('says in words what the colour means', () => {
    const full = servingStatus({ kind: 'ready' }, STARTER_MODEL, { inUseBytes: 7_900_000_000 });
    expect(statusView(full).accessibleText).toBe('Inkling: Ready. The memory budget is almost used up');
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
  const rowsOf = (status: InklingStatus) => statusView(status).rows.map(({ label, value }) => `${label}: ${value}`);

  it.each<[EngineState, string, string, string]>([
    [
      { kind: 'loading', progress: 0 },
      '$(loading~spin) Inkling on gpu-box:8080',
      'Connecting to gpu-box:8080',
      'normal',
    ],
    [{ kind: 'ready' }, '$(pencil) Inkling on gpu-box:8080', 'Ready on gpu-box:8080', 'normal'],
    [{ kind: 'working' }, '$(loading~spin) Inkling on gpu-box:8080', 'Generating a suggestion', 'normal'],
    [
      { kind: 'error', error: { code: 'remoteUnreachable', message: 'gpu-box:8080 cannot be found' } },
      '$(debug-disconnect) Inkling on gpu-box:8080',
      'gpu-box:8080 cannot be found. Retrying automatically',
      'warning',
    ],
    [
      { kind: 'error', error: { code: 'remoteFailed', message: 'gpu-box:8080 failed' } },
      '$(error) Inkling error',
      'gpu-box:8080 failed',
      'error',
    ],
  ])('is named while it is %j', (state, text, headline, color) => {
    expect(statusView(there(state))).toMatchObject({ text, headline, color });
  });

  it('has its memory on the remote machine: this one holds only the server itself', () => {
    expect(rowsOf(there({ kind: 'ready' })).slice(0, 4)).toEqual([
      'Model: coder:7b',
      'Runs on: gpu-box:8080 (ollama)',
      'Memory on this machine: 91 MB',
      'Model memory: on gpu-box:8080',
    ]);
    const links = statusView(there({ kind: 'ready' })).links.map(({ label }) => label);
    expect(links).toContain('Remote server');
    expect(links).not.toContain('Unload');
  });

  it('lists the local memory of a model for chat alone', () => {
    const status = there({ kind: 'ready' });
    const chatModel = { name: 'talker', bytes: 50e6 };
    const memory = status.memory && { ...status.memory, chatModel };
    const rows = rowsOf({ ...status, memory });
    expect(rows).toContain('Model memory: on gpu-box:8080');
    expect(rows).toContainEqual(expect.stringMatching(/^Chat model: .*talker/));
  });

  it.each<[EngineErrorCode, string]>([
    ['remoteUnreachable', 'Try again'],
    ['remoteFailed', 'Try again'],
    ['remoteUnauthorized', 'Set remote API key'],
    ['remoteNotFound', 'Remote server'],
  ])('that fails with %s has one action: %s', (code, label) => {
    expect(statusView(there({ kind: 'error', error: { code, message: 'no' } })).click.label).toBe(label);
  });
});
