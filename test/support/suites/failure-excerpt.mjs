// What a suite printed of its failures, to be shown once more at the end: of a long run only the end is kept by many
// who run it.
import { stripVTControlCharacters } from 'node:util';

/** As vitest, ctest, and this project's own drivers begin the line that names a failed test. */
const NAMES_A_FAILURE = /(^|\s)(FAIL\s|FAILED\b(?!,)|FOUND by )/;
/** Behind that line: the error's message, where it was thrown, and what a driver knows of it. */
const LINES_BEHIND = 20;
const MOST_LINES = 60;
const MOST_CHARACTERS = 300;
/** Shown of a suite that failed and named nothing: a compiler, a formatter, a crash. */
const LAST_LINES = 20;

export class FailureExcerpt {
  #rest = '';
  #left = 0;
  #last = [];
  #found = [];

  /** @param chunk of the output, cut anywhere */
  add(chunk) {
    const lines = `${this.#rest}${chunk}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#addLine(line);
  }

  /** Whether one of its lines named a failure. */
  get namesFailure() {
    return this.#found.length > 0;
  }

  /** @returns the lines to show, without colours and empty lines */
  lines() {
    if (this.#rest !== '') this.add('\n');
    return this.#found.length > 0 ? this.#found : this.#last;
  }

  #addLine(colored) {
    const line = stripVTControlCharacters(colored).trimEnd().slice(0, MOST_CHARACTERS);
    if (line === '') return;
    this.#last = [...this.#last.slice(1 - LAST_LINES), line];
    if (NAMES_A_FAILURE.test(line)) this.#left = 1 + LINES_BEHIND;
    if (this.#left === 0 || this.#found.length === MOST_LINES) return;
    this.#left -= 1;
    this.#found.push(line);
  }
}
