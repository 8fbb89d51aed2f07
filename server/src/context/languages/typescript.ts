import path from 'node:path/posix';
import type { ImportedName } from '../context-source.js';
import type { Declaration } from './declaration.js';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { linesOf, statementsOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'];

/** The most targets of an alias that are looked at. Each may name some twenty files. */
const MOST_BASES = 3;

/** A statement's first line, after it was cut at semicolons. */
const STARTS = /^[ \t]*(?:import|export|const|let|var)\b/;
/** Everything before the specifier's quote. It also matches in a string that contains an import. */
const IMPORT = /^(?:import|export)\b(?:\s+type\b)?(?<clause>[\w$*\s{},]*)from$/;
const REQUIRE =
  /^(?:export\s+)?(?:const|let|var|import)\s+(?<clause>[\w$]+|\{[^}]*\})\s*=\s*(?:await\s+)?(?:require|import)\s*\($/;

/** Under this name others import what a file exports by default. */
const DEFAULT = 'default';
const EXPORTS_DEFAULT = /^(?:export\s+default\b|module\.exports\s*=)/;
const LONGEST_EXPORT = 240;

const QUOTE = /['"]/;
/** Takes linear work: a match cannot begin at each of many opening braces. */
const BRACES = /\{([^{}]*)\}/;

const VARIABLE = named('const|let|var');

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: rule('(?:abstract\\s+)?class'), shape: 'members' },
    { pattern: rule('interface|(?:const\\s+)?enum|type|namespace'), shape: 'whole' },
    { pattern: rule('(?:async\\s+)?function(?:\\s*\\*)?'), shape: 'signature' },
    // An object, whose members its users need.
    { pattern: new RegExp(`^${VARIABLE}\\s*(?::[^=]*)?=\\s*\\{$`), shape: 'members' },
    // What a file requires is declared elsewhere.
    { pattern: new RegExp(`^(?!.*=\\s*require\\()${VARIABLE}`), shape: 'signature' },
  ],
  bodyOpen: '{',
  signatureEnd: ';',
  comment: '//',
  noise: /^(?:\/\/|\/?\*|@|[)\]}]|#|private\b|static\s*\{)/,
};

function rule(keywords: string): RegExp {
  return new RegExp(`^${named(keywords)}`);
}

function named(keywords: string): string {
  return `(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:${keywords})\\s+(?<name>[\\w$]+)`;
}

export const TYPESCRIPT: LanguageSupport = {
  family: 'typescript',
  languageIds: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'vue', 'svelte'],
  extensions: EXTENSIONS,
  folderIsScope: false,
  packages: 'npm',

  *parseImports(text) {
    for (const statement of statementsOf(statementLines(text), STARTS, (last) => QUOTE.test(last))) {
      const quote = statement.search(QUOTE);
      const specifier = /^(['"])([^'"\n]+)\1/.exec(statement.slice(quote))?.[2];
      const head = statement.slice(0, quote).trim();
      const clause = importClause(head);
      if (specifier === undefined || clause === null) continue;
      const module = moduleName(head);
      yield { specifier, names: importedNames(clause), ...(module && { module }) };
    }
  },

  importTargets({ specifier }, fromPath, root, resolveAlias) {
    return basesOf(specifier, fromPath, root, resolveAlias).flatMap(filesOf);
  },

  declarations(lines) {
    const declarations = scanDeclarations(lines, STYLE);
    const exported = defaultOf(lines, declarations);
    return exported === null ? declarations : [...declarations, { ...exported, name: DEFAULT }];
  },
};

/** What a file exports by default; null where that has no name. */
function defaultOf(lines: readonly string[], declarations: readonly Declaration[]): Declaration | null {
  const line = lines.findIndex((each) => EXPORTS_DEFAULT.test(each));
  const name = /(?<name>[\w$]+);?$/.exec(lines[line]?.slice(0, LONGEST_EXPORT) ?? '')?.groups?.name;
  return declarations.find((each) => each.line === line) ?? declarations.find((each) => each.name === name) ?? null;
}

/** The lines of a text, cut at semicolons, without comments at their ends. */
function* statementLines(text: string): Generator<string> {
  for (const line of linesOf(text)) {
    const comment = line.indexOf('//');
    const isComment = comment >= 0 && !QUOTE.test(line.slice(0, comment));
    yield* (isComment ? line.slice(0, comment) : line).split(';');
  }
}

/** Relative to the file, or by an alias for a project's own sources: a configured or a common one. */
function basesOf(
  specifier: string,
  fromPath: string,
  root: string,
  resolveAlias: (specifier: string) => readonly string[] = () => [],
): readonly string[] {
  if (/^\.\.?(?:\/|$)/.test(specifier)) return [path.join(path.dirname(fromPath), specifier)];
  const configured = resolveAlias(specifier).slice(0, MOST_BASES);
  if (configured.length > 0) return configured;
  const alias = /^[@~]\/(.+)/.exec(specifier)?.[1];
  return alias === undefined ? [] : [path.join(root, 'src', alias)];
}

/** What a specifier without an extension, or with that of the compiler's output, may name. */
function filesOf(base: string): readonly string[] {
  // TypeScript names the file that the compiler writes.
  const bare = base.replace(/\.(?:js|jsx|mjs|cjs)$/, '');
  const written = EXTENSIONS.some((extension) => base.endsWith(extension)) ? [base] : [];
  return [
    ...(bare === base ? written : []),
    ...EXTENSIONS.map((extension) => `${bare}${extension}`),
    ...(bare === base ? [] : written),
    ...['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs'].map((extension) => `${bare}/index${extension}`),
  ];
}

/** The part that names what is imported; null for another statement. */
function importClause(head: string): string | null {
  const required = REQUIRE.exec(head)?.groups?.clause;
  if (required !== undefined) return required;
  return IMPORT.exec(head)?.groups?.clause ?? null;
}

/** `cart` in `import * as cart` and `cart = require`: its members are what the file exports. */
function moduleName(head: string): string | undefined {
  return REQUIRE.exec(head)?.groups?.clause?.match(/^[\w$]+/)?.[0] ?? /\*\s*as\s+([\w$]+)/.exec(head)?.[1];
}

/** `Default, { a, type B as C }`; null if everything is imported. */
function importedNames(clause: string): readonly ImportedName[] | null {
  if (clause.includes('*')) return null;
  const names: ImportedName[] = [];
  const braces = BRACES.exec(clause)?.[1] ?? '';
  for (const part of braces.split(',')) {
    // `a as b` in imports, `a: b` for what `require` returns.
    const words = part.replace(':', ' as ').split(/\s+/).filter(Boolean);
    const [declared, as, local] = words[0] === 'type' && words.length > 1 ? words.slice(1) : words;
    if (declared !== undefined) names.push({ declared, local: as === 'as' ? (local ?? declared) : declared });
  }
  const own = /^\s*([\w$]+)/.exec(clause.replace(BRACES, ''))?.[1];
  // Most have the name that the import uses, also where they are exported in another way.
  if (own !== undefined) names.push({ declared: own, local: own }, { declared: DEFAULT, local: own });
  return names;
}
