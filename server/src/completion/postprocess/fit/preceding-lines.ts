import { isDistinctive } from '../../cursor/line-shape.js';
import type { SuggestionFilter } from '../filter.js';

/** Drops lines that repeat the lines right before the cursor word for word. */
export const dropPrecedingLines: SuggestionFilter = ({ text, cursor: { prefix, linePrefix } }) => {
  if (linePrefix.trim() !== '') return text;
  const suggested = (linePrefix + text).split('\n').map((line) => line.trim());
  const lines = suggested.filter((line) => line !== '');
  if (!lines.some(isDistinctive)) return text;
  const before = prefix.slice(0, prefix.length - linePrefix.length).trimEnd();
  const preceding = before
    .split('\n')
    .slice(-suggested.length * 2)
    .map((line) => line.trim());
  const last = preceding.filter((line) => line !== '').slice(-lines.length);
  return last.length === lines.length && lines.every((line, index) => line === last[index]) ? '' : text;
};
