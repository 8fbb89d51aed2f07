import { type NotebookCell, type TextDocument, workspace } from 'vscode';

const CELL_SCHEME = 'vscode-notebook-cell';

/** The cell that a document is the text of; null for a document that is no cell of an open notebook. */
export function cellOf(document: TextDocument): NotebookCell | null {
  if (document.uri.scheme !== CELL_SCHEME) return null;
  const cells = workspace.notebookDocuments.flatMap((each) => each.getCells());
  return cells.find((each) => each.document === document) ?? null;
}

/** Of a cell, its notebook's address and its number: VS Code gives cells other addresses when it opens a notebook. */
export function lastingAddress(document: TextDocument): string {
  const cell = cellOf(document);
  return cell === null ? document.uri.toString() : `${cell.notebook.uri}#${cell.index}`;
}
