import { markdownCode } from '../texts/plain-text.js';
import { displayText } from './display-text.js';

const MOST_LINES = 40;
const LONGEST_LINE = 200;

/** The most characters of a line that is shown alone: more than an edit within a line can have. */
const LONGEST_ALONE = 1_000;

/**
 * A diff as Markdown that is nothing but code, whatever it contains.
 *
 * @param oldLines whole lines, or none and one part of a line that is new
 */
export function diffMarkdown(oldLines: readonly string[], newLines: readonly string[]): string {
  const longest = oldLines.length + newLines.length === 1 ? LONGEST_ALONE : LONGEST_LINE;
  const rows = [...signed('-', oldLines, longest), ...signed('+', newLines, longest)];
  return markdownCode(rows.join('\n'), 'diff');
}

function signed(sign: string, lines: readonly string[], longest: number): readonly string[] {
  const rows = lines.slice(0, MOST_LINES).map((line) => `${sign} ${displayText(line, longest)}`);
  return lines.length > MOST_LINES ? [...rows, `${sign} …`] : rows;
}
