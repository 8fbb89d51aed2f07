import { type ChatRefusal, t } from '../../../server/protocol/index.js';
import type { ChatServer } from '../chat/chat-server.js';
import { type EditedPart, type EditRequest, editMessages } from './edit-prompt.js';
import { longestAnswer, type Rewrite, readRewrite } from './read-rewrite.js';

/** Longer parts take minutes and fit into few contexts. In characters. */
export const LONGEST_PART = 24_000;

/** The server's own limit of an answer. */
const MOST_TOKENS = 4_096;
/** Code has more characters in a token; the rest is room for new code. */
const CHARACTERS_PER_TOKEN = 2;
const ROOM_TOKENS = 512;

export type Asked =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** One sentence for the user. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The model does not answer. */
  | { readonly kind: 'cannot'; readonly refusal: ChatRefusal }
  | { readonly kind: 'cancelled' };

/**
 * Asks the chat model to rewrite a part of a file. Greedy, so that the engine verifies the copied lines as drafts in
 * place of decoding them. An answer that is too long for a rewrite is stopped.
 */
export async function askRewrite(
  server: Pick<ChatServer, 'ask'>,
  part: EditedPart,
  request: EditRequest,
  signal: AbortSignal,
): Promise<Asked> {
  const text = part.lines.slice(part.start, part.end).join('\n');
  if (text.length > LONGEST_PART) return refused(t('The selection is too long to be edited. Select less.'));
  const tooMuch = new AbortController();
  let length = 0;
  const outcome = await server.ask(
    {
      messages: editMessages(part, request),
      think: false,
      temperature: 0,
      maxTokens: Math.min(MOST_TOKENS, Math.ceil(text.length / CHARACTERS_PER_TOKEN) + ROOM_TOKENS),
    },
    (pieces) => {
      for (const piece of pieces) if (piece.kind === 'answer') length += piece.text.length;
      if (length > longestAnswer(text)) tooMuch.abort();
    },
    AbortSignal.any([signal, tooMuch.signal]),
  );
  if (signal.aborted) return { kind: 'cancelled' };
  if (tooMuch.signal.aborted) return refused(describe('tooLong'));
  if (outcome === null) return refused(t('The language server did not answer. The status bar shows the reason.'));
  if (outcome.kind === 'refused') return { kind: 'cannot', refusal: outcome.refusal };
  if (outcome.answer.ending === 'stopped') return { kind: 'cancelled' };
  if (outcome.answer.ending === 'cutOff') return refused(describe('tooLong'));
  const rewrite = readRewrite(outcome.answer.text, text);
  return rewrite.kind === 'lines' ? rewrite : refused(describe(rewrite.kind));
}

function refused(message: string): Asked {
  return { kind: 'refused', message };
}

function describe(kind: Exclude<Rewrite['kind'], 'lines'>): string {
  switch (kind) {
    case 'noCode':
      return t('The model answered without code. Nothing was changed.');
    case 'leavesOut':
      return t('The model left out lines. Nothing was changed. Select less.');
    case 'unchanged':
      return t('The model changed nothing.');
    case 'tooLong':
      return t('The answer is too long for this selection. Nothing was changed.');
  }
}
