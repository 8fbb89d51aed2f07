import { columnsOf, displayText } from './display-text.js';

/** How the editor shows code. */
export interface CodeAppearance {
  /** As a setting of the editor has it; any text. */
  readonly fontFamily: string;
  /** Pixels. */
  readonly fontSize: number;
  /** Pixels. */
  readonly lineHeight: number;
  readonly tabSize: number;
}

export interface PreviewImage {
  /** An SVG as a data URI. */
  readonly address: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Colours of text and of inserted lines; an image knows nothing of the editor's theme. */
const PALETTE = {
  light: { text: '#1f1f1f', inserted: '#9ccc2c', opacity: 0.25 },
  dark: { text: '#d4d4d4', inserted: '#9ccc2c', opacity: 0.16 },
} as const;

export type PaletteName = keyof typeof PALETTE;

const MOST_LINES = 12;
const LONGEST_LINE = 100;
/** A little more than common fixed-width fonts need. */
const COLUMN_OVER_FONT_SIZE = 0.62;
const PADDING = 6;

/** Lines of code as a picture. Null without lines. */
export function previewImage(
  lines: readonly string[],
  { fontFamily, fontSize, lineHeight, tabSize }: CodeAppearance,
  palette: PaletteName,
): PreviewImage | null {
  if (lines.length === 0) return null;
  const rows = unindented(shownRows(lines).map((line) => displayText(line, LONGEST_LINE, tabSize)));
  const columns = Math.max(1, ...rows.map(columnsOf));
  const width = Math.ceil(columns * fontSize * COLUMN_OVER_FONT_SIZE) + 2 * PADDING;
  const height = rows.length * lineHeight;
  const { text, inserted, opacity } = PALETTE[palette];
  const baseline = (row: number) => Math.round(row * lineHeight + lineHeight / 2 + fontSize * 0.35);
  const texts = rows.map(
    (row, index) => `<text x="${PADDING}" y="${baseline(index)}">${escapeXml(unbroken(row))}</text>`,
  );
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="100%" height="100%" fill="${inserted}" fill-opacity="${opacity}"/>`,
    `<g font-family="${escapeXml(displayText(fontFamily, 200))}" font-size="${fontSize}" fill="${text}">`,
    ...texts,
    '</g></svg>',
  ].join('');
  return { address: `data:image/svg+xml;base64,${Buffer.from(svg, 'utf8').toString('base64')}`, width, height };
}

function shownRows(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), `… +${lines.length - MOST_LINES + 1}`];
}

/** Without the blanks that all lines begin with. */
function unindented(rows: readonly string[]): readonly string[] {
  const indents = rows.filter((row) => row.trim() !== '').map((row) => row.length - row.trimStart().length);
  return rows.map((row) => row.slice(Math.min(...indents, row.length)));
}

/** SVG draws several blanks as one, and none at the start. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
