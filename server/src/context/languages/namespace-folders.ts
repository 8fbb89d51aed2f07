import path from 'node:path/posix';

/**
 * The folder of a namespace, if the folders above a file are named like the file's own; null if the two share no part.
 *
 * @param own and wanted: the parts of the namespaces
 */
export function folderBeside(own: readonly string[], wanted: readonly string[], folder: string): string | null {
  let shared = 0;
  while (shared < own.length && shared < wanted.length && own[shared] === wanted[shared]) shared++;
  if (shared === 0) return null;
  return path.join(folder, ...own.slice(shared).map(() => '..'), ...wanted.slice(shared));
}
