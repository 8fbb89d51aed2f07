import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  CHAT_ASK_REQUEST,
  type ChatOutcome,
  type EngineState,
  HEARTBEAT_REQUEST,
} from '../../../server/protocol/index.js';
import { HostileHost, UNBOUNDED_HEAD, wholeAnswer } from '../../support/hosts/hostile-host.js';
import { ServerProcess } from '../../support/servers/server-process.js';

const URI = 'file:///work/add.ts';
const TEXT = 'function add(left: number, right: number) {\n  return ;\n}\n';
const MEBIBYTE = 2 ** 20;
const MODELS = wholeAnswer(JSON.stringify({ data: [{ id: 'coder', max_model_len: 4096 }] }));
const ABSENT = { parts: ['HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'] };

let host: HostileHost;
let server: ServerProcess;

beforeEach(async () => {
  host = await HostileHost.start();
  server = new ServerProcess();
});
afterEach(async () => {
  await server.dispose();
  await host.stop();
});

async function connect(): Promise<EngineState> {
  await server.initialize({ timeBudgetMs: 60_000, remoteUrl: host.address, maxTokens: 8 });
  const state = async () => (await server.status()).state;
  await expect.poll(async () => (await state()).kind).toMatch(/ready|error/);
  return state();
}

function residentBytes(): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

async function expectAlive(): Promise<void> {
  await server.connection.sendRequest(HEARTBEAT_REQUEST);
  expect(residentBytes()).toBeLessThan(600 * MEBIBYTE);
  expect(server.stderr).toBe('');
}

it.each([
  ['endless answers', { parts: [UNBOUNDED_HEAD, 'x'.repeat(65_536)], afterwards: 'forever' }],
  ['web pages', wholeAnswer('<!DOCTYPE html><title>It works!</title>', 'text/html')],
  ['JSON that nests deeply', wholeAnswer(`${'{"data":['.repeat(50_000)}${']}'.repeat(50_000)}`)],
  ['answers that are shorter than they say', { parts: ['HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{'] }],
] as const)('a host that sends %s is an error that the status names', async (_name, answer) => {
  host.answers.set('*', answer);
  const state = await connect();
  expect(state).toMatchObject({ kind: 'error', error: { code: expect.stringMatching(/^remote/) } });
  await expectAlive();
});

it('an endless suggestion or answer ends with an error, and the server goes on', async () => {
  host.answers.set('*', ABSENT);
  host.answers.set('/v1/models', MODELS);
  const choice = { text: 'word ', delta: { content: 'word ' } };
  const values = `data: ${JSON.stringify({ choices: [choice] })}\n\n`.repeat(200);
  for (const path of ['/v1/completions', '/v1/chat/completions']) {
    host.answers.set(path, { parts: [UNBOUNDED_HEAD, values], afterwards: 'forever' });
  }
  expect((await connect()).kind).toBe('ready');
  await server.open(URI, 'typescript', TEXT);
  await server.complete(URI, { line: 1, character: 9 });
  const outcome = await server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, {
    id: 'a',
    messages: [{ role: 'user', text: 'What?' }],
    maxTokens: 16,
  });
  expect(JSON.stringify(outcome)).toContain('longer than was asked for');
  await expect.poll(() => host.openConnections).toBe(0);
  await expectAlive();
});
