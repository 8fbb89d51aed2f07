import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { linesOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';

const INCLUDE = /^[ \t]*#[ \t]*(?:include|import)[ \t]*["<]([^">]+)[">]/;
const HEADERS = ['.h', '.hpp', '.hh', '.hxx'];

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: /^#\s*define\s+(?<name>\w+)/, shape: 'signature' },
    { pattern: /^(?:typedef\s+)?(?:struct|union|enum(?:\s+class)?)\s+(?:\w+\s+)?(?<name>\w+)\s*[:{]/, shape: 'whole' },
    { pattern: /^class\s+(?:\w+\s+)?(?<name>\w+)\s*(?:final\s*)?[:{]/, shape: 'members' },
    { pattern: /^using\s+(?<name>\w+)\s*=/, shape: 'signature' },
    { pattern: /^typedef\s[^;]*?\b(?<name>\w+)\s*;/, shape: 'signature' },
    {
      pattern:
        /^(?!return\b|else\b|if\b|for\b|while\b|switch\b|using\b|namespace\b|case\b)[A-Za-z_][\w:<>,*&\s[\]]*?[\s*&](?<name>~?\w+)\s*\(/,
      shape: 'signature',
    },
  ],
  bodyOpen: '{',
  signatureEnd: ';',
  noise: /^(?:\/\/|\/?\*|[)\]}]|#)/,
  label: /^\s{0,2}(?:public|protected|private)\s*:/,
};

export const C_FAMILY: LanguageSupport = {
  family: 'c',
  languageIds: ['c', 'cpp', 'objective-c', 'objective-cpp', 'cuda-cpp'],
  extensions: ['.c', '.cc', '.cpp', '.cxx', '.m', '.mm', '.cu', ...HEADERS],
  folderIsScope: false,

  *parseImports(text) {
    for (const line of linesOf(text)) {
      const specifier = INCLUDE.exec(line)?.[1];
      if (specifier !== undefined) yield { specifier, names: null };
    }
  },

  importTargets({ specifier }, fromPath, root) {
    const folders = [path.dirname(fromPath), root, path.join(root, 'include'), path.join(root, 'src')];
    return [...new Set(folders.map((folder) => path.join(folder, specifier)))];
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};
