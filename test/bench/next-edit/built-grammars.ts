import { GrammarLoader } from '../../../server/src/syntax/grammar-loader.js';
import { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';
import { GRAMMARS_DIRECTORY } from '../../support/source-tree.js';

/** Trees with the grammars of the build, which are there whenever a benchmark runs. */
export function builtGrammars(): SyntaxTrees {
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return new SyntaxTrees(new GrammarLoader(GRAMMARS_DIRECTORY, log), log);
}
