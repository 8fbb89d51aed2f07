import type { Tree } from 'web-tree-sitter';

/** Texts with more errors than this are not compared further. */
const MAX_ERRORS = 200;

/** How many places the grammar cannot explain, or only by a missing node. */
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
