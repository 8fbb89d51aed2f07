import type { Found } from './extension-works.js';

/** Readers of configuration files, which say where imports lead. */
export async function projectWorks(): Promise<Readonly<Record<string, (text: string) => unknown>>> {
  const { aliasTargets, parseTsConfig } = await import('../../../server/src/context/projects/tsconfig.js');
  const { withoutComments } = await import('../../../server/src/context/projects/json-with-comments.js');
  const { parseGoFile } = await import('../../../server/src/context/projects/go-file.js');
  const npm = await import('../../../server/src/context/projects/package-json.js');

  return {
    'JSON with comments': (text) => withoutComments(text),
    'import aliases': (text) => {
      const config = parseTsConfig(
        JSON.stringify({ compilerOptions: { paths: { [text]: [text] } } }),
        '/work/tsconfig.json',
      );
      return [parseTsConfig(text, '/work/tsconfig.json'), config && aliasTargets(config, text)];
    },
    'packages of a workspace': (text) => {
      const mapped = { './*': text, [`./${text}`]: text, [`#${text}`]: [text] };
      const facts = npm.parsePackageJson(JSON.stringify({ main: text, exports: mapped, imports: mapped }));
      const files = facts && [npm.filesOfPackage(facts, `/${text}`), npm.filesOfOwnName(facts, `#${text}`)];
      return [npm.parsePackageJson(text), npm.parsePnpmWorkspace(text), files];
    },
    'modules of Go': (text) => [parseGoFile(text), parseGoFile(`replace (\n${text}`)],
  };
}

export const PROJECTS = ['JSON with comments', 'import aliases', 'packages of a workspace', 'modules of Go'];

export const FOUND_IN_PROJECTS: readonly Found[] = [
  ['JSON with comments', '', '/*'],
  ['JSON with comments', '', ', '],
  ['JSON with comments', '', '"'],
  ['packages of a workspace', 'packages:', '\n- "a'],
  ['packages of a workspace', '', '*'],
  ['packages of a workspace', '', './'],
  ['modules of Go', '', 'use ./a\n'],
  ['modules of Go', 'replace a', ' =>'],
  ['modules of Go', 'use ./', '"'],
];
