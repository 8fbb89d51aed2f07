import path from 'node:path/posix';

const MOST_FOLDERS = 16;

/** A folder, and those above it up to the workspace's, the nearest first. The workspace's is always there. */
export function foldersUpTo(root: string, folder: string): readonly string[] {
  const folders: string[] = [];
  let each = folder;
  while (each.length > root.length && folders.length < MOST_FOLDERS) {
    folders.push(each);
    each = path.dirname(each);
  }
  return [...folders, root];
}
