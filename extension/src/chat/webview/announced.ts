import { cutText, t } from '../../../../server/protocol/index.js';
import type { TurnView } from './messages.js';

/** Screen readers announce this much of a finished answer; the rest is in the transcript. */
const SPOKEN_CHARACTERS = 600;

/**
 * What a screen reader says of a turn; null for nothing.
 *
 * @param shown the turns before, perhaps of another conversation
 */
export function announced(turn: TurnView, shown: readonly TurnView[]): string | null {
  const before = shown.find(({ id }) => id === turn.id);
  if (before?.state === turn.state) return null;
  if (turn.state === 'running') return turn.remark ?? t('Answering');
  // One that the user has opened was answered long ago.
  if (before === undefined) return null;
  const said = turn.error ?? cutText(turn.answer, SPOKEN_CHARACTERS);
  // The remark comes first: nobody listens to the end of a long answer to learn that it was cut off.
  return [turn.remark ?? '', said].filter((each) => each !== '').join(' ') || t('No answer.');
}
