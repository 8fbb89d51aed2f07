import { describe, expect, it } from 'vitest';
import type { ChatServer } from '../../../../extension/src/chat/answer/chat-server.js';
import { askRewrite as askShowing } from '../../../../extension/src/inline-edit/ask-rewrite.js';
import type { ChatOutcome } from '../../../../server/protocol/index.js';

const LINES = ['import a;', '', 'function one() {', '  return 1;', '}', '', 'one();'];
const PART = {
  uri: 'file:///src/one.ts',
  path: 'src/one.ts',
  languageId: 'typescript',
  lines: LINES,
  start: 2,
  end: 5,
};
const REWRITTEN = 'function one() {\n  return 2;\n}';

const answered = (text: string, ending: 'complete' | 'stopped' | 'cutOff' = 'complete'): ChatOutcome => ({
  kind: 'answered',
  answer: {
    ...{ text, thinking: '', toolCalls: [], ending, droppedTurns: 0, forgottenTokens: 0, promptTokens: 1 },
    ...{ reusedTokens: 0, generatedTokens: 1, prefillMs: 0, decodeMs: 0, preemptions: 0 },
  },
});
const says =
  (outcome: ChatOutcome | null): ChatServer['ask'] =>
  async () =>
    outcome;
const X = { text: 'x', rules: null };
const never = new AbortController().signal;
const askRewrite = ({ ask }: Pick<ChatServer, 'ask'>, ...rest: Tail<Parameters<typeof askShowing>>) =>
  askShowing({ server: { ask }, mayShow: async () => true }, ...rest);
type Tail<T extends readonly unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

describe('askRewrite', () => {
  it('shows the model the part, what is around it and the request, and asks for the likeliest answer', async () => {
    let asked: Parameters<ChatServer['ask']>[0] | undefined;
    const ask: ChatServer['ask'] = async (question) => {
      asked = question;
      return answered(`\`\`\`ts\n${REWRITTEN}\n\`\`\``);
    };
    const result = await askRewrite({ ask }, PART, { text: 'return two', rules: 'Use tabs.' }, never);
    expect(result).toEqual({ kind: 'lines', lines: REWRITTEN.split('\n') });
    expect(asked).toMatchObject({ think: false, temperature: 0 });
    const text = asked?.messages.at(-1)?.text ?? '';
    expect(text).toContain('The part:\n```typescript\nfunction one() {\n  return 1;\n}\n```');
    expect(asked?.messages[0]?.text).toContain('Use tabs.');
    expect(text).toContain('import a;');
    expect(text).toContain('one();');
    expect(text.endsWith('Rewrite the part: return two')).toBe(true);
  });

  it('limits what is around the part', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `line ${index};`);
    let length = 0;
    const ask: ChatServer['ask'] = async ({ messages }) => {
      length = messages.at(-1)?.text.length ?? 0;
      return null;
    };
    await askRewrite({ ask }, { ...PART, lines: many, start: 2_500, end: 2_501 }, X, never);
    expect(length).toBeLessThan(7_000);
  });

  it('shows what is around the part only where the file may be shown', async () => {
    const texts: string[] = [];
    const ask: ChatServer['ask'] = async ({ messages }) => {
      texts.push(messages.at(-1)?.text ?? '');
      return null;
    };
    const asked: [string, string][] = [];
    const mayShow = async (uri: string, text: string) => {
      asked.push([uri, text]);
      return false;
    };
    await askShowing({ server: { ask }, mayShow }, PART, X, never);
    expect(asked).toEqual([['file:///src/one.ts', 'import a;\n\n\none();']]);
    expect(texts[0]).toContain('The part:');
    expect(texts[0]).not.toContain('import a;');
    expect(texts[0]).not.toContain('one();\n```');
    await askShowing({ server: { ask }, mayShow }, { ...PART, start: 0, end: LINES.length }, X, never);
    expect(asked).toHaveLength(1);
  });

  it('has the server see to it that question and answer fit, and leaves out what is around the part if they do not', async () => {
    const asked: Parameters<ChatServer['ask']>[0][] = [];
    const refusal = { reason: 'questionTooLong', message: 'It takes 9 tokens, there is room for 5.' } as const;
    const ask: ChatServer['ask'] = async (question) => {
      asked.push(question);
      return { kind: 'refused', refusal };
    };
    expect(await askRewrite({ ask }, PART, X, never)).toEqual({ kind: 'cannot', refusal });
    expect(asked.map(({ asLongAs }) => asLongAs)).toEqual(Array(2).fill(LINES.slice(2, 5).join('\n')));
    expect(asked.map(({ messages }) => messages.at(-1)?.text.includes('import a;'))).toEqual([true, false]);
  });

  it('does not take an answer whose model forgot a part of the question', async () => {
    const outcome = answered(`\`\`\`ts\n${REWRITTEN}\n\`\`\``);
    if (outcome.kind !== 'answered') throw new Error('no answer');
    const forgetful = { ...outcome, answer: { ...outcome.answer, forgottenTokens: 1 } };
    expect(await askRewrite({ ask: says(forgetful) }, PART, X, never)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('forgot'),
    });
  });

  it('stops an answer that never ends', async () => {
    const ask: ChatServer['ask'] = async (_question, onPieces, signal) => {
      while (!signal.aborted) onPieces([{ kind: 'answer', text: 'again and again '.repeat(100) }]);
      return answered('again', 'stopped');
    };
    expect(await askRewrite({ ask }, PART, X, never)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('too long'),
    });
  });

  it.each([
    ['no server answers', null, /server did not answer\. Try again\.$/],
    ['the answer is cut off', answered('```ts\nfunction', 'cutOff'), /too long/],
    ['there is no code', answered('No.'), /without code/],
  ] as const)('says why nothing changes if %s', async (_name, outcome, message) => {
    const result = await askRewrite({ ask: says(outcome) }, PART, X, never);
    expect(result.kind).toBe('refused');
    expect(result.kind === 'refused' ? result.message : '').toMatch(message);
  });

  it('passes on why the model does not answer', async () => {
    const refusal = { reason: 'noTemplate', message: 'It cannot chat.' } as const;
    expect(await askRewrite({ ask: says({ kind: 'refused', refusal }) }, PART, X, never)).toEqual({
      kind: 'cannot',
      refusal,
    });
  });

  it('is silent if the user cancels, whatever comes back', async () => {
    const abort = new AbortController();
    abort.abort();
    for (const outcome of [null, answered(REWRITTEN)]) {
      expect(await askRewrite({ ask: says(outcome) }, PART, X, abort.signal)).toEqual({ kind: 'cancelled' });
    }
    expect(await askRewrite({ ask: says(answered('', 'stopped')) }, PART, X, never)).toEqual({ kind: 'cancelled' });
  });
});
