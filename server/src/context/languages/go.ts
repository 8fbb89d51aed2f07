import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { closesList, linesOf, statementsOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: /^func\s+(?:\([^)]*\)\s*)?(?<name>\w+)/, shape: 'signature' },
    { pattern: /^type\s+(?<name>\w+)/, shape: 'whole' },
    { pattern: /^(?:var|const)\s+(?<name>\w+)/, shape: 'signature' },
  ],
  bodyOpen: '{',
  signatureEnd: '',
  noise: /^(?:\/\/|[)\]}])/,
};

export const GO: LanguageSupport = {
  family: 'go',
  languageIds: ['go'],
  extensions: ['.go'],
  folderIsScope: true,

  *parseImports(text) {
    for (const statement of statementsOf(linesOf(text), /^import\b/, closesList)) {
      for (const [, specifier = ''] of statement.matchAll(/"([^"\n]+)"/g)) yield { specifier, names: null };
    }
  },

  /** The module's own name is in go.mod, which is not read: the longest end of the path that is a folder counts. */
  importTargets({ specifier }, _fromPath, root) {
    const parts = specifier.split('/');
    // The standard library's first part has no dot, and a module of this repository has at least two parts.
    return parts.length < 2 ? [] : parts.slice(1).map((_, index) => `${path.join(root, ...parts.slice(index + 1))}/`);
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};
