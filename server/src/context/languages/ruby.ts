import path from 'node:path/posix';
import type { Declaration } from './declaration.js';
import { type DeclarationRule, type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { foldersUpTo } from './folders-above.js';
import { linesOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';

const REQUIRE = /^\s*require(?<isRelative>_relative)?[ (]\s*(?:'(?<single>[^'#]+)'|"(?<double>[^"#]+)")/;
const AUTOLOAD = /^\s*autoload[ (]\s*:(?<name>\w+)\s*,\s*(?:'(?<single>[^'#]+)'|"(?<double>[^"#]+)")/;

const TYPES: readonly DeclarationRule[] = [
  { pattern: /^(?:class|module)\s+(?:\w+::)*(?<name>[A-Z]\w*)/, shape: 'members' },
  { pattern: /^(?<name>[A-Z]\w*)\s*=\s*(?:Struct|Data|Class|Module)\.\w+.*\bdo\b/, shape: 'members' },
];

const STYLE: DeclarationStyle = {
  rules: [
    ...TYPES,
    { pattern: /^def\s+(?:self\.)?(?<name>\w+)/, shape: 'signature' },
    { pattern: /^(?<name>[A-Z]\w*)\s*=(?![=~>])/, shape: 'signature' },
  ],
  bodyOpen: '',
  signatureEnd: '',
  comment: '#',
  // Of what a class calls, only this adds to what others may call.
  noise:
    /^(?!(?:def|attr_\w+|include|extend|prepend|alias|alias_method|delegate|scope|enum|attribute|has_\w+|belongs_to|define_method)\b|[A-Z]\w*\s*=(?![=~>]))/,
  oneLine: /\bend\s*$/,
  closing: /^end\b/,
  hides: /^(?:private|protected)\s*(?:#.*)?$/,
};

/** In modules and classes: what else they have is shown with them. */
const NESTED_STYLE: DeclarationStyle = { ...STYLE, rules: TYPES };
/** How deep modules and classes in others are looked for. */
const MOST_LEVELS = 4;
const OPENS_SCOPE = /^(?:module|class)\s+[A-Z]/;
const NAMESPACE = /^module [^\n]*\n(?:end\n)?$/;
const SINGLETON = /^(?<margin>[ \t]*)class\s*<<\s*self\s*$/;

/** Ruby. Constants that Rails loads by their names are known in the file's own folder only. */
export const RUBY: LanguageSupport = {
  family: 'ruby',
  languageIds: ['ruby'],
  extensions: ['.rb', '.rake'],
  folderIsScope: true,

  *parseImports(text) {
    for (const line of linesOf(text)) {
      const { isRelative, name, single, double } = (REQUIRE.exec(line) ?? AUTOLOAD.exec(line))?.groups ?? {};
      const file = single ?? double;
      if (file === undefined) continue;
      const names = name === undefined ? null : [{ declared: name, local: name }];
      yield { specifier: isRelative === undefined ? file : `./${file}`, names };
    }
  },

  importTargets({ specifier }, fromPath, root) {
    const file = specifier.endsWith('.rb') ? specifier : `${specifier}.rb`;
    const folder = path.dirname(fromPath);
    if (specifier.startsWith('.')) return [path.join(folder, file)];
    if (path.isAbsolute(specifier)) return [];
    const folders = [...foldersUpTo(root, folder).map((each) => path.join(each, 'lib')), path.join(root, 'spec'), root];
    return [...new Set(folders)].map((each) => path.join(each, file));
  },

  declarations(lines) {
    let level = withoutSingletons(lines);
    const found = [...scanDeclarations(level, STYLE)];
    for (let depth = 0; depth < MOST_LEVELS; depth++) {
      level = insideScopes(level);
      found.push(...scanDeclarations(level, NESTED_STYLE));
    }
    return found.filter(hasContent).sort((left, right) => left.line - right.line);
  },
};

/** A module that only names what is in it shows nothing. */
function hasContent({ text }: Declaration): boolean {
  return !NAMESPACE.test(text);
}

/** What modules and classes contain, without its indentation, one line for one. Other lines are empty. */
function insideScopes(lines: readonly string[]): readonly string[] {
  let margin: string | null = null;
  let isOpened = false;
  return lines.map((line) => {
    if (line.trim() === '') return '';
    if (isOpened) margin = /^[ \t]*/.exec(line)?.[0] ?? '';
    isOpened = false;
    if (margin && line.startsWith(margin)) return line.slice(margin.length);
    margin = null;
    isOpened = OPENS_SCOPE.test(line);
    return '';
  });
}

/** Methods in `class << self` as Ruby also writes them: `def self.a` in the class. One line for one. */
function withoutSingletons(lines: readonly string[]): readonly string[] {
  let outer: string | null = null;
  let inner: string | null = null;
  let isHidden = false;
  return lines.map((line) => {
    if (outer === null) {
      outer = SINGLETON.exec(line)?.groups?.margin ?? null;
      inner = null;
      isHidden = false;
      return outer === null ? line : '';
    }
    if (line.trim() === '') return '';
    const margin = /^[ \t]*/.exec(line)?.[0] ?? '';
    if (margin.length <= outer.length) {
      outer = null;
      return /^\s*end\b/.test(line) ? '' : line;
    }
    inner ??= margin;
    isHidden ||= margin === inner && STYLE.hides?.test(line.trim()) === true;
    if (isHidden || !line.startsWith(inner)) return '';
    return outer + line.slice(inner.length).replace(/^def\s+(?!self\.)/, 'def self.');
  });
}
