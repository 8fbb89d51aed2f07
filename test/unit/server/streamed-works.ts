import {
  BARE_CALLS,
  CHANNELS,
  HERMES,
  MARKED_CALLS,
  QWEN_THINKING,
  TAGGED_PARAMETERS,
} from '../../support/models/chat-templates.js';

/** The pieces in which a server sends a token. */
const PIECE_LENGTH = 4;

/** Kind of answer, its template, how it begins, and what its end is parsed for. */
const ANSWERS: readonly (readonly [name: string, template: string, head: string])[] = [
  ['an answer', QWEN_THINKING, ''],
  ['thinking', QWEN_THINKING, '<think>'],
  ['an answer behind thinking', QWEN_THINKING, '<think></think>'],
  ['an answer that may have calls', TAGGED_PARAMETERS, ''],
  ['a call between tags', HERMES, '<tool_call>'],
  ['a call in tags', TAGGED_PARAMETERS, '<tool_call><function=look>'],
  ['a call behind a marker', MARKED_CALLS, '[TOOL_CALLS]'],
  ['an answer that may be a call', BARE_CALLS, ''],
  ['a list that may be a call', BARE_CALLS, '['],
  ['a header', CHANNELS, '<'],
  ['a message on a channel', CHANNELS, '<|channel|>final<|message|>'],
  ['a call on a channel', CHANNELS, '<|channel|>commentary to=functions.look<|message|>'],
];

export const STREAMED = [
  ...ANSWERS.map(([name]) => `${name}, piece by piece`),
  'a remote answer, piece by piece',
  'events of a remote server',
  'lines of a remote server',
];

/** Readers of answers that come in pieces. They must not read the same text again with each piece. */
export async function streamedWorks(): Promise<Readonly<Record<string, (text: string) => unknown>>> {
  const { answerFormat, readAnswer } = await import('../../../server/src/chat/answer/answer-format.js');
  const { GenerationRecord, NO_PIECE } = await import('../../../server/src/engine/remote/prompts/generation-record.js');
  const { jsonValues } = await import('../../../server/src/engine/remote/http/answer-stream.js');
  const works = ANSWERS.map(([name, template, head]) => {
    const format = answerFormat(template);
    const work = (text: string) => {
      const reader = readAnswer(format, false, [{ name: 'look', description: 'Looks.' }]);
      const said = [head, ...piecesOf(text)].flatMap((piece) => reader.push(piece));
      return [...said, ...reader.end()].map((piece) => (piece.kind === 'toolCall' ? piece.call.name : piece.text));
    };
    return [`${name}, piece by piece`, work] as const;
  });
  const remote = (text: string) => {
    const said: string[] = [];
    const record = new GenerationRecord('a', null, (fresh) => said.push(fresh));
    for (const piece of ['a', ...piecesOf(text)]) record.add({ ...NO_PIECE, text: piece });
    return [said, record.result('endOfText').text];
  };
  /** What the server sends at once, and in pieces. */
  const streamed = async (text: string, format: 'events' | 'lines') => {
    const bytes = Buffer.from(text);
    const read: unknown[] = [];
    for (const pieces of [[bytes], piecesOf(bytes)]) {
      try {
        for await (const value of jsonValues(toStream(pieces), format)) read.push(value);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        read.push(error.message);
      }
    }
    return read;
  };
  return Object.fromEntries<(text: string) => unknown>([
    ...works,
    ['a remote answer, piece by piece', remote],
    ['events of a remote server', (text) => streamed(text, 'events')],
    ['lines of a remote server', (text) => streamed(text.split('\n').map(inJson).join('\n'), 'lines')],
  ]);
}

function inJson(text: string): string {
  return text === '' ? '' : JSON.stringify(text);
}

async function* toStream<T>(pieces: readonly T[]): AsyncGenerator<T> {
  yield* pieces;
}

function piecesOf<T extends string | Uint8Array>(whole: T): readonly T[] {
  const count = Math.ceil(whole.length / PIECE_LENGTH);
  return Array.from(
    { length: count },
    (_, index) => whole.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH) as T,
  );
}
