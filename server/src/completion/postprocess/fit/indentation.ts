import {
  type IndentationStyle,
  indentationSteps,
  indentationStyle,
  leadingSpaces,
} from '../../cursor/indentation-style.js';
import { indentationOf, opensBlock } from '../../cursor/line-shape.js';
import type { FilterInput, SuggestionFilter } from '../filter.js';

/**
 * Changes indentation to the document's style: tabs or spaces, and the width of a level. Removes indentation that the
 * cursor's line already has. Leaves the text alone where the document is inconsistent.
 */
export const fitIndentation: SuggestionFilter = (input) => {
  const { cursor, syntax } = input;
  if (syntax.scope !== 'code') return input.text;
  const text = withoutIndentationTwice(input);
  const style = indentationStyle(cursor.prefix, cursor.suffix, syntax.languageId);
  if (style === null || !/\n[ \t]/.test(text)) return text;
  // The text before the cursor indents the first line.
  const [first = '', ...rest] = text.split('\n');
  const lines =
    style.unit === '\t'
      ? spacesToTabs(rest, leadingTabs(cursor.linePrefix))
      : rescaled([cursor.linePrefix + first, ...tabsToSpaces(rest, style.unit)], style, syntax.languageId);
  return [first, ...lines].join('\n');
};

/** A model may indent the first line although the cursor is already indented. */
function withoutIndentationTwice({ text, cursor: { prefix, linePrefix }, syntax }: FilterInput): string {
  const again = /^[ \t]+(?=\S)/.exec(text)?.[0];
  if (again === undefined || linePrefix === '' || linePrefix.trim() !== '') return text;
  const before = prefix.slice(0, prefix.length - linePrefix.length).trimEnd();
  const previousLine = before.slice(before.lastIndexOf('\n') + 1);
  const deeper = opensBlock(previousLine, syntax.languageId);
  const expected = indentationOf(linePrefix) - indentationOf(previousLine);
  return again === linePrefix && (deeper ? expected > 0 : expected === 0) ? text.slice(again.length) : text;
}

/** Widths of a level, common ones first. */
const WIDTHS = [4, 2, 8, 3, 6, 5, 7];

/** @param depth in tabs, of the line before: the lines are as deep or one deeper, which tells how wide a level is */
function spacesToTabs(lines: readonly string[], depth: number): readonly string[] {
  const widths = lines.filter((line) => line.trim() !== '').map(leadingSpaces);
  if (lines.some((line) => line.startsWith('\t'))) return lines;
  const common = widths.reduce(greatestCommonDivisor, 0);
  const least = Math.min(...widths);
  const fitting = WIDTHS.find((each) => common % each === 0 && (least / each === depth + 1 || least / each === depth));
  const unit = least > 0 && fitting !== undefined ? fitting : common;
  if (unit < 2 || unit > 8) return lines;
  return lines.map((line) => '\t'.repeat(leadingSpaces(line) / unit) + line.slice(leadingSpaces(line)));
}

function leadingTabs(line: string): number {
  return /^\t*/.exec(line)?.[0].length ?? 0;
}

function tabsToSpaces(lines: readonly string[], unit: string): readonly string[] {
  return lines.map((line) => line.replace(/^\t+/, (tabs) => unit.repeat(tabs.length)));
}

/** The lines after the first, with each level as wide as in the document. */
function rescaled(
  lines: readonly string[],
  { unit, ...style }: IndentationStyle,
  languageId: string,
): readonly string[] {
  const base = leadingSpaces(lines[0] ?? '');
  const steps = indentationSteps(lines, languageId);
  const [step] = steps;
  const rest = lines.slice(1);
  if (step === undefined || style.steps.includes(step) || steps.some((other) => other !== step)) return rest;
  const levels = rest.map((line) => (leadingSpaces(line) - base) / step);
  const regular = levels.every((level, index) => rest[index]?.trim() === '' || (Number.isInteger(level) && level >= 0));
  if (!regular) return rest;
  return rest.map((line, index) => ' '.repeat(base) + unit.repeat(Math.max(0, levels[index] ?? 0)) + line.trimStart());
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}
