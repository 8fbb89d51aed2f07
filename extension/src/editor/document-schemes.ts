import { t } from '../../../server/protocol/index.js';

/**
 * Documents with these URI schemes get suggestions: on disk, not saved yet, cells of notebooks, virtual workspaces, SSH FS,
 * and what a host of Live Share shows its guests. Their text comes from VS Code. The server reads the disk for the first
 * one only.
 */
export const DOCUMENT_SCHEMES: readonly string[] = [
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-vfs',
  'ssh',
  'vsls',
];

/** Why a document with this scheme gets no suggestions, in sentences; null where it does. */
export function describeUnservedScheme(scheme: string): string | null {
  if (DOCUMENT_SCHEMES.includes(scheme)) return null;
  return t(
    'Inkling makes no suggestions in documents of the kind "{0}". It serves files, untitled files and notebooks, also in virtual workspaces, SSH FS and Live Share.',
    scheme,
  );
}
