import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import type { LanguageSupport } from './language-support.js';

const MODIFIERS = '(?:(?:public|protected|private|abstract|final|sealed|non-sealed|static|strictfp)\\s+)*';

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: new RegExp(`^${MODIFIERS}(?:class|interface|@interface)\\s+(?<name>\\w+)`), shape: 'members' },
    { pattern: new RegExp(`^${MODIFIERS}(?:enum|record)\\s+(?<name>\\w+)`), shape: 'members' },
  ],
  bodyOpen: /\s*\{\s*$/,
  signatureEnd: ';',
  noise: /^\s*(?:\/\/|\/?\*|@|[)\]}]|private\b|static\s*\{)/,
};

/** The package, and the file's imports from the project. */
export const JAVA: LanguageSupport = {
  family: 'java',
  languageIds: ['java'],
  extensions: ['.java'],
  folderIsScope: true,

  parseImports(text) {
    const own = /^\s*package\s+([\w.]+)\s*;/m.exec(text)?.[1];
    return [...text.matchAll(/^\s*import\s+(?:static\s+)?([\w.]+)(?<all>\.\*)?\s*;/gm)].map(([, name = '', all]) => {
      const last = name.slice(name.lastIndexOf('.') + 1);
      // The file's own package gives the source root; without it the target cannot be found.
      const specifier = `${own ?? ''}:${name}`;
      return { specifier, names: all === undefined ? [{ declared: last, local: last }] : null };
    });
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
