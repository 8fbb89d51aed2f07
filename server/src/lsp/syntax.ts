import type { TextDocuments } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { SyntaxTrees } from '../syntax/syntax-trees.js';

/** A document's tree is begun when it is opened and freed when it is closed; in between, whoever asks brings it up to date. */
export function keepSyntaxTrees(documents: TextDocuments<TextDocument>, trees: SyntaxTrees): void {
  documents.onDidOpen(({ document }) =>
    trees.prepare({ uri: document.uri, languageId: document.languageId, text: document.getText() }),
  );
  documents.onDidClose(({ document }) => trees.close(document.uri));
}
