import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  type ChatCapabilities,
  type ChatOutcome,
  HEARTBEAT_REQUEST,
} from '../../../server/protocol/index.js';
import { TemplateRenderer } from '../../../server/src/chat/rendering/template-renderer.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { CHATML } from '../../support/models/chat-templates.js';
import { writeScriptedModel } from '../../support/models/scripted-model.js';
import { repositoryRoot, ServerProcess } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

/** Hours of work in a few characters. */
const ENDLESS =
  '{% for i in range(99999) %}{% for j in range(99999) %}{% for k in range(99999) %}{% endfor %}{% endfor %}{% endfor %}';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

describe('the renderer', () => {
  let renderer: TemplateRenderer;
  const program = path.join(repositoryRoot, 'dist/template-worker.js');
  const open = (limitMs?: number): TemplateRenderer => {
    renderer = new TemplateRenderer({
      program,
      environment: process.env,
      ...(limitMs === undefined ? {} : { limitMs }),
    });
    return renderer;
  };
  afterEach(() => renderer.dispose());

  it('renders, and tells what is wrong with a template', async () => {
    const { render } = open();
    expect(await render({ source: 'Hello {{ name }}', variables: { name: 'you' } })).toEqual({
      kind: 'text',
      text: 'Hello you',
    });
    expect(await render({ source: '{% for %}', variables: {} })).toMatchObject({ kind: 'syntax' });
    const refusal = await render({ source: "{{ raise_exception('no') }}", variables: {} });
    expect(refusal).toEqual({ kind: 'render', message: 'no' });
  });

  it('ends what takes too long, and renders the next one', async () => {
    const { render } = open(1_000);
    const [endless, after] = await Promise.all([
      render({ source: ENDLESS, variables: {} }),
      render({ source: 'fine', variables: {} }),
    ]);
    expect(endless).toEqual({ kind: 'limit' });
    expect(after).toEqual({ kind: 'text', text: 'fine' });
  });

  it.skipIf(isLeftOutDaily('a template that takes much memory'))(
    'ends what takes too much memory, and renders the next one',
    async () => {
      const { render } = open(30_000);
      const hungry = '{% set ns = namespace(all=[]) %}{% for i in range(99999999) %}{{ i }}{% endfor %}';
      expect(await render({ source: hungry, variables: {} })).toEqual({ kind: 'limit' });
      expect(await render({ source: 'fine', variables: {} })).toEqual({ kind: 'text', text: 'fine' });
    },
  );
});

it.skipIf(isLeftOutDaily('a model with an endless template'))(
  'a model with an endless template cannot chat, completes, and holds up nothing',
  async () => {
    const modelPath = folder.file('endless.gguf');
    const script = { template: `${CHATML}${ENDLESS}`, control: ['<|answer|>'], scripts: { '<|answer|>': ['Hi'] } };
    writeScriptedModel(modelPath, { ...script, name: 'Endless', fim: true });
    const server = new ServerProcess({ environment: { HOME: folder.path } });
    try {
      await server.initialize({ threads: 1, modelPath, unloadAfterMinutes: 0 });
      await server.waitForState('ready');
      let isOver = false;
      const capabilities = server.connection.sendRequest<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST).finally(() => {
        isOver = true;
      });
      expect(await server.connection.sendRequest(HEARTBEAT_REQUEST)).toBeNull();
      expect(isOver).toBe(false);
      const refusal = {
        reason: 'templateUnusable',
        message: 'Endless: its chat template takes too much time or memory.',
      };
      expect(await capabilities).toEqual({ kind: 'cannotChat', refusal, instead: null });
      const question = { id: 'a', messages: [{ role: 'user', text: 'Hello?' }] };
      const outcome = await server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, question);
      expect(outcome).toEqual({ kind: 'refused', refusal });
      expect(await server.shutdown()).toBe(0);
    } finally {
      await server.dispose();
    }
  },
);
