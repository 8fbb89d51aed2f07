import { afterEach, beforeEach, expect, it } from 'vitest';
import { RemoteEngine } from '../../../../../server/src/engine/remote/remote-engine.js';
import { RemoteHost } from '../../../../support/hosts/remote-host.js';
import { SILENT } from '../../scripted-engine.js';
import { ignore, never, QUESTION, REQUEST } from './remote-requests.js';

let host: RemoteHost;
let engine: RemoteEngine;

beforeEach(async () => {
  host = await RemoteHost.start('openai');
  engine = new RemoteEngine({ origin: '', key: '' }, {}, SILENT);
  const remote = { url: host.address, kind: 'auto', model: '' } as const;
  await engine.load({ path: host.address, remote }, ignore, never);
});
afterEach(async () => {
  await engine.close();
  await host.stop();
});

const generate = (options = {}, signal = never) => engine.generate({ ...REQUEST, ...options }, ignore, signal);
const codeOf = (options = {}) =>
  generate(options).then(
    ({ stopReason }) => stopReason,
    ({ code }) => code,
  );

it('treats a host as gone only after several unanswered requests in a row', async () => {
  const impatient = { timeBudgetMs: 40 };
  host.misbehave('/v1/completions', { kind: 'silence' });
  expect([await codeOf(impatient), await codeOf(impatient)]).toEqual(['remoteSlow', 'remoteSlow']);
  // It begins to answer, and the client drops the rest.
  host.misbehave('/v1/completions', { kind: 'stall', after: 1 });
  const abort = new AbortController();
  await engine.generate(REQUEST, () => abort.abort(), abort.signal);
  host.misbehave('/v1/completions', { kind: 'silence' });
  expect([await codeOf(impatient), await codeOf(impatient)]).toEqual(['remoteSlow', 'remoteSlow']);
  expect(await codeOf(impatient)).toBe('remoteUnreachable');
});

it('leaves a host its time to read a question: suggestions that it does not begin meanwhile do not end the answer', async () => {
  let read: () => void = () => undefined;
  host.chatHeld = new Promise((resolve) => {
    read = resolve;
  });
  host.misbehave('/v1/completions', { kind: 'silence' });
  const answer = engine.converse(QUESTION, ignore, never);
  const codes = [];
  for (let asked = 0; asked < 4; asked++) codes.push(await codeOf({ timeBudgetMs: 40 }));
  expect(codes).toEqual(Array(4).fill('remoteSlow'));
  read();
  expect(await answer).toMatchObject({ stopReason: 'endOfText' });
});

it.each([
  ['a suggestion', (onText: () => void) => engine.generate(REQUEST, onText, never)],
  ['an answer', (onPiece: () => void) => engine.converse(QUESTION, onPiece, never)],
])('ends %s with the answer so far when it is closed', async (_name, start) => {
  host.misbehave('/v1/completions', { kind: 'stall', after: 1 });
  host.misbehave('/v1/chat/completions', { kind: 'stall', after: 3 });
  const running = start(() => void engine.close());
  expect((await running).stopReason).toBe('aborted');
});

it('counts tokens only while the server still has the model', async () => {
  await engine.close();
  await host.stop();
  host = await RemoteHost.start('vllm');
  engine = new RemoteEngine({ origin: '', key: '' }, {}, SILENT);
  await engine.load({ path: host.address, remote: { url: host.address, kind: 'auto', model: '' } }, ignore, never);
  expect(await engine.tokenize('ab')).toEqual([97, 98]);
  host.models = ['another'];
  await expect(engine.tokenize('ab')).rejects.toMatchObject({ code: 'remoteUnreachable' });
  await expect(engine.detokenize([97])).rejects.toMatchObject({ code: 'remoteUnreachable' });
});
