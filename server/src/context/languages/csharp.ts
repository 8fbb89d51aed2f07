import path from 'node:path/posix';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { foldersUpTo } from './folders-above.js';
import { linesOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';
import { folderBeside } from './namespace-folders.js';
import { outsideNamespaces } from './namespaces.js';

/** In UTF-16 units. Each part of a longer name would be looked for in many folders. */
const LONGEST_NAME = 200;
const NAMESPACE = new RegExp(`^\\s*namespace\\s+([\\w.]{1,${LONGEST_NAME}})`);
const USING = /^(?:global\s+)?using\s+(?:(?<isStatic>static)\s+|(?<alias>\w+)\s*=\s*)?(?<name>\w+(?:\.\w+)*)\s*;/;
/** Namespaces of the platform, which lies in no workspace. */
const PLATFORM = /^(?:System|Microsoft)(?:\.|$)/;

const MODIFIERS =
  '(?:(?:public|internal|protected|private|abstract|sealed|static|partial|readonly|ref|unsafe|file|new)\\s+)*';

const STYLE: DeclarationStyle = {
  rules: [
    {
      pattern: new RegExp(
        `^${MODIFIERS}(?:class|interface|enum|(?:record\\s+)?struct|record(?:\\s+class)?)\\s+(?<name>\\w+)`,
      ),
      shape: 'members',
    },
    { pattern: new RegExp(`^${MODIFIERS}delegate\\s[^(]*?\\b(?<name>\\w+)(?:<[^(>]*>)?\\(`), shape: 'signature' },
  ],
  bodyOpen: '{',
  signatureEnd: ';',
  comment: '//',
  noise: /^(?:\/\/|\/?\*|#|\[|[)\]{}]|private\b(?!\s+protected\b))/,
};

/** The most parts of a namespace that a project's folder is named by, such as `Shop.Core`. */
const MOST_PARTS_OF_PROJECT = 4;

/** Namespaces are folders, as Visual Studio makes them. Project files are not read. */
export const CSHARP: LanguageSupport = {
  family: 'csharp',
  languageIds: ['csharp'],
  extensions: ['.cs'],
  folderIsScope: true,

  *parseImports(text) {
    const own = namespaceOf(text);
    for (const line of linesOf(text)) {
      const { isStatic, alias, name } = USING.exec(line)?.groups ?? {};
      if (name === undefined || name.length > LONGEST_NAME || PLATFORM.test(name)) continue;
      const declared = name.slice(name.lastIndexOf('.') + 1);
      const isType = isStatic !== undefined || alias !== undefined;
      yield { specifier: `${own}:${name}`, names: isType ? [{ declared, local: alias ?? declared }] : null };
    }
    // A namespace sees those that it is in.
    for (let end = own.lastIndexOf('.'); end > 0; end = own.lastIndexOf('.', end - 1)) {
      yield { specifier: `${own}:${own.slice(0, end)}`, names: null };
    }
  },

  importTargets({ specifier, names }, fromPath, root) {
    const [own = '', name = ''] = specifier.split(':');
    const wanted = name.split('.').filter(Boolean);
    const folder = path.dirname(fromPath);
    const projects = foldersUpTo(root, folder).flatMap((each) => inProjects(each, wanted));
    const found = [folderBeside(own.split('.').filter(Boolean), wanted, folder), ...projects];
    const ending = names === null ? '/' : '.cs';
    return [...new Set(found.filter((each) => each !== null).map((each) => `${each}${ending}`))];
  },

  declarations: (lines) => scanDeclarations(outsideNamespaces(lines), STYLE),
};

function namespaceOf(text: string): string {
  for (const line of linesOf(text)) {
    const own = NAMESPACE.exec(line)?.[1];
    if (own !== undefined) return own;
  }
  return '';
}

/** Where a namespace may lie below a folder: in a project that is named like its first parts. */
function inProjects(folder: string, wanted: readonly string[]): readonly string[] {
  const most = Math.min(MOST_PARTS_OF_PROJECT, wanted.length);
  return Array.from({ length: most }, (_, index) =>
    path.join(folder, wanted.slice(0, most - index).join('.'), ...wanted.slice(most - index)),
  );
}
