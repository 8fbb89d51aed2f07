import type { Acceptance } from '../../../protocol/index.js';
import { Emitter } from '../../util/emitter.js';
import type { LearnedConfidence } from '../confidence/learned-confidence.js';
import type { DocumentChange } from '../cursor/edit-kind.js';
import type { CompletionOutcome, Suggestion } from '../request/completion-outcome.js';
import type { CompletionRequest } from '../request/completion-request.js';
import { acceptsWhole } from './accepted-change.js';
import type { Statistics } from './statistics.js';

/** An accepted text that is still there after this time was worth accepting. */
const KEPT_AFTER_MS = 30_000;
/** The user has not read, and so not rejected, a suggestion shown for less time. */
const READ_AFTER_MS = 750;
const REMEMBERED = 100;

interface Shown {
  readonly suggestion: Suggestion;
  readonly uri: string;
  readonly since: number;
  counted: 'shown' | 'partlyAccepted' | 'accepted';
  /** No longer shown; its outcome is known. */
  learned: boolean;
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

  shown({ document }: CompletionRequest, outcome: CompletionOutcome): void {
    if (outcome.kind === 'none') return;
    this.#learnFromThoseBefore(document.uri, outcome.suggestions);
    for (const suggestion of outcome.suggestions) {
      const known = this.#shown.find((each) => each.suggestion.id === suggestion.id);
      // The rest of the same suggestion: counted once, accepted as it is now.
      const counted = known?.counted ?? 'shown';
      if (known === undefined) this.#statistics.count('shown');
      const others = this.#shown.filter((each) => each !== known).slice(1 - REMEMBERED);
      this.#shown = [
        ...others,
        { suggestion, uri: document.uri, since: known?.since ?? performance.now(), counted, learned: false },
      ];
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
        if (shown?.counted === 'shown') {
          shown.counted = 'partlyAccepted';
          this.#statistics.count('partlyAccepted');
        }
        break;
      }
    }
  }

  /** @param changes as the client reported them, after the last of them */
  edited(uri: string, changes: readonly DocumentChange[]): void {
    const latest = this.#shown.filter((shown) => shown.uri === uri && !shown.learned);
    const after = latest.length === 0 ? null : this.#textOf(uri);
    if (after === null) return;
    const shown = latest.findLast(({ suggestion }) => acceptsWhole(suggestion, changes, after));
    if (shown !== undefined) this.#acceptWhole(shown);
  }

  dispose(): void {
    for (const timer of this.#keptChecks) clearTimeout(timer);
    this.#keptChecks.clear();
  }

  #acceptWhole(shown: Shown): void {
    if (shown.counted === 'accepted') return;
    shown.counted = 'accepted';
    this.#statistics.count('accepted');
    this.#checkLater(shown);
    const { start, text } = shown.suggestion;
    this.#acceptedWhole.fire({ uri: shown.uri, offset: start + text.length });
  }

  /** A suggestion that is no longer shown was accepted before, or read and rejected. */
  #learnFromThoseBefore(uri: string, now: readonly Suggestion[]): void {
    for (const shown of this.#shown) {
      const { suggestion, since, counted } = shown;
      if (shown.learned || shown.uri !== uri || now.some(({ id }) => id === suggestion.id)) continue;
      shown.learned = true;
      const right = counted !== 'shown' || this.#isTyped(shown);
      const read = performance.now() - since >= READ_AFTER_MS;
      if ((right || read) && suggestion.chance !== null) this.#confidence.learn(suggestion.chance, right);
    }
  }

  /** Whether the user typed the suggestion's first line instead of accepting it. */
  #isTyped({ suggestion: { start, text }, uri }: Shown): boolean {
    const [firstLine = ''] = text.trimStart().split(/\r?\n/, 1);
    return (
      firstLine !== '' &&
      this.#textOf(uri)
        ?.slice(start, start + text.length)
        .trimStart()
        .startsWith(firstLine) === true
    );
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
