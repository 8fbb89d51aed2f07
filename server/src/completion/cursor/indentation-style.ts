import { opensBlock } from './line-shape.js';

/** Characters on each side of the cursor that are read. */
const WINDOW_CHARACTERS = 8192;
const MIN_SAMPLES = 2;
/** Share of the lines that must agree. */
const AGREEMENT = 0.8;

export interface IndentationStyle {
  /** One level: a tab, or some spaces. */
  readonly unit: string;
  /** How many spaces the first lines of blocks are indented by, rare widths included. */
  readonly steps: readonly number[];
}

/** How the text around the cursor indents; null without indentation or agreement. */
export function indentationStyle(before: string, after: string, languageId: string): IndentationStyle | null {
  const around = `${before.slice(-WINDOW_CHARACTERS)}\n${after.slice(0, WINDOW_CHARACTERS)}`;
  const lines = around.split('\n').filter((line) => line.trim() !== '');
  // The lines of a block comment begin with one blank, whatever indents the code.
  const indented = lines.filter((line) => /^[ \t]/.test(line) && !/^ \*/.test(line));
  const tabs = indented.filter((line) => line.startsWith('\t')).length;
  if (indented.length >= MIN_SAMPLES && tabs >= indented.length * AGREEMENT) return { unit: '\t', steps: [] };
  if (tabs > indented.length * (1 - AGREEMENT)) return null;

  const steps = indentationSteps(lines, languageId);
  const counts = new Map<number, number>();
  for (const step of steps) counts.set(step, (counts.get(step) ?? 0) + 1);
  const [width, count] = [...counts].sort((left, right) => right[1] - left[1])[0] ?? [0, 0];
  if (steps.length < MIN_SAMPLES || count < steps.length * AGREEMENT) return null;
  return { unit: ' '.repeat(width), steps: [...counts.keys()] };
}

/** For each line that follows the start of a block: how many spaces it is indented more than the line before. */
export function indentationSteps(lines: readonly string[], languageId: string): readonly number[] {
  return lines.slice(1).flatMap((line, index) => {
    const opener = lines[index] ?? '';
    const step = leadingSpaces(line) - leadingSpaces(opener);
    return step > 0 && opensBlock(opener, languageId) ? [step] : [];
  });
}

export function leadingSpaces(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}
