import type { Acceptance } from '../../../protocol/index.js';
import { Emitter } from '../../util/emitter.js';
import type { LearnedConfidence } from '../confidence/learned-confidence.js';
import type { DocumentChange } from '../cursor/edit-kind.js';
import type { CompletionOutcome, Suggestion } from '../request/completion-outcome.js';
import type { CompletionRequest } from '../request/completion-request.js';
import { acceptsWhole } from './accepted-change.js';
import type { Statistics } from './statistics.js';
import { type FollowedText, followTyping, typedOutcome } from './typed-outcome.js';

/** An accepted text that is still there after this time was worth accepting. */
const KEPT_AFTER_MS = 30_000;
const REMEMBERED = 100;

interface Shown {
  readonly suggestion: Suggestion;
  readonly uri: string;
  readonly answer: Answer;
  /** Nothing else was shown in its document since. */
  isLatest: boolean;
  readonly followed: Followed;
}

/** The suggestions for one request. The user sees one of them at a time, so they count as one. */
interface Answer {
  counted: 'shown' | 'partlyAccepted' | 'accepted';
}

/** What was first shown of a suggestion, until its outcome is known; `place` is null from then on. */
interface Followed {
  readonly chance: number | null;
  place: FollowedText | null;
}

/** What the user accepted, and where the document continues. */
export interface AcceptedWhole {
  readonly uri: string;
  /** End of the accepted text. */
  readonly offset: number;
}

/**
 * Follows what happens to suggestions. A client reports an accepted one, by a command or a notification. The change of the
 * document tells it too, since not every client does.
 */
export class AcceptanceTracker {
  readonly #statistics: Statistics;
  readonly #confidence: LearnedConfidence;
  readonly #textOf: (uri: string) => string | null;
  #shown: Shown[] = [];
  readonly #keptChecks = new Set<NodeJS.Timeout>();
  readonly #acceptedWhole = new Emitter<AcceptedWhole>();

  /** @param textOf the current text of an open document, null for a closed one */
  constructor(statistics: Statistics, confidence: LearnedConfidence, textOf: (uri: string) => string | null) {
    this.#statistics = statistics;
    this.#confidence = confidence;
    this.#textOf = textOf;
  }

  /** Fires once for each suggestion that the user accepted as a whole. */
  readonly onDidAccept = this.#acceptedWhole.event;

  shown({ document, offset, selected }: CompletionRequest, outcome: CompletionOutcome): void {
    if (outcome.kind === 'none') return;
    for (const shown of this.#shown) if (shown.uri === document.uri) shown.isLatest = false;
    const answer = this.#answerWith(outcome.suggestions);
    for (const suggestion of outcome.suggestions) {
      const known = this.#shown.find((each) => each.suggestion.id === suggestion.id);
      const { start, text, chance } = suggestion;
      // Behind a selected item, the chance is that of the text if the user takes the item.
      const isTold = chance !== null && selected === null;
      const followed = known?.followed ?? { chance, place: isTold ? { start, typedEnd: offset, text } : null };
      const others = this.#shown.filter((each) => each !== known).slice(1 - REMEMBERED);
      this.#shown = [...others, { suggestion, uri: document.uri, answer, isLatest: true, followed }];
    }
  }

  accepted(acceptance: Acceptance): void {
    switch (acceptance.kind) {
      case 'all': {
        const shown = this.#shown.find(({ suggestion }) => suggestion.id === acceptance.suggestionId);
        if (shown !== undefined) this.#acceptWhole(shown);
        break;
      }
      case 'part': {
        const shown = this.#shown.findLast(({ uri }) => uri === acceptance.uri);
        if (shown?.answer.counted === 'shown') {
          shown.answer.counted = 'partlyAccepted';
          this.#statistics.count('partlyAccepted');
        }
        break;
      }
    }
  }

  /** @param changes as the client reported them, after the last of them */
  edited(uri: string, changes: readonly DocumentChange[]): void {
    const own = this.#shown.filter((shown) => shown.uri === uri && (shown.isLatest || shown.followed.place !== null));
    const after = own.length === 0 ? null : this.#textOf(uri);
    if (after === null) return;
    const shown = own.findLast(({ suggestion, isLatest }) => isLatest && acceptsWhole(suggestion, changes, after));
    if (shown !== undefined) this.#acceptWhole(shown);
    for (const { suggestion, followed } of own) {
      if (followed.place === null) continue;
      followed.place = followTyping(followed.place, changes);
      const outcome = followed.place && typedOutcome(followed.place, after);
      if (outcome !== null) this.#learn(suggestion, followed, outcome === 'right');
    }
  }

  /** Its text may be another one when it opens again, so no change there tells of what was shown. */
  closed(uri: string): void {
    for (const shown of this.#shown) {
      if (shown.uri !== uri) continue;
      shown.isLatest = false;
      shown.followed.place = null;
    }
  }

  dispose(): void {
    for (const timer of this.#keptChecks) clearTimeout(timer);
    this.#keptChecks.clear();
  }

  /** The rest of a suggestion that was shown before belongs to the same answer: counted once, accepted as it is now. */
  #answerWith(suggestions: readonly Suggestion[]): Answer {
    const known = this.#shown.find((each) => suggestions.some(({ id }) => id === each.suggestion.id));
    if (known !== undefined) return known.answer;
    this.#statistics.count('shown');
    return { counted: 'shown' };
  }

  #acceptWhole(shown: Shown): void {
    if (shown.answer.counted === 'accepted') return;
    this.#statistics.count('accepted', shown.answer.counted === 'partlyAccepted' ? 'partlyAccepted' : null);
    shown.answer.counted = 'accepted';
    this.#checkLater(shown);
    this.#learn(shown.suggestion, shown.followed, true);
    const { start, text } = shown.suggestion;
    this.#acceptedWhole.fire({ uri: shown.uri, offset: start + text.length });
  }

  /** Each suggestion teaches once, right or wrong, however fast the user types. */
  #learn({ model }: Suggestion, followed: Followed, right: boolean): void {
    if (followed.place === null || followed.chance === null) return;
    followed.place = null;
    this.#confidence.learn(model, followed.chance, right);
  }

  #checkLater({ suggestion, uri }: Shown): void {
    const timer = setTimeout(() => {
      this.#keptChecks.delete(timer);
      const text = this.#textOf(uri);
      if (text === null) return;
      // A formatter may have moved its lines; the text is kept as long as each line exists.
      const lines = suggestion.text.split(/\r?\n/).map((line) => line.trim());
      this.#statistics.count(lines.every((line) => text.includes(line)) ? 'kept' : 'discarded');
    }, KEPT_AFTER_MS);
    timer.unref();
    this.#keptChecks.add(timer);
  }
}
