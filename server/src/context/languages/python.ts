import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import type { ImportReference, LanguageSupport } from './language-support.js';

const FROM = /^[ \t]*from[ \t]+(?<module>\.*[\w.]*)[ \t]+import[ \t]+(?:\((?<list>[^)]*)\)|(?<line>[^\n#]+))/gm;
const IMPORT =
  /^[ \t]*import[ \t]+(?<modules>[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*)/gm;

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: /^class\s+(?<name>\w+)/, shape: 'members' },
    { pattern: /^(?:async\s+)?def\s+(?<name>\w+)/, shape: 'signature' },
    { pattern: /^(?<name>[A-Z]\w*)\s*(?::[^=]+)?=(?!=)/, shape: 'signature' },
  ],
  bodyOpen: /:\s*$/,
  signatureEnd: ': ...',
  noise: /^\s*(?:#|"""|'''|[)\]}]|@|if\b|for\b|try\b|with\b|pass\b|return\b|[a-z ,.'"`]+\.$)/,
  prefix: /^@(?:dataclass|dataclasses|attr|attrs|define|frozen|contextmanager|property|overload)/,
};

export const PYTHON: LanguageSupport = {
  family: 'python',
  languageIds: ['python'],
  extensions: ['.py', '.pyi'],
  folderIsScope: false,

  parseImports(text) {
    const references: ImportReference[] = [];
    for (const { groups } of text.matchAll(FROM)) {
      const names = (groups?.list ?? groups?.line ?? '')
        .replace(/#.*$/gm, '')
        .split(',')
        .map((part) => part.trim().split(/\s+as\s+/))
        .filter(([declared]) => declared !== undefined && declared !== '')
        .map(([declared = '', local]) => ({ declared, local: local ?? declared }));
      const specifier = groups?.module ?? '';
      references.push({ specifier, names: names.some(({ declared }) => declared === '*') ? null : names });
      // `from package import module` imports everything from a separate file.
      for (const { declared } of names) {
        if (/^\w+$/.test(declared)) {
          references.push({ specifier: `${specifier}${/[^.]$/.test(specifier) ? '.' : ''}${declared}`, names: null });
        }
      }
    }
    for (const { groups } of text.matchAll(IMPORT)) {
      for (const part of (groups?.modules ?? '').split(',')) {
        references.push({ specifier: part.trim().split(/\s/)[0] ?? '', names: null });
      }
    }
    return references;
  },

  importTargets({ specifier }, fromPath, root) {
    const [, dots = '', module = ''] = /^(\.*)(.*)$/.exec(specifier) ?? [];
    const inner = module.split('.').filter(Boolean).join('/');
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

/** If a project keeps its packages in a subfolder, one of these is on Python's path. */
function foldersAbove(folder: string, root: string): string[] {
  const folders: string[] = [];
  for (let each = path.dirname(folder); each.length > root.length; each = path.dirname(each)) folders.push(each);
  return folders;
}
