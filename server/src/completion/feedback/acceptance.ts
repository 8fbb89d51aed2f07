import type { Acceptance } from '../../../protocol/index.js';
import type { LearnedConfidence } from '../confidence/learned-confidence.js';
import type { CompletionOutcome, Suggestion } from '../request/completion-outcome.js';
import type { CompletionRequest } from '../request/completion-request.js';
import type { Statistics } from './statistics.js';

/** An accepted text that is still there after so long was worth accepting. */
const KEPT_AFTER_MS = 30_000;
/** A suggestion that stood there for less was not read, and so not rejected. */
const READ_AFTER_MS = 750;
const REMEMBERED = 100;

interface Shown {
  readonly suggestion: Suggestion;
  readonly uri: string;
  readonly since: number;
  counted: 'shown' | 'partlyAccepted' | 'accepted';
  /** It does not stand there any more; what became of it is known. */
  learned: boolean;
}

/** What was accepted, and where the document goes on from there. */
export interface AcceptedWhole {
  readonly uri: string;
  /** Just behind the accepted text. */
  readonly offset: number;
}

/** Watches what becomes of suggestions. It learns it from commands and documents alone: the editor reports no more. */
export class AcceptanceTracker {
  readonly #statistics: Statistics;
  readonly #confidence: LearnedConfidence;
  readonly #textOf: (uri: string) => string | null;
  /** Oldest first. */
  #shown: Shown[] = [];
  readonly #keptChecks = new Set<NodeJS.Timeout>();

  /** @param textOf the present text of an open document, null for one that is closed */
  constructor(statistics: Statistics, confidence: LearnedConfidence, textOf: (uri: string) => string | null) {
    this.#statistics = statistics;
    this.#confidence = confidence;
    this.#textOf = textOf;
  }

  shown({ document }: CompletionRequest, outcome: CompletionOutcome): void {
    if (outcome.kind === 'none') return;
    this.#learnFromThoseBefore(document.uri, outcome.suggestions);
    for (const suggestion of outcome.suggestions) {
      const known = this.#shown.find((each) => each.suggestion.id === suggestion.id);
      // The same suggestion, as far as it was not typed yet: counted once, but accepted as it stands now.
      const counted = known?.counted ?? 'shown';
      if (known === undefined) this.#statistics.count('shown');
      const others = this.#shown.filter((each) => each !== known).slice(1 - REMEMBERED);
      this.#shown = [
        ...others,
        { suggestion, uri: document.uri, since: known?.since ?? performance.now(), counted, learned: false },
      ];
    }
  }

  /** Null where nothing is to be done: only a part was accepted, or nothing that is known. */
  accepted(acceptance: Acceptance): AcceptedWhole | null {
    switch (acceptance.kind) {
      case 'all': {
        const shown = this.#shown.find(({ suggestion }) => suggestion.id === acceptance.suggestionId);
        if (shown === undefined || shown.counted === 'accepted') return null;
        shown.counted = 'accepted';
        this.#statistics.count('accepted');
        this.#checkLater(shown);
        const { start, text } = shown.suggestion;
        return { uri: shown.uri, offset: start + text.length };
      }
      case 'part': {
        const shown = this.#shown.findLast(({ uri }) => uri === acceptance.uri);
        if (shown?.counted === 'shown') {
          shown.counted = 'partlyAccepted';
          this.#statistics.count('partlyAccepted');
        }
        return null;
      }
    }
  }

  dispose(): void {
    for (const timer of this.#keptChecks) clearTimeout(timer);
    this.#keptChecks.clear();
  }

  /** What stands there no longer was accepted by now, or read and left. */
  #learnFromThoseBefore(uri: string, now: readonly Suggestion[]): void {
    for (const shown of this.#shown) {
      const { suggestion, since, counted } = shown;
      if (shown.learned || shown.uri !== uri || now.some(({ id }) => id === suggestion.id)) continue;
      shown.learned = true;
      const accepted = counted !== 'shown';
      const read = performance.now() - since >= READ_AFTER_MS;
      if ((accepted || read) && suggestion.confidence !== null) this.#confidence.learn(suggestion.confidence, accepted);
    }
  }

  #checkLater({ suggestion, uri }: Shown): void {
    const timer = setTimeout(() => {
      this.#keptChecks.delete(timer);
      const text = this.#textOf(uri);
      if (text === null) return;
      // A formatter may have moved its lines; what was written is there as long as each line is.
      const lines = suggestion.text.split(/\r?\n/).map((line) => line.trim());
      this.#statistics.count(lines.every((line) => text.includes(line)) ? 'kept' : 'discarded');
    }, KEPT_AFTER_MS);
    timer.unref();
    this.#keptChecks.add(timer);
  }
}
