import path from 'node:path/posix';
import type { ImportedName } from '../context-source.js';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { foldersUpTo } from './folders-above.js';
import { linesOf, statementsOf, withoutComments } from './import-statements.js';
import type { ImportReference, LanguageSupport } from './language-support.js';

/** Crates of the compiler. */
const STANDARD = new Set(['std', 'core', 'alloc']);

const STARTS = /^[ \t]*(?:pub|mod|use)\b/;
const STATEMENT = /^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(mod|use)\s+([^;]+);/;
/** Nobody nests the braces of an import deeper. */
const MAXIMUM_DEPTH = 8;

const VISIBLE = '(?:pub(?:\\([^)]*\\))?\\s+)?';

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: new RegExp(`^${VISIBLE}(?:struct|enum|union|type|macro_rules!)\\s+(?<name>\\w+)`), shape: 'whole' },
    { pattern: new RegExp(`^${VISIBLE}(?:unsafe\\s+)?trait\\s+(?<name>\\w+)`), shape: 'members' },
    // `impl Trait for Name`: a name that no other ` for ` follows.
    { pattern: /^(?:unsafe\s+)?impl\b.*\sfor\s+(?<name>\w+)/, shape: 'members' },
    { pattern: /^(?:unsafe\s+)?impl\s+(?<name>\w+)/, shape: 'members' },
    // Behind the parameters: an angle bracket, not of an arrow, that a name follows.
    { pattern: /^(?:unsafe\s+)?impl<.*?(?<!-)>\s+(?<name>\w+)/, shape: 'members' },
    {
      pattern: new RegExp(`^${VISIBLE}(?:const\\s+)?(?:async\\s+)?(?:unsafe\\s+)?fn\\s+(?<name>\\w+)`),
      shape: 'signature',
    },
    { pattern: new RegExp(`^${VISIBLE}(?:const|static)\\s+(?:mut\\s+)?(?<name>\\w+)`), shape: 'signature' },
  ],
  bodyOpen: '{',
  signatureEnd: ';',
  comment: '//',
  noise: /^(?:\/\/|#\[|[)\]}])/,
  prefix: /^#\[derive/,
};

export const RUST: LanguageSupport = {
  family: 'rust',
  languageIds: ['rust'],
  extensions: ['.rs'],
  folderIsScope: false,

  *parseImports(text) {
    for (const statement of statementsOf(withoutComments(linesOf(text), '//'), STARTS, (last) => last.includes(';'))) {
      const [, keyword, tree = ''] = STATEMENT.exec(statement) ?? [];
      if (keyword === 'use') yield* usedPaths(tree.replace(/\s+/g, ' '), '', 0);
      else if (keyword === 'mod' && /^\w+\s*$/.test(tree)) yield { specifier: `self::${tree.trim()}`, names: null };
    }
  },

  importTargets({ specifier }, fromPath, root) {
    const [start = '', ...parts] = specifier.split('::');
    return moduleFolders(start, fromPath, root).flatMap((base) => {
      const supers = parts.findIndex((part) => part !== 'super');
      const up = supers < 0 ? parts.length : supers;
      const module = path.join(base, '../'.repeat(up), ...parts.slice(up)).replace(/\/$/, '');
      // The root of a crate is `lib` or `main`.
      if (parts.length === up) return [`${module}.rs`, `${module}/mod.rs`, `${module}/lib.rs`, `${module}/main.rs`];
      return [`${module}.rs`, `${module}/mod.rs`];
    });
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};

/** `a::b::{C, d::E as F, self}` becomes one reference for each module. */
function* usedPaths(tree: string, before: string, depth: number): Generator<ImportReference> {
  const brace = tree.indexOf('{');
  if (brace >= 0) {
    if (depth === MAXIMUM_DEPTH) return;
    const head = before + tree.slice(0, brace).trim();
    for (const part of splitTopLevel(tree.slice(brace + 1, tree.lastIndexOf('}')))) {
      yield* usedPaths(part, head, depth + 1);
    }
    return;
  }
  const [full = '', alias] = (before + tree.trim()).split(' as ');
  const parts = full.split('::').map((part) => part.trim());
  const last = parts.pop() ?? '';
  if (parts.length === 0) return;
  const module = parts.join('::');
  if (last === '*' || last === 'self') {
    yield { specifier: module, names: null };
    return;
  }
  const names: ImportedName[] = [{ declared: last, local: alias ?? last }];
  // The last part may be a module or an item in one.
  yield { specifier: module, names };
  yield { specifier: full, names: null, module: alias ?? last, isGuess: true };
}

function splitTopLevel(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < list.length; index++) {
    if (list[index] === '{') depth++;
    else if (list[index] === '}') depth--;
    else if (list[index] === ',' && depth === 0) {
      parts.push(list.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, list.slice(start)].filter((part) => part.trim() !== '');
}

/** The folders, most likely first, with the children of the module that a path starts from. */
function moduleFolders(start: string, fromPath: string, root: string): readonly string[] {
  const folder = path.dirname(fromPath);
  const name = path.basename(fromPath, '.rs');
  const own = ['mod', 'lib', 'main'].includes(name) ? folder : path.join(folder, name);
  if (start === 'self') return [own];
  if (start === 'super') return [path.dirname(own)];
  if (start !== 'crate') return STANDARD.has(start) ? [] : foldersOfCrate(start, folder, root);
  const source = foldersUpTo(root, folder).find((each) => path.basename(each) === 'src');
  return source === undefined ? [] : [source];
}

/**
 * The folders that may hold a crate of the workspace. Its name is in Cargo.toml, which is not read; most crates are in
 * a folder of the same name.
 */
function foldersOfCrate(crate: string, folder: string, root: string): readonly string[] {
  if (!/^\w+$/.test(crate)) return [];
  const names = [...new Set([crate, crate.replaceAll('_', '-')])];
  const above = foldersUpTo(root, folder).filter((each) => names.includes(path.basename(each)));
  const others = names.flatMap((name) => [path.join(root, name), path.join(root, 'crates', name)]);
  return [...new Set([...above, ...others])].map((each) => path.join(each, 'src'));
}
