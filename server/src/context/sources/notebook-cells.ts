import type { ContextSource } from '../context-source.js';
import { excerpt } from './excerpt.js';

const SHOWN_CELLS = 6;
const SHOWN_LINES = 30;

const SCORE_OF_LAST = 0.95;
const SCORE_STEP = 0.05;

/** The other cells of the notebook, which form one program with this one. */
export const NOTEBOOK_CELLS: ContextSource = {
  why: 'notebookCell',

  find({ uri, files, family }) {
    if (!uri.startsWith('vscode-notebook-cell:')) return [];
    const notebook = `${uri.split('#')[0]}#`;
    return files
      .filter((file) => file.key.startsWith(notebook) && file.family === family)
      .slice(0, SHOWN_CELLS)
      .map((file, rank) => {
        const { line, text } = excerpt(file.lines, 0, SHOWN_LINES);
        const score = SCORE_OF_LAST - rank * SCORE_STEP;
        return { path: file.path, fileKey: file.key, line, text, score, why: 'notebookCell' };
      });
  },
};
