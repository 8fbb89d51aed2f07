import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { InlineCompletionTriggerKind } from 'vscode-languageserver-protocol';
import {
  CHAT_ASK_REQUEST,
  type ChatOutcome,
  type EngineState,
  LOAD_NOTIFICATION,
  UNLOAD_REQUEST,
} from '../../../server/protocol/index.js';
import { RemoteHost, type RemoteHostOptions, SPECIAL_TOKENS } from '../../support/hosts/remote-host.js';
import { writeChatModel } from '../../support/models/chat-model.js';
import { ServerProcess, starterModel } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1 };
const ASKED = { triggerKind: InlineCompletionTriggerKind.Invoked };
const URI = 'file:///work/src/add.ts';
const TEXT = 'function add(left: number, right: number) {\n  return ;\n}\n';
const PLACE = { line: 1, character: 9 };
const KEY = 'sk-nobody-else-may-see-this';

const fixture = (name: string) => new URL(`../../fixtures/tls/${name}`, import.meta.url);

let host: RemoteHost;
let server: ServerProcess;

afterEach(async () => {
  await server?.dispose();
  await host?.stop();
});

async function startHost(dialect: Parameters<typeof RemoteHost.start>[0], options: RemoteHostOptions = {}) {
  host = await RemoteHost.start(dialect, options);
}

async function connect(settings: object = {}, environment: NodeJS.ProcessEnv = {}, url = host.address): Promise<void> {
  server = new ServerProcess({
    environment: { INKLING_REMOTE_KEY: KEY, INKLING_REMOTE_ORIGIN: host.address, ...environment },
  });
  await server.initialize({ ...PATIENT, remoteUrl: url, ...settings }, 'file:///work');
}

async function stateOf(kind: EngineState['kind']) {
  await expect.poll(async () => (await server.status()).state.kind, { interval: 20 }).toBe(kind);
  return server.status();
}

async function errorOf() {
  const { state } = await stateOf('error');
  if (state.kind !== 'error') throw new Error('no error');
  return state.error;
}

async function suggestion(text = TEXT, place = PLACE): Promise<string | null> {
  await server.open(URI, 'typescript', text);
  const [item] = await server.complete(URI, place, undefined, ASKED);
  return item === undefined ? null : String(item.insertText);
}

const ask = (id: string) =>
  server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, { id, messages: [{ role: 'user', text: 'What?' }] });

describe('Ollama', () => {
  it('gets prefix and suffix, and no request for another context length', async () => {
    await startHost('ollama');
    await connect();
    const { remote, model } = await server.waitForState('ready');
    expect(remote).toEqual({ host: `127.0.0.1:${host.port}`, kind: 'ollama' });
    expect(model).toMatchObject({
      name: 'coder',
      architecture: 'qwen2',
      quantization: 'Q4_K_M',
      contextLength: 16_384,
    });
    expect(await suggestion()).toBe('left + right');
    const body = host.bodies('/api/generate').at(-1);
    expect(body).toMatchObject({ model: 'coder', stream: true, options: { temperature: 0 } });
    expect(body?.prompt).toBe('function add(left: number, right: number) {\n  return ');
    expect(body?.suffix).toBe(';\n}\n');
    expect(JSON.stringify(body)).not.toContain('num_ctx');
    const { lastCompletion } = await server.status();
    expect(lastCompletion).toMatchObject({ promptTokens: 40, generatedTokens: 4, prefillMs: 8, decodeMs: 16 });
  });

  it('lists the models if there are several and none is named', async () => {
    await startHost('ollama', { models: ['coder:1b', 'coder:7b'] });
    await connect();
    expect(await errorOf()).toMatchObject({
      code: 'remoteModelUnknown',
      message: expect.stringContaining('coder:1b, coder:7b'),
    });
    await server.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { ...PATIENT, remoteUrl: host.address, remoteModel: 'coder:7b' },
    });
    expect((await stateOf('ready')).model?.name).toBe('coder:7b');
  });

  it('separates thinking from the answer', async () => {
    await startHost('ollama');
    await connect();
    await server.waitForState('ready');
    const outcome = await ask('a');
    expect(outcome).toMatchObject({
      kind: 'answered',
      answer: {
        text: 'left + right;',
        thinking: 'Let me see.',
        ending: 'complete',
        promptTokens: 40,
        reusedTokens: 30,
      },
    });
    expect(host.bodies('/v1/chat/completions')[0]).toMatchObject({ model: 'coder', stream: true });
  });
});

describe('vLLM', () => {
  it('gets our own prompt as token ids, so that no text becomes a special token', async () => {
    await startHost('vllm');
    await connect();
    const { remote, model } = await server.waitForState('ready');
    expect(remote?.kind).toBe('vllm');
    expect(model?.contextLength).toBe(12_288);
    const text = `// the token <|fim_middle|> ends the suffix\n${TEXT}`;
    expect(await suggestion(text, { line: 2, character: 9 })).toBe('left + right');
    const body = host.bodies('/v1/completions').at(-1);
    const prompt = body?.prompt as readonly number[];
    const ours = Object.values(SPECIAL_TOKENS);
    const specials = prompt.filter((token) => ours.includes(token));
    expect(specials).toEqual(
      ['<|file_sep|>', '<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'].map((each) => SPECIAL_TOKENS[each]),
    );
    expect(String.fromCodePoint(...prompt.filter((token) => !ours.includes(token)))).toContain('<|fim_middle|>');
    expect(body).toMatchObject({ model: 'coder', add_special_tokens: false, temperature: 0, logprobs: 1 });
    expect(body).not.toHaveProperty('suffix');
  });

  it('is found below a path, and below the /v1 of other clients', async () => {
    await startHost('vllm');
    await connect({}, {}, `${host.address}/v1/`);
    await server.waitForState('ready');
    expect(await suggestion()).toBe('left + right');
  });
});

describe('another server of the OpenAI kind', () => {
  it('gets prefix and suffix as texts', async () => {
    await startHost('openai');
    await connect();
    expect((await server.waitForState('ready')).remote?.kind).toBe('openai');
    expect(await suggestion()).toBe('left + right');
    expect(host.bodies('/v1/completions').at(-1)).toMatchObject({
      prompt: 'function add(left: number, right: number) {\n  return ',
      suffix: ';\n}\n',
    });
  });
});

describe('a host that changes its model', () => {
  it.each(['ollama', 'vllm', 'openai'] as const)('is used with the new model if none is named: %s', async (dialect) => {
    await startHost(dialect);
    await connect();
    await server.waitForState('ready');
    expect(await suggestion()).toBe('left + right');
    host.models = ['another'];
    expect(await suggestion()).toBeNull();
    await expect.poll(async () => (await server.status()).model?.name).toBe('another');
    expect(await suggestion()).toBe('left + right');
  });

  it('lists its models if one is named', async () => {
    await startHost('vllm', { models: ['one', 'two'] });
    await connect({ remoteModel: 'one' });
    await server.waitForState('ready');
    host.models = ['two', 'three'];
    expect(await suggestion()).toBeNull();
    await expect
      .poll(async () => (await server.status()).state)
      .toMatchObject({
        error: { code: 'remoteModelUnknown', message: expect.stringMatching(/has no model one .*two, three/) },
      });
  });
});

describe('the API key', () => {
  it('goes only to its host, and into no message or log', async () => {
    await startHost('openai', { apiKey: KEY });
    await connect();
    await server.waitForState('ready');
    expect(await suggestion()).toBe('left + right');
    expect(host.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
    expect(JSON.stringify([server.statuses, server.logs, server.stderr])).not.toContain(KEY);
  });

  it('is not shown even if the host repeats it in its refusal', async () => {
    await startHost('openai', { apiKey: 'another one' });
    await connect();
    const error = await errorOf();
    expect(error.code).toBe('remoteUnauthorized');
    expect(error.message).toContain(`127.0.0.1:${host.port}`);
    expect(JSON.stringify([error, server.statuses, server.logs])).not.toContain(KEY);
  });

  it('follows no redirect', async () => {
    await startHost('openai');
    const thief = await RemoteHost.start('openai');
    try {
      host.misbehave('*', { kind: 'status', status: 307, location: `${thief.address}/v1/models` });
      await connect();
      const error = await errorOf();
      expect(error.code).toBe('remoteFailed');
      expect(error.message).toContain(`127.0.0.1:${thief.port}`);
      expect(thief.requests).toEqual([]);
    } finally {
      await thief.stop();
    }
  });
});

describe('a host that misbehaves', () => {
  it.each([
    [
      'an error',
      { kind: 'status', status: 500, body: '{"error":"out of memory"}' },
      'remoteFailed',
      /500: out of memory/,
    ],
    ['no JSON', { kind: 'garbage' }, 'remoteFailed', /unexpected answer/],
    ['an answer to another question', { kind: 'nonsense' }, 'remoteFailed', /unexpected answer/],
    ['an error in the middle', { kind: 'error', message: 'the GPU is gone' }, 'remoteFailed', /the GPU is gone/],
    ['an early end', { kind: 'end', after: 1 }, 'remoteFailed', /ended in the middle/],
    ['a cut', { kind: 'cut', after: 1 }, 'remoteUnreachable', /closed the connection/],
    [
      'not ready',
      { kind: 'status', status: 503, body: '{"error":{"message":"Loading model"}}' },
      'remoteUnreachable',
      /Loading/,
    ],
    ['a revoked key', { kind: 'status', status: 403 }, 'remoteUnauthorized', /403/],
    ['a model that is gone', { kind: 'status', status: 404 }, 'remoteNotFound', /404/],
  ] as const)('%s is an error with its name, and over when it behaves', async (_name, misbehaviour, code, message) => {
    await startHost('openai');
    await connect();
    await server.waitForState('ready');
    host.misbehave('/v1/completions', misbehaviour);
    await suggestion();
    const error = await errorOf();
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(error.message).toContain(`127.0.0.1:${host.port}`);
    host.behave();
    await server.connection.sendNotification(LOAD_NOTIFICATION);
    await expect.poll(() => suggestion()).toBe('left + right');
    expect((await server.status()).state.kind).toBe('ready');
  });

  it('counts as lost after three requests without an answer, and comes back automatically', async () => {
    await startHost('openai');
    await connect({ timeBudgetMs: 60 });
    await server.waitForState('ready');
    host.misbehave('/v1/completions', { kind: 'silence' });
    for (let count = 0; count < 3; count++) expect(await suggestion()).toBeNull();
    await expect
      .poll(() =>
        server.statuses.some(({ state }) => state.kind === 'error' && state.error.code === 'remoteUnreachable'),
      )
      .toBe(true);
    await stateOf('ready');
    const asked = host.requests.filter(({ path }) => path === '/v1/completions');
    // Each was aborted at once, not left to its host.
    await expect.poll(() => asked.every(({ aborted }) => aborted)).toBe(true);
  });

  it('refuses a chat with a message', async () => {
    await startHost('openai');
    await connect();
    await server.waitForState('ready');
    host.misbehave('/v1/chat/completions', { kind: 'status', status: 400, body: '{"error":{"message":"too long"}}' });
    expect(await ask('a')).toMatchObject({
      kind: 'refused',
      refusal: { reason: 'engineFailed', message: expect.stringMatching(/400: too long/) },
    });
  });
});

describe('a model for chat alone', () => {
  it('stays on this machine while a remote one completes', async () => {
    const folder = new TemporaryFolder();
    try {
      writeChatModel(starterModel, folder.file('talker.gguf'));
      await startHost('openai');
      await connect({ chatModelPath: folder.file('talker.gguf') });
      await server.waitForState('ready');
      const outcome = await server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, {
        id: 'a',
        messages: [{ role: 'user', text: 'const a = ' }],
        maxTokens: 4,
      });
      expect(outcome.kind).toBe('answered');
      expect(host.bodies('/v1/chat/completions')).toEqual([]);
      expect(await suggestion()).toBe('left + right');
      const { chat, memory, remote } = await server.status();
      expect([chat?.model?.name, remote?.host]).toEqual([memory?.chatModel?.name, `127.0.0.1:${host.port}`]);
      expect(memory?.chatModel?.bytes).toBeGreaterThan(30e6);
      // What frees memory here leaves the remote server alone.
      await server.connection.sendRequest(UNLOAD_REQUEST);
      expect(await server.status()).toMatchObject({ state: { kind: 'ready' }, chat: { state: { kind: 'unloaded' } } });
      expect((await server.status()).memory?.chatModel).toBeNull();
    } finally {
      await server.dispose();
      folder.dispose();
    }
  });
});

describe('an address', () => {
  it.each([
    ['is none', 'ftp://gpu-box', 'remoteNotFound', /Enter an address/],
    ['holds a password', 'http://me:secret@gpu-box:8080', 'remoteNotFound', /password/],
    ['is one where nothing listens', 'http://127.0.0.1:9', 'remoteUnreachable', /refused the connection/],
    ['is a name that nobody knows', 'http://inkling-test.invalid', 'remoteUnreachable', /inkling-test\.invalid/],
  ])('that %s is refused with a message', async (_name, url, code, message) => {
    await startHost('openai');
    await connect({}, {}, url);
    const error = await errorOf();
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((await server.status()).model).toBeNull();
  });

  it('of a host that is not an engine is reported', async () => {
    await startHost('openai');
    host.misbehave('*', { kind: 'status', status: 404 });
    await connect();
    expect(await errorOf()).toMatchObject({
      code: 'remoteNotFound',
      message: expect.stringMatching(/llama-server, vLLM/),
    });
  });
});

describe('TLS', () => {
  const tls = { key: readFileSync(fixture('key.pem'), 'utf8'), cert: readFileSync(fixture('certificate.pem'), 'utf8') };

  it('refuses an untrusted certificate, and suggests a remedy', async () => {
    await startHost('openai', { tls });
    await connect();
    expect(await errorOf()).toMatchObject({
      code: 'remoteUnreachable',
      message: expect.stringMatching(/not trusted .*NODE_EXTRA_CA_CERTS/),
    });
  });

  it('accepts an authority of the user', async () => {
    await startHost('openai', { tls });
    await connect({}, { NODE_EXTRA_CA_CERTS: fixture('certificate.pem').pathname });
    await server.waitForState('ready');
    expect(await suggestion()).toBe('left + right');
  });
});

describe('a proxy', () => {
  it('is not used for a local name', async () => {
    await startHost('openai');
    const proxy = await RemoteHost.start('openai');
    try {
      await connect({}, { HTTP_PROXY: proxy.address, http_proxy: proxy.address, NO_PROXY: '', no_proxy: '' });
      await server.waitForState('ready');
      expect(proxy.requests).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });

  it('is used for every other host', async () => {
    await startHost('openai');
    // The host itself answers in the role of the proxy.
    const variables = { HTTP_PROXY: host.address, http_proxy: host.address, NO_PROXY: '', no_proxy: '' };
    await connect({}, variables, 'http://engine.example.com:8000');
    expect((await server.waitForState('ready')).remote).toEqual({ host: 'engine.example.com:8000', kind: 'openai' });
    expect(await suggestion()).toBe('left + right');
    // The key belongs to another origin.
    expect(host.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });
});
