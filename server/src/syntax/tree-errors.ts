import type { Tree } from 'web-tree-sitter';

/** A text that is broken in more places than this is not worth comparing further. */
const MAX_ERRORS = 200;

/** How many places the grammar could not explain, or explained by something that is missing. */
export function countErrors(tree: Tree): number {
  const cursor = tree.walk();
  let count = 0;
  try {
    for (;;) {
      const node = cursor.currentNode;
      if (node.isError || node.isMissing) count++;
      if (count >= MAX_ERRORS) return count;
      if (node.hasError && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return count;
      }
    }
  } finally {
    cursor.delete();
  }
}
