import { type ChatOutcome, type ChatRefusal, t } from '../../../server/protocol/index.js';
import type { ChatServer } from '../chat/answer/chat-server.js';
import type { MayShow } from '../chat/attachments/attachments.js';
import { type EditedPart, type EditRequest, editMessages, type LinesAround, linesAround } from './edit-prompt.js';
import { longestAnswer, type Rewrite, readRewrite } from './read-rewrite.js';

export type Asked =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** One sentence for the user. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The model does not answer. */
  | { readonly kind: 'cannot'; readonly refusal: ChatRefusal }
  | { readonly kind: 'cancelled' };

export interface RewriteParts {
  readonly server: Pick<ChatServer, 'ask'>;
  readonly mayShow: MayShow;
}

/**
 * Asks the chat model to rewrite a part of a file. Greedy, so that the engine verifies the copied lines as drafts in
 * place of decoding them. An answer that is too long for a rewrite is stopped.
 *
 * The user's command shows the part, as it does for a suggestion. The lines around it are shown if the file may be shown
 * without being named, and if there is room for them.
 */
export async function askRewrite(
  { server, mayShow }: RewriteParts,
  part: EditedPart,
  request: EditRequest,
  signal: AbortSignal,
): Promise<Asked> {
  const text = part.lines.slice(part.start, part.end).join('\n');
  const around = linesAround(part);
  const isAround = around.above !== '' || around.below !== '';
  const isShown = isAround && (await mayShow(part.uri, `${around.above}\n${around.below}`));
  if (signal.aborted) return { kind: 'cancelled' };
  const tooMuch = new AbortController();
  const ask = (shown: LinesAround | null): Promise<ChatOutcome | null> => {
    let length = 0;
    const question = { messages: editMessages(part, shown, request), think: false, temperature: 0, asLongAs: text };
    return server.ask(
      question,
      (pieces) => {
        for (const piece of pieces) if (piece.kind === 'answer') length += piece.text.length;
        if (length > longestAnswer(text)) tooMuch.abort();
      },
      AbortSignal.any([signal, tooMuch.signal]),
    );
  };
  let outcome = await ask(isShown ? around : null);
  const isTooLong = outcome?.kind === 'refused' && outcome.refusal.reason === 'questionTooLong';
  if (isTooLong && isShown && !signal.aborted) outcome = await ask(null);
  if (signal.aborted) return { kind: 'cancelled' };
  if (tooMuch.signal.aborted) return refused(describe('tooLong'));
  if (outcome === null) return refused(t('The language server did not answer. Try again.'));
  if (outcome.kind === 'refused') return { kind: 'cannot', refusal: outcome.refusal };
  if (outcome.answer.ending === 'stopped') return { kind: 'cancelled' };
  if (outcome.answer.forgottenTokens > 0) return refused(describe('forgotten'));
  if (outcome.answer.ending === 'cutOff') return refused(describe('tooLong'));
  const rewrite = readRewrite(outcome.answer.text, text);
  return rewrite.kind === 'lines' ? rewrite : refused(describe(rewrite.kind));
}

function refused(message: string): Asked {
  return { kind: 'refused', message };
}

function describe(kind: Exclude<Rewrite['kind'], 'lines'> | 'forgotten'): string {
  switch (kind) {
    case 'noCode':
      return t('The model answered without code. Nothing was changed.');
    case 'leavesOut':
      return t('The model left out lines. Nothing was changed. Select less.');
    case 'forgotten':
      return t('The model forgot a part of the selection. Nothing was changed. Select less.');
    case 'unchanged':
      return t('The model changed nothing.');
    case 'tooLong':
      return t('The answer is too long for this selection. Nothing was changed.');
  }
}
