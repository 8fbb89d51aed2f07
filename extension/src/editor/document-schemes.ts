/** Documents with these URI schemes get suggestions. */
export const DOCUMENT_SCHEMES: readonly string[] = ['file', 'untitled', 'vscode-notebook-cell', 'vscode-vfs'];
