import { type LexicalRules, lexicalRulesFor } from '../../syntax/lexical/lexical-rules.js';
import {
  closerOf,
  INITIAL_STATE,
  type LexicalState,
  scanLine,
  scanText,
} from '../../syntax/lexical/lexical-scanner.js';
import type { Scope } from '../../syntax/syntax.js';
import { WORD_CHARACTER } from '../cursor/word-character.js';

/** Where a suggestion may end early so that what is shown makes sense by itself. */
export interface TextPlace {
  readonly languageId: string;
  readonly scope: Scope;
  /** The cursor's line before the cursor. */
  readonly linePrefix: string;
}

const QUOTE = /["'`]/;
/** What may stand at the end of a shown text: a word, a closer, a quote, the end of an argument or statement. */
const LAST = /[\p{L}\p{M}\p{N}_$)\]}'"`;,:]/u;

/**
 * The ends of a text at which nothing is cut in two, ascending; the whole text is the last. A blank never ends one. Code
 * of several lines is cut after a line, or after the closers that a line begins with: `{`, a line feed and `return` say
 * nothing that `{` does not say. What the text opens itself is cut with more care: a string after a line only, round and
 * square brackets after an argument.
 * The same for what was open before would cost a tenth of the characters that are accepted (`bench quality --part gate`).
 *
 * @param text a suggestion
 */
export function sensibleEnds(text: string, place: TextPlace): readonly number[] {
  const opened = new OpenedByText(text, place);
  const ends: number[] = [];
  const firstLineEnd = place.scope === 'code' ? text.trimStart().indexOf('\n') : -1;
  const linesOnlyFrom = firstLineEnd < 0 ? text.length : text.length - text.trimStart().length + firstLineEnd;
  for (let end = 1; end < text.length; end++) {
    if (end > linesOnlyFrom && text[end] !== '\n' && !endsClosers(text, end)) continue;
    const [last = '', next = ''] = [text[end - 1], text[end]];
    if (!LAST.test(last) && !(last === '{' && next === '\n')) continue;
    if ((WORD_CHARACTER.test(last) && WORD_CHARACTER.test(next)) || (QUOTE.test(last) && last === next)) continue;
    if (next !== '\n' && (opened.isString(end) || (opened.isList(end) && !endsArgument(text, end)))) continue;
    ends.push(end);
  }
  if (text !== '') ends.push(text.length);
  return ends;
}

/** Behind an argument come blanks at most, of which a line has few. */
const MOST_BLANKS = 80;

function endsArgument(text: string, end: number): boolean {
  if (text[end - 1] === ',') return true;
  let next = end;
  while (next < end + MOST_BLANKS && (text[next] === ' ' || text[next] === '\t')) next++;
  return text[next] === ',' || text[next] === '\n' || isCloser(text[next]);
}

/** Whether a line holds nothing but closers up to an end, and no more of them after it. */
function endsClosers(text: string, end: number): boolean {
  if (isCloser(text[end])) return false;
  let start = end;
  while (isCloser(text[start - 1])) start--;
  const hasClosers = start < end;
  while (hasClosers && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--;
  return hasClosers && text[start - 1] === '\n';
}

function isCloser(character: string | undefined): boolean {
  return character === ')' || character === ']' || character === '}';
}

/** The strings and brackets that a text opens. Ask for ascending ends. */
class OpenedByText {
  readonly #text: string;
  readonly #strings: readonly (readonly [start: number, end: number])[];
  readonly #brackets: number[] = [];
  #string = 0;
  #bracket = 0;
  #open = '';

  constructor(text: string, { languageId, scope, linePrefix }: TextPlace) {
    this.#text = text;
    const rules = lexicalRulesFor(languageId);
    const before = linePrefix.length;
    const strings: [start: number, end: number][] = [];
    const state = startOf(text, linePrefix, scope, rules);
    scanText(linePrefix + text, state, rules, {
      onBracket: (index) => {
        if (index >= before) this.#brackets.push(index - before);
      },
      onString: (from, to) => {
        const [start, end] = [from - before, to - before];
        const last = strings.at(-1);
        // The scan tells a string of several lines line by line.
        if (last?.[1] === start - 1 && text[start - 1] === '\n') last[1] = end;
        else strings.push([start, end]);
      },
    });
    if (state.inside?.scope === 'string') strings.shift();
    this.#strings = strings.filter(([start]) => start >= 0);
  }

  isString(end: number): boolean {
    while (this.#string < this.#strings.length && (this.#strings[this.#string]?.[1] ?? 0) <= end) this.#string++;
    const [start = Number.POSITIVE_INFINITY] = this.#strings[this.#string] ?? [];
    return start < end;
  }

  isList(end: number): boolean {
    for (; (this.#brackets[this.#bracket] ?? Number.POSITIVE_INFINITY) < end; this.#bracket++) {
      const bracket = this.#text[this.#brackets[this.#bracket] ?? 0] ?? '';
      if (closerOf(bracket) !== null) this.#open += bracket;
      else if (closerOf(this.#open.at(-1) ?? '') === bracket) this.#open = this.#open.slice(0, -1);
    }
    return this.#open.endsWith('(') || this.#open.endsWith('[');
  }
}

/** The state at the start of the cursor's line: a string or a comment of several lines may have begun above. */
function startOf(text: string, linePrefix: string, scope: Scope, rules: LexicalRules): LexicalState {
  if (scope === 'code' || scanLine(linePrefix, INITIAL_STATE, rules).inside !== null) return INITIAL_STATE;
  const possible = rules.delimiters.filter((each) => each.multiline && each.scope === scope);
  const inside = possible.find(({ close }) => text.includes(close)) ?? possible[0] ?? null;
  return { ...INITIAL_STATE, inside };
}
