import type { ContextCandidate, ContextSource, IndexedFile } from '../context-source.js';
import { excerpt } from './excerpt.js';

const SHOWN_FILES = 4;
const SHOWN_LINES = 12;

const SCORE_OF_LAST = 0.3;
const SCORE_STEP = 0.04;

/** Outlines of the files of the same language that the user visited last. */
export const OPEN_FILES: ContextSource = {
  why: 'openFile',

  find({ files, family }) {
    return files
      .filter((file) => file.visited > 0 && file.family === family)
      .slice(0, SHOWN_FILES)
      .map((file, rank): ContextCandidate => {
        const score = SCORE_OF_LAST - rank * SCORE_STEP;
        return { path: file.path, fileKey: file.key, ...outline(file), score, why: 'openFile' };
      });
  },
};

/** As many of its declarations as fit, or its beginning if it has none. */
function outline({ lines, declarations }: IndexedFile): { line: number; text: string } {
  let text = '';
  let count = 0;
  const shown = new Set<number>();
  for (const declaration of declarations) {
    if (shown.has(declaration.line)) continue;
    shown.add(declaration.line);
    const added = declaration.text.split('\n').length - 1;
    if (count + added > SHOWN_LINES) continue;
    text += declaration.text;
    count += added;
  }
  return text === '' ? excerpt(lines, 0, SHOWN_LINES) : { line: declarations[0]?.line ?? 0, text };
}
