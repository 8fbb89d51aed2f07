import { beforeEach, expect, it, vi } from 'vitest';
import { StatusBar } from '../../../../extension/src/status/status-bar.js';
import { fakeUser } from '../../../support/editor/fake-editor.js';
import { servingStatus } from './status-fixture.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

beforeEach(() => fakeUser.open());

it('breaks a long headline of the tooltip between words, and no row', () => {
  const message = 'There is no device on this machine and the processor is used';
  const bar = new StatusBar('whenItMatters');
  bar.show(servingStatus({ kind: 'error', error: { code: 'deviceUnusable', message } }));
  const { value } = (fakeUser.item as unknown as { tooltip: { value: string } }).tooltip;
  expect(value.split('\n', 1)[0]).toBe(`**Inkling** Ready\\. ${message}`);
  expect(value).toContain('42&nbsp;ms,&nbsp;12&nbsp;tokens');
  bar.dispose();
});
