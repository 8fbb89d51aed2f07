import path from 'node:path/posix';
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
  noise: /^(?:\/\/|\/?\*|@|[)\]}]|private\b|static\s*\{)/,
};

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
      const last = name.slice(name.lastIndexOf('.') + 1);
      yield { specifier: `${own}:${name}`, names: all === undefined ? [{ declared: last, local: last }] : null };
    }
  },

  importTargets({ specifier, names }, fromPath, root) {
    const [own = '', name = ''] = specifier.split(':');
    const folder = path.dirname(fromPath);
    const ownFolder = own.replaceAll('.', '/');
    const sources = folder.endsWith(ownFolder) ? folder.slice(0, folder.length - ownFolder.length) : root;
    const target = path.join(sources, name.replaceAll('.', '/'));
    // A static import names a member after its class.
    return names === null ? [`${target}/`, `${target}.java`] : [`${target}.java`, `${path.dirname(target)}.java`];
  },

  declarations: (lines) => scanDeclarations(lines, STYLE),
};
