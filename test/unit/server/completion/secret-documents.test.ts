import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RemoteModelFacts } from '../../../../server/src/engine/port/model-facts.js';
import { FACTS } from '../scripted-engine.js';
import { CompletionFixture, NO_CONTEXT, requestAt } from './completion-fixture.js';

const { recurrent: _recurrent, canShiftContext: _shift, mtp: _mtp, chatTemplate: _template, ...shared } = FACTS;
const REMOTE: RemoteModelFacts = {
  ...shared,
  kind: 'remote',
  host: 'gpu-box:8080',
  server: 'llama-server',
  chat: false,
  thinking: 'none',
};
const SECRET = 'file:///work/.env';

let fixture: CompletionFixture;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fixture = await CompletionFixture.ready(NO_CONTEXT, REMOTE);
});

afterEach(() => {
  fixture.service.dispose();
  vi.useRealTimers();
});

async function rest(): Promise<void> {
  await vi.advanceTimersByTimeAsync(2_000);
}

describe('with a remote server, a secret file', () => {
  it('gets no suggestion by itself, and the reason says how to get one', async () => {
    for (const trigger of ['automatic', 'prepared'] as const) {
      expect(await fixture.complete('KEY=║\n', { uri: SECRET, trigger })).toEqual({
        kind: 'none',
        reason: 'secretFile',
      });
    }
    expect(fixture.service.decisions[0]?.sentence).toMatch(/may hold secrets.*Trigger Inline Suggestion/);
    expect(fixture.engine.requests).toEqual([]);
  });

  it('is not evaluated ahead while the cursor rests in it, nor after its context changed', async () => {
    fixture.service.cursorMoved(requestAt('KEY=║\n', { uri: SECRET, trigger: 'prepared' }));
    await rest();
    fixture.service.contextChanged(SECRET);
    await rest();
    expect(fixture.engine.requests).toEqual([]);
  });

  it('is sent when the user asks, once', async () => {
    expect(await fixture.textAt('KEY=║\n', { uri: SECRET, trigger: 'invoked' })).toBe('text');
    await rest();
    expect(fixture.engine.requests).toHaveLength(1);
  });

  it.each(['file:///home/me/.ssh/config', 'vscode-remote://box/work/id_rsa', 'file:///work/Secrets.yml'])(
    'is %s too',
    async (uri) => {
      expect(await fixture.complete('a║\n', { uri })).toMatchObject({ reason: 'secretFile' });
    },
  );
});

it('other files are evaluated ahead by a remote server', async () => {
  fixture.service.cursorMoved(requestAt('return ║\n', { trigger: 'prepared' }));
  await rest();
  expect(fixture.engine.requests).toHaveLength(1);
});

it('a secret file gets suggestions from a model on this machine', async () => {
  const local = await CompletionFixture.ready();
  local.service.cursorMoved(requestAt('KEY=║\n', { uri: SECRET, trigger: 'prepared' }));
  await rest();
  expect(local.engine.requests).toHaveLength(1);
  expect(await local.textAt('KEY=║\n', { uri: SECRET })).toBe('text');
  local.service.dispose();
});

it('a secret file that a local model was about to evaluate does not go to the remote one that replaced it', async () => {
  const switching = await CompletionFixture.ready();
  switching.service.cursorMoved(requestAt('KEY=║\n', { uri: SECRET, trigger: 'prepared' }));
  switching.engine.facts = REMOTE;
  switching.host.lifecycle.want({ path: '/other.gguf' });
  await vi.advanceTimersByTimeAsync(0);
  switching.engine.finishLoad();
  await rest();
  switching.service.contextChanged(SECRET);
  await rest();
  expect(switching.host.client.facts?.kind).toBe('remote');
  expect(switching.engine.requests).toEqual([]);
  switching.service.dispose();
});
