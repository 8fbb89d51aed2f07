import type { ContextSource } from '../context-source.js';
import { notebookOf } from '../files/file-location.js';
import { excerpt } from './excerpt.js';

const SHOWN_CELLS = 6;
const SHOWN_LINES = 30;

const SCORE_OF_LAST = 0.95;
const SCORE_STEP = 0.05;

/** The other cells of the notebook, which form one program with this one. */
export const NOTEBOOK_CELLS: ContextSource = {
  why: 'notebookCell',

  find({ uri, files, family }) {
    const notebook = notebookOf(uri);
    if (notebook === null) return [];
    return files
      .filter((file) => notebookOf(file.key) === notebook && file.family === family)
      .slice(0, SHOWN_CELLS)
      .map((file, rank) => {
        const { line, text } = excerpt(file.lines, 0, SHOWN_LINES);
        const score = SCORE_OF_LAST - rank * SCORE_STEP;
        return { path: file.path, fileKey: file.key, line, text, score, why: 'notebookCell' };
      });
  },
};
