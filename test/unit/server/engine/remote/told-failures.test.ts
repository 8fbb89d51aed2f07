import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAddress } from '../../../../../server/src/engine/port/remote-target.js';
import { HTTP_LIMITS, HttpClient } from '../../../../../server/src/engine/remote/http/http-client.js';
import { RemoteEngine } from '../../../../../server/src/engine/remote/remote-engine.js';
import { HostileHost, UNBOUNDED_HEAD, wholeAnswer } from '../../../../support/hosts/hostile-host.js';
import { SILENT } from '../../scripted-engine.js';
import { ignore, never, QUESTION, REQUEST } from './remote-requests.js';

const KEY = 'sk-0123456789abcdef';

let host: HostileHost;
let engine: RemoteEngine;

beforeEach(async () => {
  host = await HostileHost.start();
  host.answers.set('*', { parts: ['HTTP/1.1 404 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'] });
  host.answers.set('/v1/models', wholeAnswer('{"data":[{"id":"coder"}]}'));
  engine = new RemoteEngine({ origin: parseAddress(host.address).origin, key: KEY }, {}, SILENT);
});
afterEach(async () => {
  await engine.close();
  await host.stop();
});

function load(kind: 'auto' | 'openai' = 'openai') {
  const remote = { url: host.address, kind, model: '' } as const;
  return engine.load({ path: host.address, remote }, ignore, never);
}

const messageOf = (failing: Promise<unknown>) =>
  failing.then(
    () => 'no failure',
    ({ message }: Error) => message,
  );

const STREAMS = ['/v1/completions', '/v1/chat/completions'] as const;
const asked = {
  '/v1/completions': () => engine.generate(REQUEST, ignore, never),
  '/v1/chat/completions': () => engine.converse(QUESTION, ignore, never),
};

it.each(STREAMS)('shows no key that %s repeats in its stream', async (path) => {
  await load();
  const event = `data: {"error":{"message":"Incorrect API key provided: ${KEY}"}}\n\n`;
  host.answers.set(path, { parts: [UNBOUNDED_HEAD, event] });
  const message = await messageOf(asked[path]());
  expect(message).toContain('Incorrect API key provided: (the key)');
  expect(message).not.toContain(KEY);
});

it.each([
  ['in the address that it redirects to', `HTTP/1.1 302 Found\r\nlocation: /login?key=${KEY}\r\n\r\n`, 'redirects to'],
  ['as the name of its model', wholeAnswer(`{"data":[{"id":"a"},{"id":"${KEY}"}]}`), 'has several models'],
] as const)('shows no key that a server repeats %s', async (_name, answer, told) => {
  host.answers.set('/v1/models', typeof answer === 'string' ? { parts: [answer] } : answer);
  const message = await messageOf(load());
  expect(message).toContain(told);
  expect(message).toContain('(the key)');
  expect(message).not.toContain(KEY);
});

it('says of a web server that answers everything with a page that it is no such server', async () => {
  host.answers.clear();
  host.answers.set('*', wholeAnswer('<!DOCTYPE html>\n<title>It works</title>\n', 'text/html'));
  expect(await messageOf(load('auto'))).toMatch(
    /is not a llama-server, vLLM, Ollama or another OpenAI-compatible server$/,
  );
});

it.each(STREAMS)('says what %s says in place of a stream', async (path) => {
  await load();
  host.answers.set(path, wholeAnswer('{\n  "error": {\n    "message": "The model is overloaded"\n  }\n}\n'));
  expect(await messageOf(asked[path]())).toContain('The model is overloaded');
});

it.each(STREAMS)('says that %s sent a web page in place of a stream', async (path) => {
  await load();
  host.answers.set(path, wholeAnswer('<!DOCTYPE html>\n<title>Log in</title>\n', 'text/html'));
  expect(await messageOf(asked[path]())).toContain('<!DOCTYPE');
});

it('takes an answer that comes whole, from a server that does not stream', async () => {
  await load();
  host.answers.set('/v1/completions', wholeAnswer('{"choices":[{"text":"1;","finish_reason":"stop"}]}'));
  expect(await asked['/v1/completions']()).toMatchObject({ text: '1;', stopReason: 'endOfText' });
  const choice = { message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' };
  host.answers.set('/v1/chat/completions', wholeAnswer(JSON.stringify({ choices: [choice] })));
  const pieces: string[] = [];
  const ended = await engine.converse(QUESTION, ({ answer }) => void pieces.push(answer), never);
  expect([pieces, ended.stopReason]).toEqual([['Yes.'], 'endOfText']);
});

it('waits for a model that the server loads first, longer than for the first byte of others', async () => {
  const limits = { ...HTTP_LIMITS, firstByteMs: 100 };
  const client = new HttpClient({ address: parseAddress(host.address), apiKey: null, proxy: null, limits });
  host.answers.set('/api/generate', { ...wholeAnswer('{"done":true}'), firstAfterMs: 1_500 });
  const loading = client.post('/api/generate', {}, { signal: never, wholeAnswerMs: 20_000 });
  await expect(loading).resolves.toEqual({ done: true });
  await client.close();
});
