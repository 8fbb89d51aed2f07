import {
  MOST_EDITS,
  type PromptPiece,
  type RewriteAnswer,
  type RewriteFormat,
  type RewritePrompt,
  type RewriteQuestion,
  regionAnswer,
} from './rewrite-format.js';
import { seedCoderSections, ZETA_CURSOR } from './zeta-2.js';

const FEWEST_BLOCK_LINES = 6;
const MOST_BLOCK_LINES = 16;
/** A block begins at most this many lines later than it could, where that is a better line. */
const LATEST_START = 5;
const MARKER = /<\|marker_(\d{1,4})\|>/g;
const END = '<[end▁of▁sentence]>';

/** Zed's model 2.1: crates/zeta_prompt of zed-industries/zed, format `V0318SeedMultiRegions`. */
export const zeta21: RewriteFormat = {
  region: { before: 10, behind: 9 },
  around: 15,
  related: true,
  mostEdits: MOST_EDITS,
  promptFor,
};

function promptFor(question: RewriteQuestion): RewritePrompt {
  const { current, cursor } = question;
  const starts = blockStarts(current);
  const nearest = nearestMarker(starts, cursor ?? 0);
  const old = starts.map((start, index) => tag(index) + current.slice(start, starts[index + 1] ?? start)).join('');
  return {
    sections: seedCoderSections(question, [...markedBlocks(current, cursor, starts), '\n']),
    silent: tag(nearest) + tag(nearest),
    old,
    ending: '',
    stops: [END],
    spelled: ['<|user_cursor|>', ...starts.map((_, index) => tag(index))],
    read: (answer) => read(answer, question, starts),
  };
}

function tag(index: number): string {
  return `<|marker_${index + 1}|>`;
}

function markedBlocks(text: string, cursor: number | null, starts: readonly number[]): readonly PromptPiece[] {
  const holder = cursor === null ? -1 : starts.findIndex((_, index) => cursor <= (starts[index + 1] ?? text.length));
  return starts.flatMap((start, index): readonly PromptPiece[] => {
    const marker = { special: tag(index) };
    if (index === starts.length - 1) return [marker];
    const block = text.slice(start, starts[index + 1]);
    const at = (cursor ?? 0) - start;
    return index === holder ? [marker, block.slice(0, at), ZETA_CURSOR, block.slice(at)] : [marker, block];
  });
}

/** Where blocks of 6 to 16 lines begin, and the end of the last one. They begin after blank lines if they can. */
export function blockStarts(text: string): readonly number[] {
  if (text === '') return [0, 0];
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const offsets = [0];
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length + 1);
  const starts = [0];
  let last = 0;
  for (let at = 1; at < lines.length; at++) {
    const gap = at - last;
    const behindBlank = !isBlank(lines[at]) && isBlank(lines[at - 1]);
    const target = goodStart(lines, at);
    const fits = gap >= FEWEST_BLOCK_LINES && behindBlank && lines.length - target >= FEWEST_BLOCK_LINES;
    if (!fits && gap < MOST_BLOCK_LINES) continue;
    starts.push(offsets[target] ?? text.length);
    last = target;
    at = target;
  }
  return [...starts, text.length];
}

function goodStart(lines: readonly string[], from: number): number {
  for (let at = from; at < Math.min(lines.length, from + LATEST_START); at++)
    if (startsBlock(lines[at] ?? '')) return at;
  return from;
}

function startsBlock(line: string): boolean {
  const text = line.trim();
  return text !== '' && !/^[)\]}]/.test(text) && !/^(?:break|continue|return|throw|end);*$/.test(text);
}

function isBlank(line: string | undefined): boolean {
  return (line ?? '').trim() === '';
}

function nearestMarker(starts: readonly number[], cursor: number): number {
  return starts.reduce(
    (best, start, index) => (Math.abs(start - cursor) < Math.abs((starts[best] ?? 0) - cursor) ? index : best),
    0,
  );
}

function read(answer: string, question: RewriteQuestion, starts: readonly number[]): RewriteAnswer {
  const end = answer.indexOf(END);
  const text = (end < 0 ? answer : answer.slice(0, end)).replaceAll('<|user_cursor|>', '');
  const markers = [...text.matchAll(MARKER)];
  const [first, last] = [markers[0], markers.at(-1)];
  if (first === undefined || last === undefined || markers.length < 2) return { kind: 'damaged', why: 'noMarkers' };
  if (first[1] === last[1]) return { kind: 'unchanged' };
  const from = starts[Number(first[1]) - 1];
  const to = starts[Number(last[1]) - 1];
  if (from === undefined || to === undefined || from > to) return { kind: 'damaged', why: 'wrongMarkers' };
  const { current } = question;
  const made = text.slice(first.index + first[0].length, last.index).replaceAll(MARKER, '');
  return regionAnswer(current.slice(0, from) + made + current.slice(to), question);
}
