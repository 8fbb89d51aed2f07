import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CancellationTokenSource, InlineCompletionTriggerKind } from 'vscode-languageserver-protocol';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  CHAT_PIECES_NOTIFICATION,
  CHAT_SIZE_REQUEST,
  type ChatCapabilities,
  type ChatOutcome,
  type ChatPieces,
  type ChatSizeOutcome,
  DECISIONS_REQUEST,
  type Decision,
  type EngineState,
  LOAD_NOTIFICATION,
} from '../../../server/protocol/index.js';
import { LlamaServer } from '../../bench/peer/llama-server.js';
import { cursorFixture } from '../../support/code/cursor-fixture.js';
import { type SureCode, sureArgument, sureBlock, sureCode } from '../../support/code/sure-code.js';
import { positionIn } from '../../support/code/text-position.js';
import { ownLlamaServer } from '../../support/hosts/own-llama-server.js';
import { writeChatModel } from '../../support/models/chat-model.js';
import { CHATML } from '../../support/models/chat-templates.js';
import { writeScriptedModel } from '../../support/models/scripted-model.js';
import { ServerProcess, starterModel } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const program = ownLlamaServer();

const KEY = 'a-key-for-this-host-only';
const PATIENT = { timeBudgetMs: 60_000, threads: 1 };
const ASKED = { triggerKind: InlineCompletionTriggerKind.Invoked };

let folder: TemporaryFolder;
let peer: LlamaServer;
let remote: ServerProcess;
/** A local server with the same model. */
let local: ServerProcess;
let documents = 0;

function startPeer(options: { readonly port?: number; readonly model?: string } = {}): Promise<LlamaServer> {
  return LlamaServer.start({
    flavour: { program: program ?? '' },
    model: folder.file('chatty.gguf'),
    threads: 1,
    contextLength: 8192,
    reuse: true,
    apiKey: KEY,
    ...options,
  });
}

function connect(url: string, environment: NodeJS.ProcessEnv = {}): ServerProcess {
  return new ServerProcess({
    environment: { INKLING_REMOTE_KEY: KEY, INKLING_REMOTE_ORIGIN: url, ...environment },
  });
}

async function suggestionsAt(server: ServerProcess, marked: string, context = {}): Promise<readonly unknown[]> {
  const { text, offset } = cursorFixture(marked);
  documents += 1;
  // The document has the same name on both sides, since the name is a part of the prompt.
  const uri = `file:///work/src/file-${documents}/main.ts`;
  await server.open(uri, 'typescript', text);
  const items = await server.complete(uri, positionIn(text, offset), undefined, context);
  return items.map(({ insertText }) => insertText);
}

/** Waits for a state. */
async function stateOf(server: ServerProcess, kind: EngineState['kind']) {
  await expect.poll(async () => (await server.status()).state.kind, { interval: 20 }).toBe(kind);
  return server.status();
}

/** @param typed so much of what is expected stands there already */
function marked({ text, offset, expected }: SureCode, typed = 0): string {
  return `${text.slice(0, offset)}${expected.slice(0, typed)}║${text.slice(offset)}`;
}

const CURSORS = {
  'behind a whole token': marked(sureCode()),
  'inside a word': marked(sureCode('javascript'), 'settings.fol'.length),
  'inside a longer statement': marked(sureArgument(), 'sett'.length),
  'on an empty line': marked(sureBlock(), '\n  '.length),
};

describe.skipIf(program === null)('an engine in a real llama-server', () => {
  beforeAll(async () => {
    folder = new TemporaryFolder();
    writeChatModel(starterModel, folder.file('chatty.gguf'));
    peer = await startPeer();
    remote = connect(peer.address);
    await remote.initialize({ ...PATIENT, remoteUrl: peer.address }, 'file:///work');
    await remote.waitForState('ready');
    // The instruction set of the other build: another one may round differently.
    local = new ServerProcess({ environment: process.arch === 'x64' ? { INKLING_CPU_FLAVOUR: 'avx2' } : {} });
    await local.initialize({ ...PATIENT, modelPath: folder.file('chatty.gguf') }, 'file:///work');
    await local.waitForState('ready');
  });
  afterAll(async () => {
    await local?.dispose();
    await remote?.dispose();
    await peer?.stop();
    folder?.dispose();
  });

  it('reports the remote model and only local memory', async () => {
    const { remote: where, model, memory } = await remote.status();
    expect(where).toEqual({ host: new URL(peer.address).host, kind: 'llama-server' });
    expect(model).toMatchObject({ name: 'chatty', quantization: 'Q4_K_M', contextLength: 8192, chat: true });
    // No weights and no context: only what this process itself holds.
    expect(memory).toMatchObject({ weightsBytes: 0, kvBytes: 0, recurrentBytes: 0, computeBytes: 0 });
    expect(memory?.inUseBytes).toBe(memory?.processRssBytes);
  });

  it.each(Object.entries(CURSORS))('suggests what the engine here suggests: %s', async (_name, code) => {
    const [here] = await suggestionsAt(local, code, ASKED);
    documents -= 1;
    const [there] = await suggestionsAt(remote, code, ASKED);
    expect([typeof here, typeof there]).toEqual(['string', 'string']);
    // A slow machine may show only a part of a suggestion, on either side.
    const length = Math.min(String(here).length, String(there).length);
    expect(length).toBeGreaterThan(1);
    expect(String(there).slice(0, length)).toBe(String(here).slice(0, length));
  });

  it('counts the remote tokens', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `export const value${index} = ${index} * 2;`);
    const code = `${lines.join('\n')}\nexport const total = value1 + ║;\n`;
    await suggestionsAt(remote, code, ASKED);
    documents -= 1;
    await suggestionsAt(remote, code.replace('total', 'totals'), ASKED);
    // On a slow machine the answer comes before the server has finished.
    await expect.poll(async () => (await remote.status()).lastCompletion?.promptTokens).toBeGreaterThan(400);
    const { lastCompletion } = await remote.status();
    expect(lastCompletion?.generatedTokens).toBeGreaterThan(0);
    expect(lastCompletion?.prefillMs).toBeGreaterThan(0);
  });

  it('stops the remote work when it is cancelled', async () => {
    const uri = 'file:///work/src/cancelled.ts';
    await remote.open(uri, 'typescript', `${'// a line of words that says nothing at all\n'.repeat(400)}const a = `);
    const source = new CancellationTokenSource();
    const answer = remote.complete(uri, { line: 400, character: 10 }, source.token, ASKED).catch(() => []);
    await expect.poll(busySlots, { interval: 5 }).toBeGreaterThan(0);
    source.cancel();
    await answer;
    await expect.poll(busySlots, { interval: 20 }).toBe(0);
  });

  it('answers questions through the chat of the other machine', async () => {
    const capabilities = await remote.connection.sendRequest<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST);
    expect(capabilities).toMatchObject({ kind: 'canChat', contextLength: 8192 });
    const said: string[] = [];
    remote.connection.onNotification(CHAT_PIECES_NOTIFICATION, ({ pieces }: ChatPieces) => {
      for (const piece of pieces) if (piece.kind === 'answer') said.push(piece.text);
    });
    const messages = [{ role: 'user', text: 'function add(a, b) {' }];
    const size = await remote.connection.sendRequest<ChatSizeOutcome>(CHAT_SIZE_REQUEST, { messages });
    expect(size).toMatchObject({ kind: 'size', size: { droppedTurns: 0, promptTokens: expect.any(Number) } });
    const outcome = await remote.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, {
      id: 'a',
      messages,
      temperature: 0,
      maxTokens: 12,
    });
    if (outcome.kind === 'refused') throw new Error(outcome.refusal.message);
    // A model may end its answer before the limit does.
    const { ending, generatedTokens } = outcome.answer;
    expect(generatedTokens).toBeGreaterThan(0);
    expect(generatedTokens).toBeLessThanOrEqual(12);
    expect(ending).toBe(generatedTokens === 12 && ending === 'cutOff' ? 'cutOff' : 'complete');
    expect(outcome.answer.thinking).toBe('');
    expect(outcome.answer.text).toBe(said.join(''));
    expect(outcome.answer.promptTokens).toBeGreaterThan(5);
  });

  it('fills in the middle by `/infill` too, so the server suits other editors', async () => {
    const { text, offset, expected } = sureCode();
    const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
    const response = await fetch(`${peer.address}/infill`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        input_prefix: text.slice(0, lineStart),
        input_suffix: text.slice(offset),
        prompt: text.slice(lineStart, offset),
        n_predict: 12,
        temperature: 0,
      }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ content: expect.stringContaining(expected) });
  });

  it('reports a missing key, and does not leak the key', async () => {
    const stranger = new ServerProcess({
      environment: { INKLING_REMOTE_KEY: 'another-key', INKLING_REMOTE_ORIGIN: peer.address },
    });
    try {
      await stranger.initialize({ ...PATIENT, remoteUrl: peer.address });
      const { state } = await stateOf(stranger, 'error');
      expect(state).toMatchObject({ error: { code: 'remoteUnauthorized' } });
      expect(state.kind === 'error' && state.error.message).toContain(new URL(peer.address).host);
      expect(JSON.stringify([state, stranger.logs, stranger.stderr])).not.toContain('another-key');
    } finally {
      await stranger.dispose();
    }
  });

  it('does not send the key of one host to another', async () => {
    const stranger = new ServerProcess({
      environment: { INKLING_REMOTE_KEY: KEY, INKLING_REMOTE_ORIGIN: 'http://127.0.0.1:1' },
    });
    try {
      await stranger.initialize({ ...PATIENT, remoteUrl: peer.address });
      expect((await stateOf(stranger, 'error')).state).toMatchObject({ error: { code: 'remoteUnauthorized' } });
    } finally {
      await stranger.dispose();
    }
  });

  it('reports when the host is gone, and comes back with it', async () => {
    const { address } = peer;
    await peer.stop();
    const uri = 'file:///work/src/gone.ts';
    await remote.open(uri, 'typescript', 'const a = 1;\nconst b = ');
    expect(await remote.complete(uri, { line: 1, character: 10 }, undefined, ASKED)).toEqual([]);
    const { state, remote: where } = await stateOf(remote, 'error');
    expect(state).toMatchObject({ error: { code: 'remoteUnreachable' } });
    expect(where?.host).toBe(new URL(address).host);
    const [decision] = await remote.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
    expect(decision?.sentence).toContain(new URL(address).host);

    peer = await startPeer({ port: Number(new URL(address).port) });
    // By the user's one action; it would also come back automatically, a little later.
    await remote.connection.sendNotification(LOAD_NOTIFICATION);
    await stateOf(remote, 'ready');
    expect(await suggestionsAt(remote, CURSORS['behind a whole token'], ASKED)).not.toEqual([]);
  });

  it('notices another model after a restart, even if no request failed', async () => {
    const port = Number(new URL(peer.address).port);
    expect(await suggestionsAt(remote, CURSORS['behind a whole token'], ASKED)).not.toEqual([]);
    await peer.stop();
    writeScriptedModel(folder.file('other.gguf'), { template: CHATML, scripts: {}, fim: true });
    peer = await startPeer({ port, model: folder.file('other.gguf') });
    const nameAfterAsking = async () => {
      await suggestionsAt(remote, CURSORS['behind a whole token'], ASKED);
      return (await remote.status()).model?.name;
    };
    await expect.poll(nameAfterAsking).toBe('other');
    await stateOf(remote, 'ready');
  });

  it('is replaced by the local engine when the address is removed', async () => {
    const moved = connect(peer.address);
    try {
      await moved.initialize({ ...PATIENT, remoteUrl: peer.address });
      await moved.waitForState('ready');
      await moved.connection.sendNotification('workspace/didChangeConfiguration', { settings: PATIENT });
      await expect.poll(async () => (await moved.status()).remote).toBeNull();
      const { model, memory } = await stateOf(moved, 'ready');
      expect(model?.path).toBe(starterModel);
      expect(memory?.weightsBytes).toBeGreaterThan(0);
    } finally {
      await moved.dispose();
    }
  });
});

/** The requests that the peer is working on. */
async function busySlots(): Promise<number> {
  const response = await fetch(`${peer.address}/slots`, { headers: { authorization: `Bearer ${KEY}` } });
  const slots = (await response.json()) as readonly { readonly is_processing: boolean }[];
  return slots.filter((slot) => slot.is_processing).length;
}
