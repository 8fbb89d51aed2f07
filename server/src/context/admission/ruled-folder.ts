import { type IgnoreRules, ignoredByRules, longestRule, ruleCharacters } from './ignore-rules.js';
import type { Steps } from './path-pattern.js';

/** Longer rules are refused: a hostile repository could stop the server with them. */
const MAXIMUM_RULE_CHARACTERS = 512;
const MAXIMUM_CHARACTERS = 65_536;

/** The most steps of one decision: some tens of milliseconds. Honest rules take less than a tenth of that. */
const MAXIMUM_STEPS = 1_000_000;

/** A folder on the way to a file, with its own rules and those of the folders above. */
export class RuledFolder {
  readonly #above: RuledFolder | null;
  readonly #depth: number;
  readonly #rules: readonly IgnoreRules[];
  readonly #characters: number;
  /** By name, with a slash after that of a folder: files share folders, and are asked for again and again. */
  readonly #decisions = new Map<string, boolean>();

  /**
   * @param above null for the repository's root
   * @param rules of its own files; the last one decides first
   */
  constructor(above: RuledFolder | null, rules: readonly IgnoreRules[]) {
    this.#above = above;
    this.#depth = above === null ? 0 : above.#depth + 1;
    this.#rules = rules;
    const charactersAbove = above === null ? 0 : above.#characters;
    this.#characters = rules.reduce((sum, each) => sum + ruleCharacters(each), charactersAbove);
  }

  /** Why its rules are too much to compare every path with; null if they are not. */
  get excess(): string | null {
    if (this.#rules.some((each) => longestRule(each) > MAXIMUM_RULE_CHARACTERS)) {
      return `has a rule of more than ${MAXIMUM_RULE_CHARACTERS} characters`;
    }
    const isTooMuch = this.#characters > MAXIMUM_CHARACTERS;
    return isTooMuch ? `and the folders above have rules of more than ${MAXIMUM_CHARACTERS} characters` : null;
  }

  /** Whether it was made from the same rules. */
  isOf(above: RuledFolder | null, rules: readonly IgnoreRules[]): boolean {
    const hasSameRules = rules.length === this.#rules.length && rules.every((each, at) => each === this.#rules[at]);
    return this.#above === above && hasSameRules;
  }

  /** @param names the parts of the path of something directly in this folder, from the root, in lower case */
  ignores(names: readonly string[], isFolder: boolean): boolean {
    const name = `${names.at(-1)}${isFolder ? '/' : ''}`;
    const ignored = this.#decisions.get(name) ?? this.#decide(names, isFolder);
    this.#decisions.set(name, ignored);
    return ignored;
  }

  /** The rules of an entry's own folder decide first. What takes too many steps is ignored. */
  #decide(names: readonly string[], isFolder: boolean): boolean {
    const steps: Steps = { left: MAXIMUM_STEPS };
    for (let folder: RuledFolder | null = this; folder !== null; folder = folder.#above) {
      for (const rules of folder.#rules.toReversed()) {
        const ignored = ignoredByRules(rules, names.slice(folder.#depth), isFolder, steps);
        if (steps.left < 0) return true;
        if (ignored !== null) return ignored;
      }
    }
    return false;
  }
}
