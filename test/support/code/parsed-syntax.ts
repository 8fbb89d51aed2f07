import type { Syntax, SyntaxDocument } from '../../../server/src/syntax/syntax.js';
import type { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';

/** A document's syntax once its grammar has parsed it; fails after half a minute, since other work may hold all cores. */
export async function parsedSyntax(trees: SyntaxTrees, document: SyntaxDocument): Promise<Syntax> {
  const nothing = { start: 0, end: 0, text: '' };
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    const syntax = trees.at(document);
    if (syntax.errorsWith(nothing) !== null) return syntax;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`No tree for ${document.uri} (${document.languageId})`);
}
