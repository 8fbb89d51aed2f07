import { type NotebookCell, type TextDocument, type Uri, workspace } from 'vscode';

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

/** A file's path in its workspace folder, for the user and the model. VS Code would give the absolute path of a cell. */
export function workspacePath(uri: Uri): string {
  const isIn = ({ document }: NotebookCell): boolean => document.uri.toString() === uri.toString();
  const notebook =
    uri.scheme === CELL_SCHEME ? workspace.notebookDocuments.find((each) => each.getCells().some(isIn)) : undefined;
  return workspace.asRelativePath(notebook?.uri ?? uri);
}
