import type { ContextSource } from '../context-source.js';
import { notebookOf } from '../files/file-location.js';
import { excerpt } from './excerpt.js';

const SHOWN_CELLS = 6;
const SHOWN_LINES = 30;

const SCORE_OF_LAST = 0.95;
const SCORE_STEP = 0.05;

/** The other cells of the notebook, which form one program with this one: those visited last, in the notebook's order. */
export const NOTEBOOK_CELLS: ContextSource = {
  why: 'notebookCell',

  find({ uri, files, family }) {
    const notebook = notebookOf(uri);
    if (notebook === null) return [];
    const cells = files.filter((file) => notebookOf(file.key) === notebook && file.family === family);
    // The editor numbers cells as it makes them: those of a saved notebook from the first to the last.
    const order = cells.map(({ key }) => key).sort();
    return cells.slice(0, SHOWN_CELLS).map((file, rank) => {
      const { text } = excerpt(file.lines, 0, SHOWN_LINES);
      const line = order.indexOf(file.key);
      const score = SCORE_OF_LAST - rank * SCORE_STEP;
      return { path: file.path, fileKey: file.key, line, text, score, why: 'notebookCell' };
    });
  },
};
