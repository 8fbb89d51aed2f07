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

export const STREAMED = [...ANSWERS.map(([name]) => `${name}, piece by piece`), 'a remote answer, piece by piece'];

/** Readers of answers that come in pieces. They must not read the same text again with each piece. */
export async function streamedWorks(): Promise<Readonly<Record<string, (text: string) => unknown>>> {
  const { answerFormat, readAnswer } = await import('../../../server/src/chat/answer/answer-format.js');
  const { GenerationRecord, NO_PIECE } = await import('../../../server/src/engine/remote/prompts/generation-record.js');
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
  return Object.fromEntries([...works, ['a remote answer, piece by piece', remote]]);
}

function piecesOf(text: string): readonly string[] {
  const count = Math.ceil(text.length / PIECE_LENGTH);
  return Array.from({ length: count }, (_, index) => text.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH));
}
