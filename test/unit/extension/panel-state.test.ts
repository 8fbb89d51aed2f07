import { describe, expect, it } from 'vitest';
import { panel } from '../../../extension/src/chat/panel-state.js';
import { crashedStatus, NOT_STARTED_STATUS, STARTING_STATUS } from '../../../extension/src/session-status.js';
import { STARTER_MODEL, servingStatus } from './status-fixture.js';

const READY = { kind: 'ready' } as const;

describe('panel', () => {
  it('says that the starter model cannot chat and offers to choose a model file', () => {
    const { state, action } = panel(servingStatus(READY));
    expect(state.chatNote).toContain('cannot chat');
    expect(state.actionLabel).toBe('Choose a model');
    expect(action?.command).toBe('inkling.pickModel');
  });

  it('promises conversations for a later version where the model has a chat template', () => {
    const { state, action } = panel(servingStatus(READY, { ...STARTER_MODEL, chat: true }));
    expect(state.chatNote).toContain('arrive with a later version');
    expect(state.actionLabel).toBeNull();
    expect(action).toBeNull();
  });

  it('names the model and its memory', () => {
    expect(panel(servingStatus(READY)).state.facts).toEqual([
      { label: 'Name', value: 'Inkling Seed 55M' },
      { label: 'Architecture', value: 'qwen35' },
      { label: 'Parameters', value: '55 M, Q4_K - Medium' },
      { label: 'Context', value: '8192 tokens' },
      { label: 'File', value: '/opt/inkling/media/model/seed.gguf' },
      { label: 'Memory in use', value: '0.09 GB' },
    ]);
  });

  it('does not announce every suggestion', () => {
    expect(panel(servingStatus({ kind: 'working' }))).toEqual(panel(servingStatus(READY)));
  });

  it.each([
    ['starting', STARTING_STATUS, 'Loading the model, 0%', null],
    ['paused', NOT_STARTED_STATUS, 'Paused', 'Resume'],
    ['crashed', crashedStatus(5), expect.stringContaining('5 times'), 'Restart'],
  ])('while %s shows the state and at most one action', (_name, status, headline, actionLabel) => {
    const isError = status.state.kind === 'error';
    expect(panel(status).state).toMatchObject({ headline, actionLabel, isError, chatNote: 'No model is loaded.' });
  });
});
