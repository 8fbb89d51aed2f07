import { describe, expect, it } from 'vitest';
import { jsonValues } from '../../../../../server/src/engine/remote/http/answer-stream.js';
import { connectionError, messageIn, statusError } from '../../../../../server/src/engine/remote/http/remote-error.js';
import { readConversationPiece } from '../../../../../server/src/engine/remote/kinds/chat-completions.js';
import { readLlamaPiece } from '../../../../../server/src/engine/remote/kinds/llama-server.js';
import { describeModel, readOllamaPiece } from '../../../../../server/src/engine/remote/kinds/ollama.js';
import { readCompletionPiece } from '../../../../../server/src/engine/remote/kinds/openai-server.js';
import { GenerationRecord, NO_PIECE } from '../../../../../server/src/engine/remote/prompts/generation-record.js';

const LIMITS = { firstByteMs: 2_000, stallMs: 1_500 };

async function* chunksOf(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(text: string, format: 'events' | 'lines', size: number) {
  const values: unknown[] = [];
  for await (const value of jsonValues(chunksOf(text, size), format)) values.push(value);
  return values;
}

describe('a stream', () => {
  // A chunk may end anywhere, even inside a character.
  it.each([1, 2, 3, 1000])('is read in chunks of %i bytes', async (size) => {
    const events =
      ': ping\n\ndata: {"a":"größe"}\r\n\r\nevent: x\ndata: {"b":\ndata: 2}\n\ndata: [DONE]\n\ndata: {"c":3}\n\n';
    expect(await read(events, 'events', size)).toEqual([{ a: 'größe' }, { b: 2 }]);
    expect(await read('{"a":"größe"}\n\n{"b":2}\r\n{"c":3}', 'lines', size)).toEqual([
      { a: 'größe' },
      { b: 2 },
      { c: 3 },
    ]);
  });

  it('has the failure that an earlier llama-server reports in a field of its own', async () => {
    const text = 'data: {"content":"a"}\n\nerror: {"code":500,"message":"why"}\n\n';
    expect(await read(text, 'events', 1000)).toEqual([{ content: 'a' }, { error: { code: 500, message: 'why' } }]);
  });

  it('refuses invalid JSON', async () => {
    await expect(read('data: <html>\n\n', 'events', 100)).rejects.toThrow(SyntaxError);
    await expect(read('{"a":\n', 'lines', 100)).rejects.toThrow(SyntaxError);
  });
});

describe('a piece', () => {
  it('of llama-server has text, tokens, their probabilities and the second-best ones', () => {
    const value = {
      content: ' a',
      tokens: [5],
      stop: false,
      timings: { prompt_n: 3, cache_n: 7, predicted_n: 1, prompt_ms: 2, predicted_ms: 4 },
      completion_probabilities: [
        {
          id: 5,
          logprob: -0.2,
          top_logprobs: [
            { id: 5, logprob: -0.2 },
            { id: 6, logprob: -2 },
          ],
        },
      ],
    };
    expect(readLlamaPiece(value, 'gpu', true)).toEqual({
      text: ' a',
      tokens: [5],
      logProbabilities: [-0.2],
      runnersUp: [{ token: 6, logProbability: -2 }],
      ending: null,
      timings: { promptTokens: 10, reusedTokens: 7, generatedTokens: 1, prefillMs: 2, decodeMs: 4 },
    });
    const ending = (stop_type: string) => readLlamaPiece({ content: '', stop: true, stop_type }, 'gpu', false).ending;
    expect(['eos', 'word', 'limit'].map(ending)).toEqual(['endOfText', 'stopText', 'maxTokens']);
  });

  it('of vLLM and of Ollama has the fields that they send', () => {
    const choice = { text: 'x', logprobs: { token_logprobs: [-1, null] }, finish_reason: 'length' };
    expect(readCompletionPiece({ choices: [choice] }, 'gpu')).toMatchObject({
      text: 'x',
      logProbabilities: [-1, 0],
      ending: 'maxTokens',
      timings: null,
    });
    const last = {
      response: '',
      done: true,
      done_reason: 'length',
      prompt_eval_count: 9,
      eval_count: 2,
      eval_duration: 3e6,
    };
    expect(readOllamaPiece(last, 'gpu')).toMatchObject({
      ending: 'maxTokens',
      timings: { promptTokens: 9, generatedTokens: 2, decodeMs: 3 },
    });
  });

  it('of a conversation separates thinking from the answer by either name', () => {
    const piece = (delta: unknown) => readConversationPiece({ choices: [{ delta, finish_reason: null }] }, 'gpu');
    expect(piece({ reasoning_content: 'hm' })).toMatchObject({ thinking: 'hm', answer: '' });
    expect(piece({ reasoning: 'hm' })).toMatchObject({ thinking: 'hm', answer: '' });
    expect(piece({ content: 'yes' })).toMatchObject({ thinking: '', answer: 'yes', ending: null });
  });

  it.each([readConversationPiece, readCompletionPiece, readOllamaPiece])('with a failure throws it', (reader) => {
    for (const value of [
      { error: { message: 'no more' } },
      { error: 'no more' },
      { object: 'error', message: 'no more' },
    ]) {
      expect(() => reader(value, 'gpu')).toThrow('gpu failed: no more');
    }
  });

  it('that is invalid is named in the error', () => {
    expect(() => readCompletionPiece([], 'gpu')).toThrow(/no choices/);
    expect(() => readOllamaPiece('x', 'gpu')).toThrow(/no response/);
    expect(() => readLlamaPiece(null, 'gpu', false)).toThrow(/no text/);
  });
});

describe('a record of a generation', () => {
  const piece = (text: string, token = 1) => ({ ...NO_PIECE, text, tokens: [token], logProbabilities: [-1] });

  it('leaves out typed text, and streams the rest', () => {
    const said: string[] = [];
    const record = new GenerationRecord('retu', 12, (text) => said.push(text));
    expect([piece('re'), piece('turn'), piece(' a')].map((each) => record.add(each))).toEqual([true, true, true]);
    expect(said).toEqual(['rn', ' a']);
    const result = record.result('endOfText');
    expect(result).toMatchObject({ text: 'rn a', tokens: [1, 1, 1], stopReason: 'endOfText' });
    expect(result.metrics).toMatchObject({ promptTokens: 12, generatedTokens: 3, reusedTokens: null });
  });

  it('is dropped if the answer differs from the typed text', () => {
    const said: string[] = [];
    const record = new GenerationRecord('retu', 0, (text) => said.push(text));
    expect(record.add(piece('rex'))).toBe(false);
    expect([said, record.result('endOfText').text]).toEqual([[], '']);
  });

  it('offers no branches without token ids', () => {
    const runnersUp = [{ token: 4, logProbability: -1 }];
    const timings = { promptTokens: 1, reusedTokens: 0, generatedTokens: 9, prefillMs: 1, decodeMs: 1 };
    const whole = new GenerationRecord('', 0, () => undefined);
    whole.add({ ...piece('a'), runnersUp, timings: { ...timings, generatedTokens: 1 } });
    expect(whole.result('endOfText').runnersUp).toEqual(runnersUp);
    const partial = new GenerationRecord('', 0, () => undefined);
    partial.add({ ...piece('a'), runnersUp, timings });
    expect(partial.result('endOfText').runnersUp).toEqual([]);
  });
});

describe('a failure', () => {
  const failed = (code: string) => Object.assign(new Error('details'), { code });

  it.each([
    ['ECONNREFUSED', 'remoteUnreachable', /refused the connection/],
    ['ENOTFOUND', 'remoteUnreachable', /host name is unknown/],
    ['UND_ERR_CONNECT_TIMEOUT', 'remoteUnreachable', /cannot be reached/],
    ['EHOSTUNREACH', 'remoteUnreachable', /EHOSTUNREACH/],
    ['UND_ERR_HEADERS_TIMEOUT', 'remoteUnreachable', /within 2 s/],
    ['UND_ERR_BODY_TIMEOUT', 'remoteFailed', /for 1.5 s/],
    ['UND_ERR_SOCKET', 'remoteUnreachable', /closed the connection/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'remoteUnreachable', /not trusted.*NODE_EXTRA_CA_CERTS/],
    ['CERT_HAS_EXPIRED', 'remoteUnreachable', /not trusted/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'remoteUnreachable', /does not support https/],
    ['E_OTHER', 'remoteUnreachable', /details/],
  ])('%s', (code, expected, sentence) => {
    for (const thrown of [
      failed(code),
      new Error('fetch failed', { cause: failed(code) }),
      new AggregateError([failed(code)]),
    ]) {
      const error = connectionError(thrown, 'gpu:1', LIMITS);
      expect(error).toMatchObject({ code: expected, message: expect.stringMatching(sentence) });
      expect(error.message).toContain('gpu:1');
    }
  });

  it.each([
    [401, 'remoteUnauthorized'],
    [403, 'remoteUnauthorized'],
    [404, 'remoteNotFound'],
    [400, 'remoteFailed'],
    [429, 'remoteFailed'],
    [500, 'remoteFailed'],
    [502, 'remoteUnreachable'],
    [503, 'remoteUnreachable'],
    [308, 'remoteFailed'],
  ])('of status %i', (status, code) => {
    const error = statusError(status, 'http://elsewhere/', '{"error":{"message":"why"}}', 'gpu:1');
    expect(error).toMatchObject({ code, message: expect.stringContaining('gpu:1') });
    expect(error.message).toContain(status === 308 ? 'http://elsewhere/' : `${status}: why`);
  });

  it.each([
    ['{"error":{"message":"a"}}', 'a'],
    ['{"error":"a"}', 'a'],
    ['{"detail":"a"}', 'a'],
    ['{"detail":[{"loc":["body","top_k"],"msg":"must be positive"},{"msg":"b"}]}', 'body.top_k: must be positive'],
    ['{"detail":[{"msg":"a"}]}', 'a'],
    ['{"detail":[1]}', ''],
    ['{"error":true,"message":"a"}', 'a'],
    ['{"error":7,"message":"a"}', 'a'],
    ['{"error":null,"message":"a"}', ''],
    ['{"error":false,"message":"a"}', ''],
    ['{"object":"error","message":"a"}', 'a'],
    ['a', 'a'],
    ['<html>long</html>', ''],
    ['{}', ''],
  ])('says of %s: %s', (body, message) => {
    expect(messageIn(body)).toBe(message);
  });
});

it('describes models of Ollama, with and without the fields of newer versions', () => {
  expect(describeModel('m', { template: '{{ .Prompt }}', details: { family: 'llama' } }, 0)).toMatchObject({
    architecture: 'llama',
    contextLength: 4096,
    fim: null,
    thinking: 'none',
  });
  expect(describeModel('m', { template: '<PRE> {{ .Prompt }} <SUF>{{ .Suffix }}' }, 8192)).toMatchObject({
    contextLength: 8192,
    fim: expect.objectContaining({ prefix: 0 }),
  });
});
