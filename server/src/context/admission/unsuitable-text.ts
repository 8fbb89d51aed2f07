import { LONGEST_SHOWN_TEXT } from '../../../protocol/index.js';

/** In UTF-16 units. Larger files are data, generated, or too slow to read. */
export const MAXIMUM_FILE_CHARACTERS = LONGEST_SHOWN_TEXT;

const MAXIMUM_LINE_CHARACTERS = 2_000;
const SHORT_TEXT_CHARACTERS = 2_000;
const MAXIMUM_MEAN_LINE_CHARACTERS = 150;

/** Whether a text is binary, huge or minified: it does not show how this project's code is written. */
export function isUnsuitable(text: string): boolean {
  if (text.length > MAXIMUM_FILE_CHARACTERS || text.includes('\0')) return true;
  let lines = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > MAXIMUM_LINE_CHARACTERS) return true;
    start = end + 1;
    lines++;
  }
  if (text.length - start > MAXIMUM_LINE_CHARACTERS) return true;
  return text.length > SHORT_TEXT_CHARACTERS && text.length / lines > MAXIMUM_MEAN_LINE_CHARACTERS;
}
