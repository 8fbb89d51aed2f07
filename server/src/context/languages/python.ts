import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { foldersUpTo } from './folders-above.js';
import { closesList, linesOf, statementsOf, withoutComments } from './import-statements.js';
import type { ImportReference, LanguageSupport } from './language-support.js';

const FROM = /^[ \t]*from[ \t]+(?<module>[\w.]+)[ \t]+import\b/;
const IMPORT = /^[ \t]*import[ \t]/;

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: /^class\s+(?<name>\w+)/, shape: 'members' },
    { pattern: /^(?:async\s+)?def\s+(?<name>\w+)/, shape: 'signature' },
    { pattern: /^(?<name>(?!__)[A-Za-z_]\w*)\s*(?::[^=]+)?=\s*\{$/, shape: 'whole' },
    { pattern: /^(?<name>(?!__)[A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)/, shape: 'signature' },
  ],
  bodyOpen: ':',
  signatureEnd: ': ...',
  comment: '#',
  textMark: /"""|'''/,
  noise: /^(?:#|[rbuf]{0,2}(?:"""|''')|[)\]}]|@|if\b|for\b|try\b|with\b|pass\b|return\b|[a-z ,.'"`]+\.$)/,
  prefix: /^@(?:dataclass|dataclasses|attr|attrs|define|frozen|contextmanager|property|overload)/,
};

export const PYTHON: LanguageSupport = {
  family: 'python',
  languageIds: ['python'],
  extensions: ['.py', '.pyi'],
  folderIsScope: false,

  *parseImports(text) {
    const starts = /^[ \t]*(?:from|import)\b/;
    for (const statement of statementsOf(withoutComments(linesOf(text), '#'), starts, endsImport)) {
      const from = FROM.exec(statement);
      if (from !== null) {
        yield* namesFrom(from.groups?.module ?? '', statement.slice(from[0].length));
      } else if (IMPORT.test(statement)) {
        for (const [specifier = '', , alias] of listed(statement.trimStart().slice('import'.length))) {
          yield { specifier, names: null, module: alias ?? specifier.slice(specifier.lastIndexOf('.') + 1) };
        }
      }
    }
  },

  importTargets({ specifier }, fromPath, root) {
    const [dots = ''] = /^\.*/.exec(specifier) ?? [];
    const inner = specifier.split('.').filter(Boolean).join('/');
    const folder = path.dirname(fromPath);
    // If a project keeps its packages in a subfolder, one of those above the file is on Python's path.
    const starts =
      dots === ''
        ? [root, path.join(root, 'src'), ...foldersUpTo(root, folder).flatMap((each) => [each, path.join(each, 'src')])]
        : [path.join(folder, '../'.repeat(dots.length - 1))];
    return [...new Set(starts)].flatMap((start) => {
      const base = path.join(start, inner);
      return inner === '' ? [path.join(base, '__init__.py')] : [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`];
    });
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};

function endsImport(last: string, first: string): boolean {
  return closesList(last, first) && !last.trimEnd().endsWith('\\');
}

/** The words of each item of a list, such as `a as b`. */
function listed(list: string): readonly (readonly string[])[] {
  const items = list.replace(/[()\\]/g, ' ').split(',');
  return items.map((item) => item.split(/\s+/).filter(Boolean)).filter((words) => words.length > 0);
}

function* namesFrom(specifier: string, list: string): Generator<ImportReference> {
  const names = listed(list).map(([declared = '', as, local]) => ({
    declared,
    local: as === 'as' ? (local ?? declared) : declared,
  }));
  yield { specifier, names: names.some(({ declared }) => declared === '*') ? null : names };
  // `from package import module` imports everything from a separate file.
  for (const { declared, local } of names) {
    if (!/^\w+$/.test(declared)) continue;
    const file = `${specifier}${specifier.endsWith('.') ? '' : '.'}${declared}`;
    // `from . import a` mostly names a file.
    const isGuess = !/^\.+$/.test(specifier);
    yield { specifier: file, names: null, module: local, ...(isGuess && { isGuess }) };
  }
}
