import type { SyntaxTrees } from '../../syntax/syntax-trees.js';
import type { DocumentListener } from '../documents/documents.js';

/** Starts a document's tree when it is opened and frees it when it is closed; each use brings it up to date. */
export function syntaxTreesListener(trees: SyntaxTrees): DocumentListener {
  return {
    opened: (document) =>
      trees.prepare({ uri: document.uri, languageId: document.languageId, text: document.getText() }),
    closed: ({ uri }) => trees.close(uri),
  };
}
