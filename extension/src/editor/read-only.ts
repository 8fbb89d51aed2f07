import { accessSync, constants } from 'node:fs';
import { languages, RelativePattern, type TextDocument, workspace } from 'vscode';
import { isRecord } from '../../../server/protocol/index.js';

/**
 * Whether VS Code makes a document read-only, as far as extensions can tell: by its file system or by the settings
 * `files.readonlyInclude`, `files.readonlyExclude` and `files.readonlyFromPermissions`. What the user has made read-only
 * for the session shows only when an edit fails.
 */
export function isReadOnly(document: TextDocument): boolean {
  const { scheme } = document.uri;
  if (workspace.fs.isWritableFileSystem(scheme) === false) return true;
  const files = workspace.getConfiguration('files', document);
  if (matches(document, files.get('readonlyExclude'))) return false;
  if (matches(document, files.get('readonlyInclude'))) return true;
  return scheme === 'file' && files.get('readonlyFromPermissions') === true && !mayWrite(document.uri.fsPath);
}

/** @param globs relative to the workspace folder, each on or off */
function matches(document: TextDocument, globs: unknown): boolean {
  if (!isRecord(globs)) return false;
  const folder = workspace.getWorkspaceFolder(document.uri);
  return Object.entries(globs).some(([glob, isOn]) => {
    if (isOn !== true) return false;
    const patterns = folder === undefined ? [glob] : [glob, new RelativePattern(folder, glob)];
    return patterns.some((pattern) => languages.match({ pattern }, document) > 0);
  });
}

const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Where that cannot be told, VS Code lets the user type. */
function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && DENIED.has(error.code));
  }
}
