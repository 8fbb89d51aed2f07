import type { NextEditReason } from '../../../protocol/index.js';
import { addedParameter, callsLacking } from './added-parameter.js';
import { type EditedText, type Replacement, replacementsIn } from './replacement.js';
import { chanceAt, LEAST_CHANCE } from './site-odds.js';
import { sitesOf } from './sites.js';

/** A change of one place that the recent edits make due. Offsets are UTF-16 units. */
export interface DueEdit {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  readonly reason: NextEditReason;
  /** Of being what the user would do. */
  readonly chance: number;
  /** Equal for edits of the same kind: who dismisses one wants none of them. */
  readonly kind: string;
}

/**
 * A call with as many arguments as the function had before needs the new one, if it calls that very function. The
 * argument itself is a guess.
 */
const CALL_CHANCE = 0.8;

/** What is due by the recent edits alone, without any text of the documents. */
export class RepeatedEdits {
  readonly #replacements: readonly Replacement[];
  readonly #parameters;

  /** @param edits oldest first */
  constructor(edits: readonly EditedText[]) {
    const replacements = replacementsIn(edits);
    const latest = new Map(replacements.map((each) => [`${each.from.join('')}\0${each.to.join('')}`, each.latest]));
    this.#replacements = replacements.filter(({ from, to, made, latest: own }) => {
      const takenBack = latest.get(`${to.join('')}\0${from.join('')}`);
      // Made and taken back: the user has not decided. Whoever makes it once more after that has.
      return takenBack === undefined || (made.length > 1 && own > takenBack);
    });
    const last = edits.at(-1);
    const parameters = edits.slice(-4).map(addedParameter);
    this.#parameters = last === undefined ? [] : parameters.filter((each) => each !== null);
  }

  /** Whether there can be any at all. */
  get none(): boolean {
    return this.#replacements.length === 0 && this.#parameters.length === 0;
  }

  /** Those of one text, in its order; none overlap. */
  in(text: string): readonly DueEdit[] {
    const replaced = this.#replacements.flatMap((replacement) =>
      sitesOf(replacement, text).map((site): DueEdit => {
        const newText = replacement.to.join('');
        const kind = `${replacement.from.join('')}\0${newText}`;
        return { start: site.start, end: site.end, newText, reason: 'repeat', chance: chanceAt(site), kind };
      }),
    );
    const called = this.#parameters.flatMap((parameter) =>
      callsLacking(parameter, text).map((change): DueEdit => {
        const kind = `${parameter.functionName}(${parameter.name})`;
        return { ...change, reason: 'argument', chance: CALL_CHANCE, kind };
      }),
    );
    const likely = [...replaced, ...called].filter(({ chance }) => chance >= LEAST_CHANCE);
    return withoutOverlaps(likely);
  }
}

/** Of edits that overlap, the likelier one stays. */
function withoutOverlaps(edits: readonly DueEdit[]): readonly DueEdit[] {
  const kept: DueEdit[] = [];
  for (const edit of [...edits].sort((one, other) => one.start - other.start || one.end - other.end)) {
    const last = kept.at(-1);
    if (last === undefined || edit.start >= last.end) kept.push(edit);
    else if (edit.chance > last.chance) kept[kept.length - 1] = edit;
  }
  return kept;
}
