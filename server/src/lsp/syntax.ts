import type { SyntaxTrees } from '../syntax/syntax-trees.js';
import type { DocumentListener } from './documents.js';

/** A document's tree is begun when it is opened and freed when it is closed; in between, whoever asks brings it up to date. */
export function keepSyntaxTrees(trees: SyntaxTrees): DocumentListener {
  return {
    opened: (document) =>
      trees.prepare({ uri: document.uri, languageId: document.languageId, text: document.getText() }),
    closed: ({ uri }) => trees.close(uri),
  };
}
