import type { NextEditReason } from '../../../protocol/index.js';
import { type AddedParameter, addedParameter } from './added-parameter.js';
import { callsLacking } from './lacking-calls.js';
import { isChangedUse } from './names/changed-use.js';
import { type RenamedName, renamedName, usesOfRenamed } from './names/renamed-name.js';
import { type PairedTag, pairedTags } from './paired-tag.js';
import { type EditedText, type Replacement, replacementsIn, type TokenChange } from './replacement.js';
import type { SearchedText } from './searched-text.js';
import { chanceAt } from './site-odds.js';
import { sitesOf, wordsIn } from './sites.js';

/** A change of one place that the recent edits make due. Offsets are UTF-16 units. */
export interface DueEdit {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  readonly reason: NextEditReason;
  /** The chance that the user would make this edit, from 0 to 1. */
  readonly chance: number;
  /** Equal for edits of the same kind: who dismisses one wants none of them. */
  readonly kind: string;
}

/**
 * Of places that use what was renamed, and of calls that lack what was added, as a compiler knows them: `bench next-edit
 * --part renames` compares. That the user wants it there is likely, since the code is broken without it.
 */
const CHANCE_OF_A_USE = 0.97;
const CHANCE_OF_A_CALL = 0.95;
const CHANCE_OF_A_TAG = 0.97;
/** What was replaced longer ago is not repeated; a declaration that was changed may have many uses. */
const REPEATED_EDITS = 8;

/** What is due by the recent edits alone. */
export class RepeatedEdits {
  readonly #edits: readonly EditedText[];
  readonly #documentOf: (uri: string) => SearchedText | null;
  readonly #replacements: readonly { readonly replacement: Replacement; readonly isUse: boolean }[];
  readonly #parameters: readonly AddedParameter[];
  readonly #renamed: ReadonlyMap<string, RenamedName>;
  readonly #tags: readonly PairedTag[];

  /**
   * @param edits oldest first
   * @param documentOf where edits were made, as the documents are now
   */
  constructor(edits: readonly EditedText[], documentOf: (uri: string) => SearchedText | null) {
    this.#edits = edits;
    this.#documentOf = documentOf;
    this.#parameters = edits.flatMap((edit) => addedParameter(edit, documentOf(edit.uri)?.languageId ?? null) ?? []);
    const renamed = decided(replacementsIn(edits)).flatMap((replacement) => {
      const name = renamedName(replacement, documentOf);
      return name === null ? [] : [[kindOf(replacement), name] as const];
    });
    this.#renamed = new Map(renamed);
    const recent = decided(replacementsIn(edits.slice(-REPEATED_EDITS)));
    this.#tags = recent.flatMap((each) => pairedTags(each, documentOf));
    this.#replacements = recent
      .filter((replacement) => !this.#renamed.has(kindOf(replacement)))
      .map((replacement) => ({ replacement, isUse: isChangedUse(replacement, documentOf) }))
      // A user who changes a second use may want all of them.
      .filter(({ replacement, isUse }) => !isUse || replacement.made.length > 1);
  }

  /** Whether there can be any at all. */
  get none(): boolean {
    const found = [this.#replacements, this.#parameters, this.#tags, [...this.#renamed]];
    return found.every(({ length }) => length === 0);
  }

  /** Those of one document, in its order, likely or not; none overlap. */
  in(document: SearchedText): readonly DueEdit[] {
    const found = [this.#replaced(document), this.#uses(document), this.#calls(document), this.#partners(document)];
    return withoutOverlaps(found.flat());
  }

  #replaced(document: SearchedText): readonly DueEdit[] {
    return this.#replacements.flatMap(({ replacement, isUse }) => {
      if (isUse && !replacement.made.some(({ edit }) => edit.uri === document.uri)) return [];
      const [newText, kind] = [replacement.to.join(''), kindOf(replacement)];
      return sitesOf(replacement, document.text).map((site): DueEdit => {
        return { start: site.start, end: site.end, newText, reason: 'repeat', chance: chanceAt(site), kind };
      });
    });
  }

  #uses(document: SearchedText): readonly DueEdit[] {
    return [...this.#renamed].flatMap(([kind, renamed]) => {
      const { from, to } = renamed;
      return usesOfRenamed(renamed, document, wordsIn(document.text, from)).map((start): DueEdit => {
        const at = document.syntax.nameAt(start);
        // `{ name }` names a property too, which keeps its name.
        const newText = at !== null && at !== 'none' && at.as === 'shorthand' ? `${from}: ${to}` : to;
        return { start, end: start + from.length, newText, reason: 'repeat', chance: CHANCE_OF_A_USE, kind };
      });
    });
  }

  #partners({ uri }: SearchedText): readonly DueEdit[] {
    return this.#tags
      .filter(({ document }) => document.uri === uri)
      .map(({ start, from, to }): DueEdit => {
        const [end, kind] = [start + from.length, `<${from}> <${to}>`];
        return { start, end, newText: to, reason: 'repeat', chance: CHANCE_OF_A_TAG, kind };
      });
  }

  #calls(document: SearchedText): readonly DueEdit[] {
    return this.#parameters.flatMap((parameter) =>
      callsLacking(parameter, this.#edits, document, this.#documentOf).map((change): DueEdit => {
        const kind = `${parameter.functionName}(${parameter.name})`;
        return { ...change, reason: 'argument', chance: CHANCE_OF_A_CALL, kind };
      }),
    );
  }
}

/** Also names the dismissal of a replacement, whoever found it. */
export function kindOf({ from, to }: TokenChange): string {
  return `${from.join('')}\0${to.join('')}`;
}

/** Without those that were made and taken back: the user has not decided. One that was made again after that counts. */
function decided(replacements: readonly Replacement[]): readonly Replacement[] {
  const latest = new Map(replacements.map((each) => [kindOf(each), each.latest]));
  return replacements.filter(({ from, to, made, latest: own }) => {
    const takenBack = latest.get(kindOf({ from: to, to: from }));
    return takenBack === undefined || (made.length > 1 && own > takenBack);
  });
}

/** Keeps the likelier one of edits that overlap. */
function withoutOverlaps(edits: readonly DueEdit[]): readonly DueEdit[] {
  const kept: DueEdit[] = [];
  for (const edit of [...edits].sort((one, other) => one.start - other.start || one.end - other.end)) {
    const last = kept.at(-1);
    if (last === undefined || edit.start >= last.end) kept.push(edit);
    else if (edit.chance > last.chance) kept[kept.length - 1] = edit;
  }
  return kept;
}
