import { toLineFeeds } from '../../../protocol/index.js';
import { holdsSecret } from '../admission/secret-files.js';
import { isUnsuitable } from '../admission/unsuitable-text.js';
import type { ContextCandidate, ContextSource } from '../context-source.js';
import { excerpt } from './excerpt.js';

const SHOWN_LINES = 24;
const MAXIMUM_CHARACTERS = 4_096;
const SCORE = 0.6;

/** The user's last copied text, if the settings allow it. A text that may not be shown is not kept. */
export class Clipboard implements ContextSource {
  readonly why = 'clipboard';
  #candidate: ContextCandidate | null = null;

  find(): readonly ContextCandidate[] {
    return this.#candidate === null ? [] : [this.#candidate];
  }

  /** @returns whether anything changed */
  set(text: string): boolean {
    const before = this.#candidate?.text;
    const usable = text.length <= MAXIMUM_CHARACTERS && !isUnsuitable(text) && !holdsSecret(text);
    const shown = usable ? excerpt(toLineFeeds(text).split('\n'), 0, SHOWN_LINES).text : '';
    this.#candidate =
      shown === '' ? null : { path: 'clipboard', fileKey: null, line: 0, text: shown, score: SCORE, why: this.why };
    return before !== this.#candidate?.text;
  }
}
