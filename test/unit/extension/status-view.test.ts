import { describe, expect, it } from 'vitest';
import { RESTART_ACTION } from '../../../extension/src/error-action.js';
import { crashedStatus, NOT_STARTED_STATUS, STARTING_STATUS } from '../../../extension/src/session-status.js';
import { statusView } from '../../../extension/src/status-view.js';
import type { EngineErrorCode } from '../../../server/protocol/index.js';
import { servingStatus } from './status-fixture.js';

describe('statusView', () => {
  it.each([
    ['a server that was asked for', STARTING_STATUS, '$(loading~spin) Inkling 0%'],
    ['loading', servingStatus({ kind: 'loading', progress: 0.427 }), '$(loading~spin) Inkling 42%'],
    ['all bytes read, not ready', servingStatus({ kind: 'loading', progress: 1 }), '$(loading~spin) Inkling 99%'],
    ['ready', servingStatus({ kind: 'ready' }), '$(pencil) Inkling 0.09 GB'],
    ['ready without figures', { ...STARTING_STATUS, state: { kind: 'ready' } as const }, '$(pencil) Inkling'],
    ['working', servingStatus({ kind: 'working' }), '$(loading~spin) Inkling 0.09 GB'],
    ['paused', servingStatus({ kind: 'paused' }), '$(debug-pause) Inkling paused'],
    ['never started', NOT_STARTED_STATUS, '$(debug-pause) Inkling paused'],
    ['crashed too often', crashedStatus(5), '$(error) Inkling error'],
  ])('writes the text of %s', (_name, status, text) => {
    expect(statusView(status).text).toBe(text);
  });

  it('is coloured in the error state only', () => {
    const states = [
      { kind: 'loading', progress: 0 },
      { kind: 'ready' },
      { kind: 'working' },
      { kind: 'paused' },
    ] as const;
    expect(states.map((state) => statusView(servingStatus(state)).color)).toEqual(states.map(() => 'normal'));
    expect(statusView(crashedStatus(5)).color).toBe('error');
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

  it('says after too many crashes what happened and offers a restart', () => {
    const view = statusView(crashedStatus(5));
    expect(view.headline).toContain('5 times');
    expect(view.click).toEqual(RESTART_ACTION);
    expect(view.rows).toEqual([]);
  });

  it('resumes on a click while paused', () => {
    expect(statusView(NOT_STARTED_STATUS).click).toEqual({ label: 'Resume', command: 'inkling.toggle' });
  });

  it('explains model, memory and latency in the tooltip', () => {
    expect(statusView(servingStatus({ kind: 'ready' })).rows).toEqual([
      { label: 'Model', value: 'Inkling Seed 55M' },
      { label: 'Size', value: '55 M parameters, Q4_K - Medium' },
      { label: 'Memory', value: '0.09 GB (weights 0.04 GB, context 0.02 GB, compute 0.01 GB)' },
      { label: 'Last suggestion', value: '42 ms (12 tokens generated, 120 of 300 prompt tokens reused)' },
    ]);
  });

  it('speaks the state to a screen reader', () => {
    expect(statusView(servingStatus({ kind: 'ready' })).accessibleText).toBe('Inkling: Ready');
  });
});
