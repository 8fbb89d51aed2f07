import { type LexicalRules, lexicalRulesFor } from '../../syntax/lexical/lexical-rules.js';
import { INITIAL_STATE, type LexicalState, scanLine } from '../../syntax/lexical/lexical-scanner.js';
import {
  beginsDecorator,
  decorates,
  indentationOf,
  isDistinctive,
  opensBlock,
  startsWithCloser,
} from '../cursor/line-shape.js';
import { WORD_CHARACTERS } from '../cursor/word-character.js';
import { isLooping, repeatedLines } from './repetition.js';
import type { StopRule } from './stop-rule.js';

/** Nobody reads ghost text of more lines. */
const MAX_LINES = 12;
/** A line is searched for loops each time it has grown by this many characters. */
const LOOP_CHECK_STEP = 16;

/** Each begins where nothing of its kind stands before, so that a search tries every run once. */
const LAST_WORD = new RegExp(`(?<![${WORD_CHARACTERS}])[${WORD_CHARACTERS}]+$`, 'u');
const LAST_CLOSERS = /(?<![)\]}'"`;,\s])[)\]}'"`;,\s]+$/;

/** What completes the last line: what a decorator decorates, or the bracket that opens a block on a line of its own. */
type Awaited = 'declaration' | 'bracket' | 'nothing';

/**
 * Follows a text during generation and decides where it ends: where the line, statement or block is complete, where it
 * meets the text after the cursor, or where it repeats itself. It reads each complete line once, and only the last line
 * again. Later text never changes a decision.
 */
export class StopTracker {
  readonly #rule: StopRule;
  readonly #rules: LexicalRules;
  #text = '';
  /** Length of the suggestion's complete lines, without the last line feed; -1 before the first. */
  #accepted = -1;
  #stop: number | null = null;
  #lines: string[] = [];
  #lexical: LexicalState = INITIAL_STATE;
  #insideBlock = false;
  #statementsMayFollow = false;
  #baseIndentation = 0;
  #awaits: Awaited = 'nothing';
  /** The block is the rest of a decorator. */
  #insideDecorator = false;
  #loopCheckedTo = 0;
  /** The rest of the cursor's line, if it is long enough to recognize; otherwise empty. */
  readonly #lineSuffix: string;

  constructor(rule: StopRule) {
    this.#rule = rule;
    this.#rules = lexicalRulesFor(rule.languageId);
    const suffix = rule.lineSuffix.trimEnd();
    this.#lineSuffix = isDistinctive(suffix) ? suffix : '';
  }

  /** Everything pushed so far. */
  get text(): string {
    return this.#text;
  }

  /** The length at which to cut the text; null while it may go on. */
  get stop(): number | null {
    return this.#stop;
  }

  /** Returns `stop`. */
  push(piece: string): number | null {
    this.#text += piece;
    while (this.#stop === null) {
      const start = this.#accepted + 1;
      const lineFeed = this.#text.indexOf('\n', start);
      if (lineFeed < 0) {
        this.#stop = this.#lookAtGrowingLine(this.#text.slice(start));
        break;
      }
      this.#stop = this.#takeLine(this.#text.slice(start, lineFeed), lineFeed);
    }
    return this.#stop;
  }

  /** The model has ended, so the last line is complete. Returns `stop`. */
  end(): number | null {
    if (this.#stop === null) {
      const length = this.#text.length;
      this.push('\n');
      this.#text = this.#text.slice(0, length);
    }
    return this.#stop;
  }

  /**
   * How much of a growing text may be shown, so that the shown text never shrinks: whole lines, and whole words of the
   * first line, without closers that may already follow the cursor.
   */
  get showable(): number {
    if (this.#stop !== null) return this.#stop;
    if (this.#accepted >= 0) {
      let count = this.#lines.length;
      // A line equal to an earlier one may start a repetition, which will be cut.
      while (count > 1 && this.#lines.indexOf(this.#lines[count - 1] ?? '') < count - 1) count--;
      return this.#text.slice(0, this.#endOfLine(count)).trimEnd().length;
    }
    const words = this.#text.replace(LAST_WORD, '').trimEnd();
    const shown = this.#rule.lineSuffix.trim() === '' ? words : words.replace(LAST_CLOSERS, '');
    return shown.trim() === '' ? 0 : shown.length;
  }

  /** Reads a complete line; moves `#accepted` to its end if the line belongs to the suggestion. */
  #takeLine(line: string, end: number): number | null {
    const loop = this.#beforeLoop(line);
    if (loop !== null) return loop;
    return this.#accepted < 0 ? this.#takeFirstLine(line, end) : this.#takeNextLine(line, end);
  }

  #takeFirstLine(line: string, end: number): number | null {
    const { extent, linePrefix, lineSuffix, severalStatements } = this.#rule;
    const firstLine = linePrefix + line;
    this.#accept(firstLine, end);
    if (extent === 'line') return end;
    // A line that is broken after an opener continues, although the editor has already closed the bracket.
    const breaksLine = line.trim() === '' && /[([{]\s*$/.test(linePrefix);
    this.#insideBlock = breaksLine || this.#goesOn(firstLine, closersAt(lineSuffix));
    this.#statementsMayFollow = severalStatements && line.trim() !== '' && !startsWithCloser(firstLine);
    this.#baseIndentation = indentationOf(firstLine);
    this.#awaitAfter(firstLine);
    return this.#insideBlock || this.#statementsMayFollow || this.#awaits !== 'nothing' ? null : end;
  }

  #takeNextLine(line: string, end: number): number | null {
    if (this.#lines.length >= MAX_LINES) return this.#accepted;
    if (this.#lexical.inside?.multiline === true) return this.#accept(line, end);
    if (line.trim() === '') return this.#accepted;
    if (this.#follows(line.trimEnd())) return this.#accepted;
    const indentation = indentationOf(line);
    if (indentation < this.#baseIndentation) return this.#accepted;

    const closes = startsWithCloser(line);
    const atBase = indentation === this.#baseIndentation;
    const isAwaited = this.#isAwaited(line);
    if (isAwaited === false) return this.#accepted;
    const mayFollow = isAwaited ?? (this.#insideBlock ? closes || continuesClause(line) : this.#statementsMayFollow);
    if (atBase && !mayFollow) return this.#accepted;
    const closersBefore = this.#lexical.closers.length;
    const next = scanLine(line, this.#lexical, this.#rules);
    // The line closes a bracket from before the cursor: the block around the cursor ends here.
    if (next.closers.length > closersBefore && !(atBase && this.#insideBlock)) return this.#accepted;
    this.#accept(line, end);
    const repeated = repeatedLines(this.#lines);
    if (repeated > 0) return this.#endOfLine(this.#lines.length - repeated);
    if (!atBase) return null;
    const opensAgain = this.#goesOn(line, 0);
    const endsDecorator = closes && this.#insideDecorator;
    // A clause such as Ruby's `else` needs the end of its block, though it opens none.
    this.#insideBlock = opensAgain || (this.#insideBlock && !closes && continuesClause(line));
    this.#awaitAfter(line);
    if (endsDecorator && !opensAgain) this.#awaits = 'declaration';
    else if (closes && this.#awaits !== 'nothing') this.#statementsMayFollow = false;
    if (this.#insideBlock || this.#awaits !== 'nothing') return null;
    return closes || isAwaited === true ? end : null;
  }

  #awaitAfter(line: string): void {
    const { languageId, opensOnOwnLine, lineSuffix } = this.#rule;
    const isLast = this.#insideBlock || lineSuffix.trim() !== '';
    this.#insideDecorator = this.#insideBlock && beginsDecorator(line, languageId);
    if (isLast) this.#awaits = 'nothing';
    else if (decorates(line, languageId)) this.#awaits = 'declaration';
    else this.#awaits = opensOnOwnLine && isHead(withoutComment(line, this.#lexical)) ? 'bracket' : 'nothing';
  }

  /** Null where nothing is awaited, or other lines may follow as well. */
  #isAwaited(line: string): boolean | null {
    if (this.#awaits === 'nothing' || this.#statementsMayFollow) return null;
    const atBase = indentationOf(line) === this.#baseIndentation;
    return atBase && (this.#awaits === 'declaration' || line.trimStart().startsWith('{'));
  }

  /** Makes the decisions that need no complete line. */
  #lookAtGrowingLine(line: string): number | null {
    if (this.#accepted < 0) {
      const met = this.#meetsLineSuffix(line);
      if (met) return this.#text.length;
    } else if (line.trim() !== '' && this.#lexical.inside?.multiline !== true) {
      const unclear = this.#rule.followingLines.some((following) => following.startsWith(line));
      if (!unclear && indentationOf(line) < this.#baseIndentation) return this.#accepted;
      const atBase = indentationOf(line) === this.#baseIndentation;
      const opensClause = startsWithCloser(line) || maybeClause(line) || /^\s*[<>/]$/.test(line);
      const isAwaited = this.#isAwaited(line);
      const mayFollow = isAwaited ?? (this.#insideBlock ? opensClause : this.#statementsMayFollow);
      if (!unclear && (isAwaited === false || (atBase && !mayFollow))) return this.#accepted;
    }
    if (line.length < this.#loopCheckedTo + LOOP_CHECK_STEP) return null;
    this.#loopCheckedTo = line.length;
    return this.#beforeLoop(line);
  }

  /** Drops a looping line completely, since nothing says where it should have ended. */
  #beforeLoop(line: string): number | null {
    return isLooping(line) ? Math.max(0, this.#accepted) : null;
  }

  #accept(line: string, end: number): null {
    this.#lexical = scanLine(line, this.#lexical, this.#rules);
    this.#lines.push(line);
    this.#accepted = end;
    this.#loopCheckedTo = 0;
    return null;
  }

  /** Whether the accepted line leaves something open for the next lines to close. */
  #goesOn(line: string, closersBehind: number): boolean {
    const { inside, openers } = this.#lexical;
    if (inside?.multiline === true || openers.length > closersBehind) return true;
    const code = withoutComment(line, this.#lexical);
    return opensBlock(code, this.#rule.languageId) && !/[([{]\s*$/.test(code);
  }

  /** A line is not met behind one that ends its block: the next function often has the same lines. */
  #follows(line: string): boolean {
    const { followingLines } = this.#rule;
    const at = followingLines.indexOf(line);
    if (at <= 0 || !isDistinctive(line)) return at === 0;
    const indentation = indentationOf(line);
    return followingLines.slice(0, at).every((each) => indentationOf(each) >= indentation);
  }

  /** Whether the text ends with everything that follows the cursor on its line. */
  #meetsLineSuffix(line: string): boolean {
    const suffix = this.#lineSuffix;
    return suffix !== '' && line.length > suffix.length && line.endsWith(suffix);
  }

  /** End of an accepted line, counted from 1. */
  #endOfLine(count: number): number {
    let end = -1;
    for (let line = 0; line < count; line++) end = this.#text.indexOf('\n', end + 1);
    return end;
  }
}

/** Whether a line may be the head of a block: it ends with a name, a type or a closer. */
function isHead(code: string): boolean {
  return /[\p{L}\p{N}_$)\]>]$/u.test(code.trimEnd());
}

function closersAt(text: string): number {
  return /^[)\]}\s]*/.exec(text)?.[0].replace(/\s/g, '').length ?? 0;
}

/** `else:`, `except E:` and similar clauses continue the statement that the line before seemed to end. */
const CLAUSE = /^\s*(?:else|elif|elsif|except|finally|catch|ensure|rescue|when|case|default)\b/;

function continuesClause(line: string): boolean {
  return CLAUSE.test(line);
}

/** Whether a growing line may become a clause. */
function maybeClause(line: string): boolean {
  const word = line.trimStart();
  return CLAUSE.test(line) || /^[a-z]{0,7}$/.test(word);
}

function withoutComment(line: string, { inside }: LexicalState): string {
  if (inside?.scope !== 'comment') return line;
  const start = line.search(/\/\/|#|--|;/);
  return line.slice(0, start < 0 ? undefined : start).trimEnd();
}
