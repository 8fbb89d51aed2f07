import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { foldersUpTo } from './folders-above.js';
import { linesOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';
import { outsideNamespaces } from './namespaces.js';

const INCLUDE = /^[ \t]*#[ \t]*(?:include|import)[ \t]*["<]([^">]+)[">]/;
const HEADERS = ['.h', '.hpp', '.hh', '.hxx'];

const TYPE = '(?:struct|union|enum(?:\\s+(?:class|struct))?)';
const NAME = '(?<name>(?!final\\b)\\w+)';
const TYPE_END = /^\}\s*(?:\w+\s*\(+[^)]*\)+\s*)*\*?\s*(?<name>\w+)/;

const STYLE: DeclarationStyle = {
  rules: [
    // Without a value it guards against a second inclusion, or switches something on.
    { pattern: /^#\s*define\s+(?<name>\w+)(?:\(|\s+[^\s/])/, shape: 'signature' },
    {
      pattern: /^typedef\s+(?:struct|union|enum)(?:\s+(?<name>\w+))?\s*(?:\{\s*)?(?:\/[/*].*)?$/,
      shape: 'whole',
      needsBody: true,
      end: TYPE_END,
    },
    { pattern: /^typedef\s[^;]*?\(\s*(?:\w+\s+)?\*\s*(?<name>\w+)\s*\)/, shape: 'signature' },
    { pattern: /^typedef\s.*?\b(?<name>\w+)\s*(?:\[[^\]]*\]\s*)?;\s*$/, shape: 'signature' },
    { pattern: new RegExp(`^${TYPE}\\s+(?:\\w+\\s+)?${NAME}\\s*(?:final\\s*)?[:{]`), shape: 'record' },
    { pattern: new RegExp(`^${TYPE}\\s+(?:\\w+\\s+)?${NAME}\\s*(?:final\\s*)?$`), shape: 'record', needsBody: true },
    { pattern: new RegExp(`^class\\s+(?:\\w+\\s+)?${NAME}\\s*(?:final\\s*)?[:{]`), shape: 'members' },
    { pattern: new RegExp(`^class\\s+(?:\\w+\\s+)?${NAME}\\s*(?:final\\s*)?$`), shape: 'members', needsBody: true },
    { pattern: /^using\s+(?<name>\w+)\s*=/, shape: 'signature' },
    {
      pattern:
        /^(?!return\b|else\b|if\b|for\b|while\b|switch\b|using\b|namespace\b|case\b|typedef\b)[A-Za-z_][\w:<>,*&\s[\]]*?[\s*&](?<name>~?(?!(?:__\w+__|__declspec|alignas|decltype|void|int|char|long|short|bool|float|double|unsigned|struct)\b)\w+)\s*\(/,
      shape: 'signature',
    },
    {
      pattern: /^(?:const|constexpr|extern|inline|static)\s[\w:<>,*&\s]*?[\s*&](?<name>\w+)\s*(?:\[[^\]]*\]\s*)?[=;{]/,
      shape: 'signature',
    },
  ],
  bodyOpen: '{',
  signatureEnd: ';',
  comment: '//',
  noise: /^(?:\/\/|\/?\*|[)\]}]|#)/,
  prefix: /^template\s*</,
  // Conditions of the preprocessor stand at the margin.
  label: /^(?:\s{0,2}(?:(?:public|protected|private)(?:\s+\w+)?|signals|Q_SIGNALS)\s*:|#)/,
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
    // A name like `vector` is the compiler's.
    if (!/[./]/.test(specifier)) return [];
    const own = path.dirname(fromPath);
    // A part of the project may have its headers in folders of its own.
    const parts = foldersUpTo(root, path.dirname(own));
    const folders = [own, ...parts.flatMap((part) => [part, path.join(part, 'include'), path.join(part, 'src')])];
    return [...new Set(folders.map((folder) => path.join(folder, specifier)))];
  },

  declarations: (lines) => scanDeclarations(outsideNamespaces(lines), STYLE),
};
