import path from 'node:path/posix';
import type { ImportedName } from '../context-source.js';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { linesOf, statementsOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';
import { folderBeside } from './namespace-folders.js';

const NAMESPACE = /^[ \t]*namespace[ \t]+([\w\\]{1,200})/;
/** Traits of a class are indented. */
const USE = /^use\s+(?:function\s+|const\s+)?(?=[\w\\])/;
const GROUP = /^([\w\\]*)\\\{([^{}]*)\}?$/;

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: /^(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+(?<name>\w+)/, shape: 'members' },
    { pattern: /^function\s+&?(?<name>\w+)/, shape: 'signature' },
    { pattern: /^const\s+(?<name>\w+)/, shape: 'signature' },
  ],
  bodyOpen: '{',
  signatureEnd: ';',
  comment: '//',
  noise: /^(?:\/\/|\/?\*|#|[)\]{}]|private\b|use\b)/,
};

/** Below one of these, Composer's packages and frameworks keep the namespace without its first parts. */
const SOURCE_FOLDERS = ['src', 'app', 'lib', ''];
/** The most parts of a namespace that a folder for sources stands for, such as `Acme\Shop`. */
const MOST_PARTS_OF_ROOT = 2;

/** Classes by the rules of PSR-4, without `composer.json`. */
export const PHP: LanguageSupport = {
  family: 'php',
  languageIds: ['php'],
  extensions: ['.php'],
  folderIsScope: true,

  *parseImports(text) {
    const own = namespaceOf(text);
    for (const statement of statementsOf(linesOf(text), USE, (last) => last.includes(';'))) {
      const list = statement.replace(USE, '').split(';', 1)[0]?.trim() ?? '';
      const [, prefix = '', grouped = list] = GROUP.exec(list) ?? [];
      for (const item of grouped.split(',')) {
        const [name, as, alias] = item.split(/\s+/).filter(Boolean);
        if (name === undefined) continue;
        const full = withoutSlash(prefix === '' ? name : `${prefix}\\${name}`);
        const declared = full.slice(full.lastIndexOf('\\') + 1);
        const names: readonly ImportedName[] = [{ declared, local: as === 'as' ? (alias ?? declared) : declared }];
        yield { specifier: `${own}:${full}`, names };
      }
    }
  },

  importTargets({ specifier }, fromPath, root) {
    const [own = '', name = ''] = specifier.split(':');
    const wanted = name.split('\\').filter(Boolean);
    if (wanted.length < 2) return [];
    const [file = ''] = wanted.slice(-1);
    const beside = folderBeside(own.split('\\').filter(Boolean), wanted.slice(0, -1), path.dirname(fromPath));
    const files = [...(beside === null ? [] : [path.join(beside, file)]), ...usual(wanted, root)];
    return [...new Set(files.map((each) => `${each}.php`))];
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};

function namespaceOf(text: string): string {
  for (const line of linesOf(text)) {
    const own = NAMESPACE.exec(line)?.[1];
    if (own !== undefined) return own;
    // What follows in a file without a namespace is code.
    if (USE.test(line)) return '';
  }
  return '';
}

function usual(wanted: readonly string[], root: string): readonly string[] {
  const roots = Math.min(MOST_PARTS_OF_ROOT, wanted.length - 1);
  const below = Array.from({ length: roots }, (_, index) => wanted.slice(index + 1));
  const inFolders = below.flatMap((rest) => SOURCE_FOLDERS.map((folder) => path.join(root, folder, ...rest)));
  const lowerCase = wanted.map((part, index) => (index === wanted.length - 1 ? part : part.toLowerCase()));
  return [...inFolders, path.join(root, ...lowerCase)];
}

function withoutSlash(name: string): string {
  return name.startsWith('\\') ? name.slice(1) : name;
}
