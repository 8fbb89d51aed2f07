import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { closesList, linesOf, statementsOf } from './import-statements.js';
import type { ImportReference, LanguageSupport } from './language-support.js';

const FROM = /^[ \t]*from[ \t]+(?<module>[\w.]+)[ \t]+import\b/;
const IMPORT = /^[ \t]*import[ \t]/;

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: /^class\s+(?<name>\w+)/, shape: 'members' },
    { pattern: /^(?:async\s+)?def\s+(?<name>\w+)/, shape: 'signature' },
    { pattern: /^(?<name>[A-Z]\w*)\s*(?::[^=]+)?=(?!=)/, shape: 'signature' },
  ],
  bodyOpen: ':',
  signatureEnd: ': ...',
  noise: /^(?:#|"""|'''|[)\]}]|@|if\b|for\b|try\b|with\b|pass\b|return\b|[a-z ,.'"`]+\.$)/,
  prefix: /^@(?:dataclass|dataclasses|attr|attrs|define|frozen|contextmanager|property|overload)/,
};

export const PYTHON: LanguageSupport = {
  family: 'python',
  languageIds: ['python'],
  extensions: ['.py', '.pyi'],
  folderIsScope: false,

  *parseImports(text) {
    const starts = /^[ \t]*(?:from|import)\b/;
    for (const statement of statementsOf(withoutComments(linesOf(text)), starts, closesList)) {
      const from = FROM.exec(statement);
      if (from !== null) {
        yield* namesFrom(from.groups?.module ?? '', statement.slice(from[0].length));
      } else if (IMPORT.test(statement)) {
        for (const [specifier = ''] of listed(statement.trimStart().slice('import'.length))) {
          yield { specifier, names: null };
        }
      }
    }
  },

  importTargets({ specifier }, fromPath, root) {
    const [dots = ''] = /^\.*/.exec(specifier) ?? [];
    const inner = specifier.split('.').filter(Boolean).join('/');
    const folder = path.dirname(fromPath);
    const starts =
      dots === ''
        ? [root, path.join(root, 'src'), folder, ...foldersAbove(folder, root)]
        : [path.join(folder, '../'.repeat(dots.length - 1))];
    return [...new Set(starts)].flatMap((start) => {
      const base = path.join(start, inner);
      return inner === '' ? [path.join(base, '__init__.py')] : [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`];
    });
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};

function* withoutComments(lines: Iterable<string>): Generator<string> {
  for (const line of lines) {
    const comment = line.indexOf('#');
    yield comment < 0 ? line : line.slice(0, comment);
  }
}

/** The words of each item of a list, such as `a as b`. */
function listed(list: string): readonly (readonly string[])[] {
  const items = list.replace(/[()]/g, ' ').split(',');
  return items.map((item) => item.split(/\s+/).filter(Boolean)).filter((words) => words.length > 0);
}

function* namesFrom(specifier: string, list: string): Generator<ImportReference> {
  const names = listed(list).map(([declared = '', as, local]) => ({
    declared,
    local: as === 'as' ? (local ?? declared) : declared,
  }));
  yield { specifier, names: names.some(({ declared }) => declared === '*') ? null : names };
  // `from package import module` imports everything from a separate file.
  for (const { declared } of names) {
    if (/^\w+$/.test(declared))
      yield { specifier: `${specifier}${specifier.endsWith('.') ? '' : '.'}${declared}`, names: null };
  }
}

/** If a project keeps its packages in a subfolder, one of these is on Python's path. */
function foldersAbove(folder: string, root: string): string[] {
  const folders: string[] = [];
  for (let each = path.dirname(folder); each.length > root.length; each = path.dirname(each)) folders.push(each);
  return folders;
}
