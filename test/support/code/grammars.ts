import path from 'node:path';
import { copyGrammars } from '../../../server/grammars.mjs';
import { type CursorSyntax, cursorSyntaxAt } from '../../../server/src/completion/cursor/cursor-syntax.js';
import { GrammarLoader } from '../../../server/src/syntax/grammar-loader.js';
import { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';
import type { Log } from '../../../server/src/util/log.js';
import { SILENT } from '../../unit/server/scripted-engine.js';
import { REPOSITORY_ROOT } from '../source-tree.js';
import { cursorFixture } from './cursor-fixture.js';
import { parsedSyntax } from './parsed-syntax.js';

const folder = path.join(REPOSITORY_ROOT, '.cache/grammars');

let loader: GrammarLoader | null = null;

/**
 * Trees with the real grammars, taken from the npm packages, so that no bundles are needed. They share one runtime, since
 * each takes time to compile.
 */
export function syntaxTrees(log: Log = SILENT): SyntaxTrees {
  loader ??= newGrammarLoader();
  return new SyntaxTrees(loader, log);
}

/** One that has loaded nothing yet. */
export function newGrammarLoader(): GrammarLoader {
  copyGrammars(folder);
  return new GrammarLoader(folder, SILENT);
}

/** The grammar's syntax at the cursor of a fixture. */
export async function parsedCursorSyntax(
  trees: SyntaxTrees,
  marked: string,
  languageId = 'typescript',
): Promise<CursorSyntax> {
  const { text, offset } = cursorFixture(marked);
  const document = { uri: 'file:///fixture', languageId, text };
  await parsedSyntax(trees, document);
  return cursorSyntaxAt(trees, document, offset, null);
}
