import type { Tree } from 'web-tree-sitter';

/** Texts with more errors than this are not compared further. */
const MAX_ERRORS = 200;
/** A tree in which more nodes must be visited takes too long. */
const MAX_VISITS = 4_000;

/** How many places the grammar cannot explain, or only by a missing node; null where counting takes too long. */
export function countErrors(tree: Tree): number | null {
  const cursor = tree.walk();
  let count = 0;
  try {
    for (let visits = 0; visits < MAX_VISITS; visits++) {
      const node = cursor.currentNode;
      if (node.isError || node.isMissing) count++;
      if (count >= MAX_ERRORS) return count;
      if (node.hasError && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return count;
      }
    }
    return null;
  } finally {
    cursor.delete();
  }
}
