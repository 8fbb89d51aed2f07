import { expect, it } from 'vitest';
import type { ContextQuery, IndexedFile } from '../../../../../server/src/context/context-source.js';
import { selectSnippets } from '../../../../../server/src/context/select-snippets.js';
import { NOTEBOOK_CELLS } from '../../../../../server/src/context/sources/notebook-cells.js';

const NOTEBOOK = 'vscode-notebook-cell:/work/study.ipynb';

/** As VS Code names the cells of a new notebook, from the first to the last. */
const FRAGMENTS = ['W0sZmlsZQ==', 'W1sZmlsZQ==', 'W2sZmlsZQ==', 'X10sZmlsZQ==', 'X11sZmlsZQ=='];

function cell(index: number, text: string, visited = 0): IndexedFile {
  const key = `${NOTEBOOK}#${FRAGMENTS[index]}`;
  const nothing = { declarations: [], windows: [], imports: [], edits: [] };
  return { key, path: 'study.ipynb', family: 'python', lines: text.split('\n'), visited, ...nothing };
}

function query(current: IndexedFile, files: readonly IndexedFile[]): ContextQuery {
  return {
    key: current.key,
    uri: current.key,
    languageId: 'python',
    family: 'python',
    current,
    nearbyLines: [''],
    cursorLine: 0,
    files,
    fileByKey: () => null,
    expired: () => false,
  };
}

it('shows the cells in the order of the notebook, whichever the user visited last', () => {
  const cells = [cell(0, 'zero = 0', 1), cell(1, 'four = 4', 7), cell(2, 'three = 3'), cell(3, 'two = 2', 9)];
  const visited = cells.toSorted((left, right) => right.visited - left.visited);
  const candidates = NOTEBOOK_CELLS.find(query(cell(4, ''), visited));
  const chosen = selectSnippets({ candidates, previous: [], budgetTokens: 1000, shownLines: [] });
  expect(chosen.map(({ text }) => text)).toEqual(['zero = 0\n', 'four = 4\n', 'three = 3\n', 'two = 2\n']);
});
