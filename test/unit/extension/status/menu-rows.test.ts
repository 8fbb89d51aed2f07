import { describe, expect, it } from 'vitest';
import { NOT_STARTED_STATUS } from '../../../../extension/src/client/session-status.js';
import { type MenuRow, menuRows } from '../../../../extension/src/status/menu-rows.js';
import { statusView } from '../../../../extension/src/status/status-view.js';
import type { EngineState, InklingStatus } from '../../../../server/protocol/index.js';
import { STARTER_MODEL, servingStatus } from './status-fixture.js';

const rowsOf = (status: InklingStatus): readonly MenuRow[] => menuRows(status, statusView(status));
const labelsOf = (status: InklingStatus) =>
  rowsOf(status).map((row) => (row.kind === 'separator' ? '' : row.label.replace(/^\$\([\w-]+\) /, '')));
const rowCalled = (status: InklingStatus, label: string) =>
  rowsOf(status).find((row) => row.kind === 'action' && row.label.endsWith(label));

describe('the menu of the status bar', () => {
  it.each<[string, InklingStatus, string[]]>([
    [
      'ready',
      servingStatus({ kind: 'ready' }),
      ['Model', 'Memory', 'Why no suggestion?', 'Chat', '', 'Turn off', 'Snooze', 'Unload'],
    ],
    [
      'unloaded',
      servingStatus({ kind: 'unloaded', reason: 'user' }),
      ['Load the model', '', 'Model', 'Memory', 'Why no suggestion?', 'Chat', '', 'Turn off', 'Snooze'],
    ],
    [
      'off with a model in memory',
      servingStatus({ kind: 'off' }),
      ['Turn on', '', 'Model', 'Memory', 'Why no suggestion?', 'Chat', '', 'Unload'],
    ],
    ['off without a server', NOT_STARTED_STATUS, ['Turn on', '', 'Model', 'Memory', 'Why no suggestion?', 'Chat']],
  ])('offers while it is %s', (_name, status, labels) => {
    expect(labelsOf(status)).toEqual(labels);
  });

  it('offers no other snooze while it is snoozed', () => {
    const status = servingStatus({ kind: 'ready' });
    const view = statusView(status, { snoozedUntil: 1, isAutomatic: true, edited: null, showsMemory: false });
    const labels = menuRows(status, view).map((row) => (row.kind === 'separator' ? '' : row.label));
    expect(labels[0]).toContain('End snooze');
    expect(labels.filter((label) => label.endsWith('Snooze'))).toEqual([]);
  });

  it('always shows the model, the memory and the last suggestion', () => {
    const status = servingStatus({ kind: 'ready' });
    expect(rowCalled(status, 'Model')).toMatchObject({
      description: 'Inkling Starter 55M · Q4_K_M',
      command: 'inkling.pickModel',
    });
    expect(rowCalled(status, 'Memory')).toMatchObject({ description: '0.1 / 8.0 GB budget' });
    expect(rowCalled(status, 'suggestion?')).toMatchObject({ description: 'Last suggestion: 42 ms, 12 tokens' });
    expect(rowCalled(status, 'Chat')).toMatchObject({ description: 'Inkling Starter 55M cannot chat' });
  });

  it('leads to the remote server, whose memory cannot be freed here', () => {
    const status = { ...servingStatus({ kind: 'ready' }), remote: { host: 'gpu-box:8080', kind: null } };
    expect(rowCalled(status, 'Remote server')).toMatchObject({ description: 'gpu-box:8080' });
    expect(rowCalled(status, 'Unload')).toBeUndefined();
  });

  it('begins with what helps after an error', () => {
    const state: EngineState = { kind: 'error', error: { code: 'modelCrashed', message: 'It failed.' } };
    expect(labelsOf(servingStatus(state)).slice(0, 4)).toEqual(['Try again', 'Choose a model', 'Show log', '']);
  });

  it('offers what frees the memory of a model that the processor has instead of the GPU', () => {
    const state: EngineState = { kind: 'error', error: { code: 'deviceUnknown', message: 'The processor is used.' } };
    const labels = labelsOf(servingStatus(state));
    expect(labels.slice(0, 3)).toEqual(['Change the setting', 'Show log', '']);
    expect(labels.at(-1)).toBe('Unload');
  });

  it.each(['remoteNotFound', 'remoteUnreachable'] as const)('offers another remote server once: %s', (code) => {
    const state: EngineState = { kind: 'error', error: { code, message: 'gpu-box:8080 has no model' } };
    const status = { ...servingStatus(state), remote: { host: 'gpu-box:8080', kind: null } };
    expect(labelsOf(status).filter((label) => label === 'Remote server')).toHaveLength(1);
  });

  it('makes no icons of the names of models', () => {
    const model = { ...STARTER_MODEL, name: '$(error) [x](command:evil)' };
    const row = rowCalled(servingStatus({ kind: 'ready' }, model), 'Model');
    expect(row).toMatchObject({ description: expect.stringContaining('$ (error) [x] (command:evil)') });
  });
});
