import path from 'node:path/posix';
import type { ImportedName } from '../context-source.js';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import type { ImportReference, LanguageSupport } from './language-support.js';

const VISIBLE = '(?:pub(?:\\([^)]*\\))?\\s+)?';

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: new RegExp(`^${VISIBLE}(?:struct|enum|union|type|macro_rules!)\\s+(?<name>\\w+)`), shape: 'whole' },
    { pattern: new RegExp(`^${VISIBLE}(?:unsafe\\s+)?trait\\s+(?<name>\\w+)`), shape: 'members' },
    { pattern: /^(?:unsafe\s+)?impl(?:<[^>]*>)?\s+(?:[\w:<>,' ]+\s+for\s+)?(?<name>\w+)/, shape: 'members' },
    {
      pattern: new RegExp(`^${VISIBLE}(?:const\\s+)?(?:async\\s+)?(?:unsafe\\s+)?fn\\s+(?<name>\\w+)`),
      shape: 'signature',
    },
    { pattern: new RegExp(`^${VISIBLE}(?:const|static)\\s+(?:mut\\s+)?(?<name>\\w+)`), shape: 'signature' },
  ],
  bodyOpen: /\s*\{\s*$/,
  signatureEnd: ';',
  noise: /^\s*(?:\/\/|#\[|[)\]}])/,
  prefix: /^#\[derive/,
};

export const RUST: LanguageSupport = {
  family: 'rust',
  languageIds: ['rust'],
  extensions: ['.rs'],
  folderIsScope: false,

  parseImports(text) {
    const references: ImportReference[] = [];
    for (const [, name = ''] of text.matchAll(/^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;/gm)) {
      references.push({ specifier: `self::${name}`, names: null });
    }
    for (const [, tree = ''] of text.matchAll(/^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/gm)) {
      references.push(...usedPaths(tree.replace(/\s+/g, ' '), ''));
    }
    return references;
  },

  importTargets({ specifier }, fromPath, root) {
    const [start = '', ...parts] = specifier.split('::');
    const base = moduleFolder(start, fromPath, root);
    if (base === null) return [];
    let folder = base;
    while (parts[0] === 'super') {
      folder = path.dirname(folder);
      parts.shift();
    }
    const module = path.join(folder, ...parts);
    // The root of a crate is `lib` or `main`.
    if (parts.length === 0) return [`${module}.rs`, `${module}/mod.rs`, `${module}/lib.rs`, `${module}/main.rs`];
    return [`${module}.rs`, `${module}/mod.rs`];
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};

/** `a::b::{C, d::E as F, self}` becomes one reference for each module. */
function usedPaths(tree: string, before: string): ImportReference[] {
  const brace = tree.indexOf('{');
  if (brace >= 0) {
    const head = before + tree.slice(0, brace).trim();
    return splitTopLevel(tree.slice(brace + 1, tree.lastIndexOf('}'))).flatMap((part) => usedPaths(part, head));
  }
  const [full = '', alias] = (before + tree.trim()).split(/\s+as\s+/);
  const parts = full.split('::').map((part) => part.trim());
  const last = parts.pop() ?? '';
  if (parts.length === 0) return [];
  if (last === '*' || last === 'self') return [{ specifier: parts.join('::'), names: null }];
  const names: ImportedName[] = [{ declared: last, local: alias ?? last }];
  // The last part may be a module or an item in one.
  return [
    { specifier: parts.join('::'), names },
    { specifier: full, names: null },
  ];
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

/** The folder with the children of the module that a path starts from. */
function moduleFolder(start: string, fromPath: string, root: string): string | null {
  const folder = path.dirname(fromPath);
  const name = path.basename(fromPath, '.rs');
  const own = ['mod', 'lib', 'main'].includes(name) ? folder : path.join(folder, name);
  if (start === 'self') return own;
  if (start === 'super') return path.dirname(own);
  if (start !== 'crate') return null;
  for (let each = folder; each.length >= root.length && each !== path.dirname(each); each = path.dirname(each)) {
    if (path.basename(each) === 'src') return each;
  }
  return null;
}
