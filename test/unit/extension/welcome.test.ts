import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openExample } from '../../../extension/src/welcome.js';
import { FakeDocument, FakeTextEditor, fakeUser } from '../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../support/editor/fake-editor.js')).vscode);

const ASKS = 'editor.action.inlineSuggest.trigger';
const { reopen } = fakeUser;
const noObstacle = () => null;
let isLoading: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  const example = new FakeDocument('/example.ts', '');
  fakeUser.open(example);
  fakeUser.reopen = async () => example;
  isLoading = true;
});
afterEach(() => {
  vi.useRealTimers();
  fakeUser.reopen = reopen;
});

it('asks for the first suggestion once the model is loaded', async () => {
  const opened = openExample(() => isLoading, noObstacle);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(fakeUser.ran).not.toContain(ASKS);
  expect(fakeUser.notices).toEqual([expect.stringContaining('Waiting for the model to load.')]);
  isLoading = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await opened;
  expect(fakeUser.ran).toEqual([ASKS]);
});

it('asks at once with a loaded model, and in the end without one', async () => {
  await openExample(() => false, noObstacle);
  expect([fakeUser.ran, fakeUser.notices]).toEqual([[ASKS], []]);
  const opened = openExample(() => true, noObstacle);
  await vi.advanceTimersByTimeAsync(60_000);
  await opened;
  expect(fakeUser.ran).toEqual([ASKS, ASKS]);
});

it('asks for nothing in another document, to which the user has gone meanwhile', async () => {
  const opened = openExample(() => isLoading, noObstacle);
  await vi.advanceTimersByTimeAsync(1_000);
  fakeUser.active = new FakeTextEditor(new FakeDocument('/other.ts', ''));
  isLoading = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await opened;
  expect(fakeUser.ran).toEqual([]);
});

it('says why there will be no suggestion where no server runs', async () => {
  const off = 'Inkling is off.';
  await openExample(
    () => false,
    () => off,
  );
  expect([fakeUser.ran, fakeUser.notices]).toEqual([[], [expect.stringContaining(off)]]);
});
