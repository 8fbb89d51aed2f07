import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINE_ERROR_CODES } from '../../../../../server/protocol/index.js';
import { jsonValues, type StreamFormat } from '../../../../../server/src/engine/remote/http/answer-stream.js';
import { takeBack } from '../../../../../server/src/engine/remote/prompts/healing.js';
import { RemoteEngine } from '../../../../../server/src/engine/remote/remote-engine.js';
import { damaged, hostileJson } from '../../../../support/faults/hostile-json.js';
import { property } from '../../../../support/faults/property.js';
import { HostileHost, UNBOUNDED_HEAD, wholeAnswer } from '../../../../support/hosts/hostile-host.js';
import { SILENT } from '../../scripted-engine.js';
import { never, QUESTION } from './remote-requests.js';

const REQUEST = { prompt: ['const a = ', 900_001, 'b'], maxTokens: 8, heal: true, stop: ['\n'], runnersUp: true };
const THOUGHT_ABOUT = { ...QUESTION, think: true };

type Answers = Readonly<Record<string, Parameters<typeof damaged>[0]>>;

/** Good answers of each kind of server: whole ones by path, and the values of its streams. */
const LISTED = { data: [{ id: 'org/coder', max_model_len: 4096, meta: { n_params: 7e9, size: 4e9, ftype: 'Q4_K' } }] };
const SERVERS: Readonly<Record<string, { readonly whole: Answers; readonly streams: Answers }>> = {
  'llama-server': {
    whole: {
      '/props': { default_generation_settings: { n_ctx: 8192 }, chat_template: 'enable_thinking', bos_token: '<s>' },
      '/v1/models': LISTED,
      '/tokenize': { tokens: [{ id: 1, piece: 'a' }] },
      '/detokenize': { content: 'a' },
    },
    streams: {
      '/completion': [
        { content: 'a', tokens: [5], completion_probabilities: [{ id: 5, logprob: -1, top_logprobs: [{ id: 6 }] }] },
        { content: '', tokens: [], stop: true, stop_type: 'eos', timings: { prompt_n: 5, predicted_ms: 3 } },
      ],
    },
  },
  vllm: {
    whole: { '/v1/models': LISTED, '/tokenize': { tokens: [7] }, '/detokenize': { prompt: 'a' } },
    streams: {},
  },
  openai: { whole: { '/v1/models': LISTED }, streams: {} },
  ollama: {
    whole: {
      '/api/version': { version: '0.40.0' },
      '/api/tags': { models: [{ name: 'coder', model: 'coder' }] },
      '/api/ps': { models: [{ name: 'coder', context_length: 4096 }] },
      '/api/show': {
        template: '{{ .Suffix }}',
        details: { family: 'qwen2' },
        capabilities: ['insert'],
        model_info: {},
      },
    },
    streams: {
      '/api/generate': [
        { response: 'a', done: false },
        { response: '', done: true, eval_count: 4, eval_duration: 5e6 },
      ],
    },
  },
};
const SHARED_STREAMS: Answers = {
  '/v1/completions': [
    { choices: [{ index: 0, text: 'a', logprobs: { token_logprobs: [-0.1] }, finish_reason: null }] },
    { choices: [{ index: 0, text: '', finish_reason: 'stop' }], usage: { prompt_tokens: 4, completion_tokens: 4 } },
  ],
  '/v1/chat/completions': [
    { choices: [{ delta: { role: 'assistant', reasoning_content: 'Hm.' }, finish_reason: null }] },
    { choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }], usage: { completion_tokens: 4 } },
  ],
};

interface Answered {
  readonly whole: readonly (readonly [string, unknown])[];
  readonly streams: readonly (readonly [string, unknown])[];
}

/** One kind of server, with some of its answers damaged. */
const answered: fc.Arbitrary<Answered> = fc
  .constantFrom(...Object.values(SERVERS))
  .chain(({ whole, streams }) =>
    fc.record({ whole: damagedAnswers(whole, 2), streams: damagedAnswers({ ...SHARED_STREAMS, ...streams }, 3) }),
  );

function damagedAnswers(answers: Answers, most: number) {
  const entries = Object.entries(answers).map(([path, answer]) =>
    damaged(answer, most).map((each) => [path, each] as const),
  );
  return fc.tuple(...entries);
}

describe('whatever a server answers', () => {
  property('the engine gives a result of sound values, or an error for the user', answered, async (answers) => {
    const host = await HostileHost.start();
    host.answers.set('*', { parts: ['HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'] });
    for (const [path, answer] of answers.whole) host.answers.set(path, wholeAnswer(JSON.stringify(answer)));
    for (const [path, values] of answers.streams) {
      const [start, end] = path === '/api/generate' ? ['', '\n'] : ['data: ', '\n\n'];
      const texts = (Array.isArray(values) ? values : [values]).map((each) => `${start}${JSON.stringify(each)}${end}`);
      host.answers.set(path, { parts: [UNBOUNDED_HEAD, ...texts] });
    }
    const engine = new RemoteEngine({ origin: '', key: '' }, {}, SILENT);
    try {
      const remote = { url: host.address, kind: 'auto', model: '' } as const;
      const facts = await settled(engine.load({ path: host.address, remote }, () => undefined, never));
      if (facts !== null) {
        expect(facts.contextLength).toSatisfy((length: number) => Number.isInteger(length) && length > 0);
        expect(facts.name.length).toBeLessThanOrEqual(200);
        for (const count of [facts.parameterCount, facts.fileBytes]) expect(count ?? 0).toBeGreaterThanOrEqual(0);
        expectTokens([facts.bosToken, ...Object.values(facts.fim ?? {})].filter((id) => typeof id === 'number'));

        let shown = '';
        const result = await settled(engine.generate(REQUEST, (text) => (shown += text), never));
        expect(shown.length).toBeLessThan(100_000);
        if (result !== null) {
          expect(shown).toBe(result.text);
          expectTokens(result.tokens);
          expectAmounts(result.metrics);
        }
        const said = await settled(engine.converse(THOUGHT_ABOUT, () => undefined, never));
        if (said !== null) expectAmounts(said.metrics);
        const tokens = await settled(engine.tokenize('a'));
        if (tokens !== null) expectTokens(tokens);
        await settled(engine.detokenize([1]));
      }
    } finally {
      await engine.close();
      await host.stop();
    }
  });

  const splitBytes = fc.record({
    format: fc.constantFrom<StreamFormat>('events', 'lines'),
    values: fc.array(
      fc.oneof(
        hostileJson.map((each) => JSON.stringify(each)),
        fc.string(),
        fc.constant('[DONE]'),
      ),
    ),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    cuts: fc.array(fc.nat(2_000), { maxLength: 30 }),
  });
  property(
    'a stream says the same in whatever parts it comes',
    splitBytes,
    async ({ format, values, lineEnd, cuts }) => {
      const lines = values.map((each) =>
        format === 'events' ? `data: ${each}${lineEnd}${lineEnd}` : `${each}${lineEnd}`,
      );
      const bytes = Buffer.from(lines.join(''));
      const ends = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
      const parts = [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      expect(await valuesOf(parts, format)).toEqual(await valuesOf([bytes], format));
    },
  );

  const spelled = fc.array(
    fc.record({
      id: fc.nat(),
      piece: fc.option(
        fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('a'.repeat(50_000), ' \n', '!'.repeat(900))),
      ),
    }),
  );
  property('healing takes back the end of the tokens, and not much of it', spelled, (tokens) => {
    const { stable, rest } = takeBack(tokens);
    expect(tokens.length - stable.length).toBeLessThanOrEqual(8);
    expect(stable).toEqual(tokens.slice(0, stable.length).map(({ id }) => id));
    expect(rest).toBe(
      tokens
        .slice(stable.length)
        .map(({ piece }) => piece)
        .join(''),
    );
    expect(rest.length).toBeLessThanOrEqual(8 * 1024);
  });
});

it.each([
  ['text', { text: 'word ' }],
  ['scores of no text', { text: '', logprobs: { token_logprobs: [0, 0] } }],
])(
  'a server that never stops answering costs one error, for a suggestion (%s) and for a conversation',
  async (_, sent) => {
    const host = await HostileHost.start();
    const engine = new RemoteEngine({ origin: '', key: '' }, {}, SILENT);
    host.answers.set('/v1/models', wholeAnswer(JSON.stringify(LISTED)));
    host.answers.set('*', { parts: ['HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'] });
    for (const [path, choice] of [
      ['/v1/completions', sent],
      ['/v1/chat/completions', { delta: { content: 'word ' } }],
    ] as const) {
      const value = `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
      host.answers.set(path, { parts: [UNBOUNDED_HEAD, value.repeat(100)], afterwards: 'forever' });
    }
    await engine.load({ path: '', remote: { url: host.address, kind: 'openai', model: '' } }, () => undefined, never);
    const refusal = { code: 'remoteFailed', message: expect.stringContaining('longer than was asked for') };
    await expect(engine.generate({ ...REQUEST, heal: false }, () => undefined, never)).rejects.toMatchObject(refusal);
    await expect(engine.converse(THOUGHT_ABOUT, () => undefined, never)).rejects.toMatchObject(refusal);
    await expect.poll(() => host.openConnections).toBe(0);
    await engine.close();
    await host.stop();
  },
);

it('healing reads a token that claims to spell megabytes in time that grows with its length', () => {
  const piece = `${'a'.repeat(2 ** 22)}\t`;
  expect(takeBack([{ id: 1, piece }])).toEqual({ stable: [1], rest: '' });
});

/** Null for a refusal, which must be one that users can read. */
async function settled<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (error) {
    const codes = ENGINE_ERROR_CODES.filter((code) => code !== 'internal');
    expect(error).toMatchObject({ name: 'EngineError', code: expect.toBeOneOf(codes) });
    expect((error as Error).message.length).toBeLessThan(2_000);
    return null;
  }
}

function expectTokens(tokens: readonly number[]): void {
  expect(tokens.every((id) => Number.isInteger(id) && id >= 0 && id < 2 ** 31)).toBe(true);
}

function expectAmounts(metrics: object): void {
  const numbers = Object.values(metrics).filter((each) => typeof each === 'number');
  expect(numbers.every((each) => Number.isFinite(each) && each >= 0)).toBe(true);
}

async function valuesOf(parts: readonly Uint8Array[], format: StreamFormat): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  async function* chunks() {
    yield* parts;
  }
  try {
    for await (const value of jsonValues(chunks(), format)) found.push(value);
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    found.push('refused');
  }
  return found;
}
