import {
  type PromptPiece,
  type RewriteAnswer,
  type RewriteQuestion,
  regionAnswer,
  withMark,
} from './rewrite-format.js';

/** Marks that Zeta 1 and Instinct share. */
export const REGION_START = '<|editable_region_start|>';
export const REGION_END = '<|editable_region_end|>';
const CURSOR_HERE = '<|user_cursor_is_here|>';

/** An excerpt with marks at the region and at the cursor, without a line feed at its end. */
export function markedExcerpt(
  { current, cursor }: RewriteQuestion,
  above: string,
  below: string,
): readonly PromptPiece[] {
  const region = current.endsWith('\n') ? current.slice(0, -1) : current;
  const place = cursor === null ? null : Math.min(cursor, region.length);
  const behind = below.endsWith('\n') ? below.slice(0, -1) : below;
  return [
    above,
    { special: REGION_START },
    '\n',
    ...withMark(region, place, { special: CURSOR_HERE }),
    '\n',
    { special: REGION_END },
    behind === '' ? '' : `\n${behind}`,
  ];
}

/** The region of an answer that may or may not repeat the marks. */
export function readMarkedRegion(answer: string, question: RewriteQuestion): RewriteAnswer {
  const text = answer.replaceAll(CURSOR_HERE, '');
  const start = text.indexOf(REGION_START);
  const from = start < 0 ? 0 : start + REGION_START.length + (text[start + REGION_START.length] === '\n' ? 1 : 0);
  const end = text.indexOf(REGION_END);
  if (end >= 0 && end < from) return { kind: 'damaged', why: 'wrongMarkers' };
  return regionAnswer(text.slice(from, end < 0 ? undefined : end), question);
}

/** The last lines of a text. */
export function lastLines(text: string, count: number): string {
  let start = text.length;
  for (let line = 0; line <= count && start > 0; line++) start = text.lastIndexOf('\n', start - 1);
  return start <= 0 && !text.startsWith('\n', start) ? text : text.slice(start + 1);
}

/** The first lines of a text. */
export function firstLines(text: string, count: number): string {
  let end = -1;
  for (let line = 0; line < count; line++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text;
  }
  return text.slice(0, end + 1);
}
