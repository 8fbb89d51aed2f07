import path from 'node:path/posix';
import type { ImportedName } from '../context-source.js';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import type { ImportReference, LanguageSupport } from './language-support.js';

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'];

/** The import up to the specifier, over several lines. It also matches a string that contains an import. */
const IMPORT =
  /(?:^|[;\n])[ \t]*(?<keyword>import|export)\s+(?:type\s+)?(?<clause>[\w$*\s{},]*?)\s*from\s*(?<quote>['"])(?<specifier>[^'"\n]+)\k<quote>/g;
const REQUIRE =
  /\b(?:const|let|var)\s+(?<clause>[\w$]+|\{[^}]*\})\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*(['"])(?<specifier>[^'"\n]+)\2\s*\)/g;

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: rule('(?:abstract\\s+)?class'), shape: 'members' },
    { pattern: rule('interface|(?:const\\s+)?enum|type|namespace'), shape: 'whole' },
    { pattern: rule('(?:async\\s+)?function\\s*\\*?'), shape: 'signature' },
    { pattern: rule('const|let|var'), shape: 'signature' },
  ],
  bodyOpen: /\s*\{\s*$/,
  signatureEnd: ';',
  noise: /^\s*(?:\/\/|\/?\*|@|[)\]}]|#|private\b|static\s*\{)/,
};

function rule(keywords: string): RegExp {
  return new RegExp(`^(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:${keywords})\\s+(?<name>[\\w$]+)`);
}

export const TYPESCRIPT: LanguageSupport = {
  family: 'typescript',
  languageIds: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'vue', 'svelte'],
  extensions: EXTENSIONS,
  folderIsScope: false,

  parseImports(text) {
    const references = [...text.matchAll(IMPORT), ...text.matchAll(REQUIRE)].map(({ groups }): ImportReference => {
      const { clause = '', specifier = '' } = groups ?? {};
      return { specifier, names: importedNames(clause) };
    });
    return references;
  },

  importTargets({ specifier }, fromPath, root) {
    const base = baseOf(specifier, fromPath, root);
    if (base === null) return [];
    // TypeScript names the file that the compiler writes.
    const bare = base.replace(/\.(?:js|jsx|mjs|cjs)$/, '');
    const written = EXTENSIONS.some((extension) => base.endsWith(extension)) ? [base] : [];
    return [
      ...(bare === base ? written : []),
      ...EXTENSIONS.map((extension) => `${bare}${extension}`),
      ...(bare === base ? [] : written),
      ...['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs'].map((extension) => `${bare}/index${extension}`),
    ];
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};

/** Relative to the file, or by common aliases for a project's own sources; packages are ignored. */
function baseOf(specifier: string, fromPath: string, root: string): string | null {
  if (/^\.\.?(?:\/|$)/.test(specifier)) return path.join(path.dirname(fromPath), specifier);
  const alias = /^[@~]\/(.+)/.exec(specifier)?.[1];
  return alias === undefined ? null : path.join(root, 'src', alias);
}

/** `Default, { a, type B as C }`; null if everything is imported. */
function importedNames(clause: string): readonly ImportedName[] | null {
  if (clause.includes('*')) return null;
  const names: ImportedName[] = [];
  const braces = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  for (const part of braces.split(',')) {
    const [declared, local] = part
      .trim()
      .replace(/^type\s+/, '')
      .split(/\s+as\s+|\s*:\s*/);
    if (declared) names.push({ declared, local: local ?? declared });
  }
  const own = /^\s*([\w$]+)/.exec(clause.replace(/\{[^}]*\}/, ''))?.[1];
  // A default export may have any name at its declaration; most have the one used by the import.
  if (own !== undefined) names.push({ declared: own, local: own });
  return names;
}
