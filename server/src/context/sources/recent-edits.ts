import type { ContextSource } from '../context-source.js';
import { excerpt } from './excerpt.js';

const SHOWN_EDITS = 6;
const SHOWN_LINES = 16;
const MARGIN_LINES = 2;

const SCORE_OF_LAST = 0.85;
const SCORE_STEP = 0.1;
const OTHER_LANGUAGE = 0.7;

/** What the user has just changed elsewhere, in its current form: often the code here needs the same change. */
export const RECENT_EDITS: ContextSource = {
  why: 'recentEdit',

  find({ files, family }) {
    const edits = files.flatMap((file) => file.edits.map((edit) => ({ file, edit })));
    edits.sort((left, right) => right.edit.time - left.edit.time);
    return edits.slice(0, SHOWN_EDITS).map(({ file, edit }, rank) => {
      // Shows the end of a long range, where the user usually was last.
      const start = Math.max(edit.start - MARGIN_LINES, edit.end + MARGIN_LINES - SHOWN_LINES);
      const score = (SCORE_OF_LAST - rank * SCORE_STEP) * (file.family === family ? 1 : OTHER_LANGUAGE);
      const { line, text } = excerpt(file.lines, start, edit.end + MARGIN_LINES);
      return { path: file.path, fileKey: file.key, line, text, score, why: 'recentEdit' };
    });
  },
};
