import path from 'node:path/posix';
import type { ImportedName } from '../context-source.js';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { linesOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';

const PACKAGE = /^\s*package\s+([\w.]+)\s*;/;
const IMPORT = /^\s*import\s+(?:static\s+)?(\w+(?:\.\w+)*)(\.\*)?\s*;/;

const MODIFIERS = '(?:(?:public|protected|private|abstract|final|sealed|non-sealed|static|strictfp)\\s+)*';

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: new RegExp(`^${MODIFIERS}(?:class|interface|@interface)\\s+(?<name>\\w+)`), shape: 'members' },
    { pattern: new RegExp(`^${MODIFIERS}(?:enum|record)\\s+(?<name>\\w+)`), shape: 'members' },
  ],
  bodyOpen: '{',
  signatureEnd: ';',
  comment: '//',
  noise: /^(?:\/\/|\/?\*|@|[)\]}]|private\b|static\s*\{)/,
};

/** Lombok writes methods for private fields, so others use them. */
const LOMBOK_STYLE: DeclarationStyle = {
  ...STYLE,
  noise: /^(?:\/\/|\/?\*|@|[)\]}]|private\b[^=;]*\(|static\s*\{)/,
};

const TESTS = /\/src\/\w*[tT]est\w*\/(?=[^/]*\/?$)/;

/** A class of a class, and a static member, is declared in the outer class. */
function declaring(name: string): readonly ImportedName[] {
  const [outer = '', last = ''] = name.split('.').slice(-2);
  const names = [{ declared: last, local: last }];
  return /^[A-Z]/.test(outer) ? [...names, { declared: outer, local: last }] : names;
}

/** The package, and the file's imports from the project. */
export const JAVA: LanguageSupport = {
  family: 'java',
  languageIds: ['java'],
  extensions: ['.java'],
  folderIsScope: true,

  *parseImports(text) {
    // The file's own package gives the source root; without it the target cannot be found.
    let own = '';
    for (const line of linesOf(text)) {
      own = PACKAGE.exec(line)?.[1] ?? own;
      const [, name, all] = IMPORT.exec(line) ?? [];
      if (name === undefined) continue;
      yield { specifier: `${own}:${name}`, names: all === undefined ? declaring(name) : null };
    }
    if (own !== '') yield { specifier: `${own}:${own}`, names: null };
  },

  importTargets({ specifier, names }, fromPath, root) {
    const [own = '', name = ''] = specifier.split(':');
    const folder = path.dirname(fromPath);
    const ownFolder = own.replaceAll('.', '/');
    const sources = folder.endsWith(ownFolder) ? folder.slice(0, folder.length - ownFolder.length) : root;
    // Tests stand in a source root of their own.
    const main = sources.replace(TESTS, '/src/main/');
    const isOwn = name === own;
    const roots = isOwn ? [main].filter((each) => each !== sources) : [...new Set([sources, main])];
    return roots.flatMap((each) => {
      const target = path.join(each, name.replaceAll('.', '/'));
      if (isOwn) return [`${target}/`];
      // A static import names a member after its class.
      return names === null ? [`${target}/`, `${target}.java`] : [`${target}.java`, `${path.dirname(target)}.java`];
    });
  },

  declarations: (lines) =>
    scanDeclarations(lines, lines.some((line) => line.startsWith('import lombok.')) ? LOMBOK_STYLE : STYLE),
};
