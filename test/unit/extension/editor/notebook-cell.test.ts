import { beforeEach, describe, expect, it, vi } from 'vitest';
import { workspacePath } from '../../../../extension/src/editor/notebook-cell.js';
import { FakeNotebook, fakeUser, vscode } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

/** The fake's address, as VS Code's own type. */
const pathOf = (uri: unknown) => workspacePath(uri as Parameters<typeof workspacePath>[0]);

describe('the path of a file in the workspace', () => {
  let notebook: FakeNotebook;

  beforeEach(() => {
    notebook = new FakeNotebook('/work/src/sums.ipynb', ['W0', 'W1'], ['one', 'two']);
    fakeUser.notebooks = [notebook];
  });

  it.each([
    ['a file', () => new vscode.Uri('file', '/work/src/sums.ts'), 'src/sums.ts'],
    ['a file elsewhere', () => new vscode.Uri('file', '/other/sums.ts'), '/other/sums.ts'],
    ['a notebook', () => notebook.uri, 'src/sums.ipynb'],
    ['a cell', () => notebook.cells[1]?.uri, 'src/sums.ipynb'],
  ])('%s', (_name, uri, path) => {
    expect(pathOf(uri())).toBe(path);
  });

  it('a cell of a closed notebook', () => {
    fakeUser.notebooks = [];
    expect(pathOf(notebook.cells[1]?.uri)).toBe('/work/src/sums.ipynb');
  });
});
