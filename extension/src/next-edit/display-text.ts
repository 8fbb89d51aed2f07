import { cutText } from '../../../server/protocol/index.js';

/** Scripts whose words have joiners: Arabic, and those of India. */
const JOINING = ['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya', 'Sinh', 'Taml', 'Telu'];
const JOINED = `[${JOINING.map((script) => `\\p{sc=${script}}`).join('')}]`;
/** Joiners that show: in such words, and in an emoji of several. */
const SHOWN_JOINER = `(?<=${JOINED})[\\u200C\\u200D](?=${JOINED})|(?<=\\p{ExtPict}\\uFE0F?|\\p{EMod})\\u200D(?=\\p{ExtPict})`;

/**
 * Control characters, characters that reorder text or have no width, such as tags and fillers, and halves of pairs. The
 * selectors of an emoji's form stay.
 */
const UNSAFE = new RegExp(
  `(?!\\uFE0E|\\uFE0F|${SHOWN_JOINER})[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\uFFFE\\uFFFF]`,
  'gu',
);

const REPLACEMENT = '\uFFFD';
const ELLIPSIS = '…';

/**
 * A line of code as it can be drawn: short, and with a visible mark for each character that would break the line, hide
 * or reorder it. Tabs become blanks up to the next tab stop.
 *
 * @param longest in characters
 */
export function displayText(text: string, longest: number, tabSize = 4): string {
  // A character has at most two units, and what is cut off costs nothing.
  const isCut = text.length > 2 * longest;
  const characters = [...expandTabs(text.slice(0, 2 * longest), tabSize).replaceAll(UNSAFE, REPLACEMENT)];
  if (!isCut && characters.length <= longest) return characters.join('');
  return characters.slice(0, longest - 1).join('') + ELLIPSIS;
}

/** The first line, with a mark if there are more. */
export function displayFirstLine(text: string, longest: number): string {
  const [first = '', ...others] = linesOf(cutText(text, 2 * longest).trimStart());
  return displayText(first, longest) + (others.length > 0 ? ELLIPSIS : '');
}

export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Columns of a fixed-width font: most East Asian characters and emoji take two. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  return columns;
}

function expandTabs(text: string, tabSize: number): string {
  if (!text.includes('\t')) return text;
  let expanded = '';
  let columns = 0;
  for (const character of text) {
    const width = character === '\t' ? tabSize - (columns % tabSize) : columnsOf(character);
    expanded += character === '\t' ? ' '.repeat(width) : character;
    columns += width;
  }
  return expanded;
}

function isWide(code: number): boolean {
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) || isLateWide(code);
}

function isLateWide(code: number): boolean {
  return (
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
