import { markdownCode } from '../texts/plain-text.js';
import { displayText } from './display-text.js';

const MOST_LINES = 40;
const LONGEST_LINE = 200;

/**
 * A diff as Markdown that is nothing but code, whatever it contains.
 *
 * @param oldLines whole lines
 */
export function diffMarkdown(oldLines: readonly string[], newLines: readonly string[]): string {
  const rows = [...signed('-', oldLines), ...signed('+', newLines)];
  return markdownCode(rows.join('\n'), 'diff');
}

function signed(sign: string, lines: readonly string[]): readonly string[] {
  const rows = lines.slice(0, MOST_LINES).map((line) => `${sign} ${displayText(line, LONGEST_LINE)}`);
  return lines.length > MOST_LINES ? [...rows, `${sign} …`] : rows;
}
