import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileAdmission } from '../../../../../server/src/context/admission/file-admission.js';
import { DiskFiles } from '../../../../../server/src/context/files/disk-files.js';
import { FileIndex } from '../../../../../server/src/context/files/file-index.js';
import { pathFromFileSystem } from '../../../../../server/src/context/files/file-location.js';
import { importsOf } from '../../../../../server/src/context/languages/language-support.js';
import { languageByPath } from '../../../../../server/src/context/languages/languages.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
});

afterEach(() => folder.dispose());

it('a file that the settings exclude while it is read is not kept', async () => {
  writeFileSync(folder.file('a.ts'), 'export const a = 1;\n');
  const file = pathFromFileSystem(folder.file('a.ts'));
  const index = new FileIndex();
  const admission = new FileAdmission(SILENT);
  const facts = { folderUris: [pathToFileURL(folder.path).href], trusted: true };
  admission.update({ ...facts, exclude: [] });
  const disk = new DiskFiles(index, admission, () => false);
  await disk.readFiles([file], 'typescript', async () => undefined);
  expect(index.get(file)).not.toBeNull();

  // How often a file that is read gives way to other work.
  let turns = 0;
  index.clear();
  disk.clear();
  await disk.readFiles([file], 'typescript', async () => {
    turns++;
  });
  expect(turns).toBeGreaterThan(2);
  for (let at = 1; at <= turns; at++) {
    admission.update({ ...facts, exclude: [] });
    index.clear();
    disk.clear();
    let turn = 0;
    await disk.readFiles([file], 'typescript', async () => {
      if (++turn !== at) return;
      admission.update({ ...facts, exclude: ['a.ts'] });
      index.clear();
      disk.clear();
    });
    expect(turn, `in turn ${at}`).toBeGreaterThanOrEqual(1);
    expect(index.get(file), `in turn ${at}`).toBeNull();
  }
});

describe('a file that was read before', () => {
  const language = languageByPath('a.ts');
  const turn = async (): Promise<void> => undefined;
  const file = (name: string) => pathFromFileSystem(folder.file(name));
  const write = (name: string, text: string): string => {
    mkdirSync(path.dirname(folder.file(name)), { recursive: true });
    writeFileSync(folder.file(name), text);
    return file(name);
  };

  function reader() {
    const index = new FileIndex();
    const admission = new FileAdmission(SILENT);
    admission.update({ folderUris: [pathToFileURL(folder.path).href], trusted: true, exclude: [] });
    const disk = new DiskFiles(index, admission, () => false);
    const resolve = (text: string, from: string) => {
      if (language === null) throw new Error('No support for TypeScript');
      const root = pathFromFileSystem(folder.path);
      return disk.resolveImports(importsOf(language, text), language, from, root, turn);
    };
    const readFolder = async (from: string) => language && disk.readFolder(from, language, turn);
    return { index, resolve, readFolder };
  }

  it('is read again where the index has given it up', async () => {
    const { index, resolve } = reader();
    const imported = write('a.ts', 'export const a = 1;\n');
    await resolve("import { a } from './a';\n", file('main.ts'));
    expect(index.get(imported)).not.toBeNull();
    index.remove(imported);
    await resolve("import { a } from './a';\n", file('main.ts'));
    expect(index.get(imported)).not.toBeNull();
  });

  it('is followed to what it re-exports, though it was first read beside another', async () => {
    const { index, resolve, readFolder } = reader();
    const button = write('ui/parts/button.ts', 'export const button = 1;\n');
    const barrel = write('ui/index.ts', "export * from './parts/button';\n");
    await readFolder(file('ui/open.ts'));
    expect(index.get(barrel)).not.toBeNull();
    await resolve("import { button } from './ui';\n", file('main.ts'));
    expect(index.get(barrel)?.imports.flatMap(({ targets }) => targets)).toContain(button);
    expect(index.get(button)).not.toBeNull();
  });

  it('is followed again where the index has given up what it re-exports', async () => {
    const { index, resolve } = reader();
    const button = write('ui/parts/button.ts', 'export const button = 1;\n');
    write('ui/index.ts', "export * from './parts/button';\n");
    await resolve("import { button } from './ui';\n", file('main.ts'));
    expect(index.get(button)).not.toBeNull();
    index.remove(button);
    await resolve("import { button } from './ui';\n", file('main.ts'));
    expect(index.get(button)).not.toBeNull();
  });

  it('of a package comes before its tests, which nobody imports', async () => {
    const { index } = reader();
    for (let at = 0; at < 14; at++) write(`store/a${at}_test.go`, 'package store\n');
    const code = write('store/store.go', 'package store\n');
    const go = languageByPath('a.go');
    if (go === null) throw new Error('No support for Go');
    const admission = new FileAdmission(SILENT);
    admission.update({ folderUris: [pathToFileURL(folder.path).href], trusted: true, exclude: [] });
    const disk = new DiskFiles(index, admission, () => false);
    const references = importsOf(go, 'import "example.com/shop/store"\n');
    await disk.resolveImports(references, go, file('main.go'), pathFromFileSystem(folder.path), turn);
    expect(index.files.length).toBeLessThan(15);
    expect(index.get(code)).not.toBeNull();
  });

  it('is read no second time while nothing has changed', async () => {
    const { index, resolve } = reader();
    const imported = write('a.ts', 'export const a = 1;\n');
    const barrel = write('ui/index.ts', "export * from './gone';\n");
    const text = "import { a } from './a';\nimport { b } from './ui';\n";
    await resolve(text, file('main.ts'));
    const before = [index.get(imported), index.get(barrel)];
    await resolve(text, file('main.ts'));
    expect([index.get(imported), index.get(barrel)]).toEqual(before);
    expect(index.get(barrel)).toBe(before[1]);
  });
});

it('a configuration that names impossible files does not keep others from being read', async () => {
  writeFileSync(folder.file('a.ts'), 'export const a = 1;\n');
  const paths = { 'x/*': ['./\0/*'] };
  writeFileSync(folder.file('tsconfig.json'), JSON.stringify({ compilerOptions: { paths } }));
  const language = languageByPath('a.ts');
  if (language === null) throw new Error('No support for TypeScript');
  const index = new FileIndex();
  const admission = new FileAdmission(SILENT);
  admission.update({ folderUris: [pathToFileURL(folder.path).href], trusted: true, exclude: [] });
  const disk = new DiskFiles(index, admission, () => false);
  const from = pathFromFileSystem(folder.file('main.ts'));
  const references = importsOf(language, "import { x } from 'x/y';\nimport { a } from './a';\n");
  await disk.resolveImports(references, language, from, pathFromFileSystem(folder.path), async () => undefined);
  expect(index.get(pathFromFileSystem(folder.file('a.ts')))).not.toBeNull();
});

/** Which folders are looked into. */
class ListedAdmission extends FileAdmission {
  readonly listed: string[] = [];

  override list(folder: string): Promise<readonly string[]> {
    this.listed.push(folder);
    return super.list(folder);
  }
}

it('a namespace of C# is looked for only where a folder or a project is named like it', async () => {
  const text = 'using Acme.Far.Away;\nusing Shop.Core.Models;\nusing Other.One;\n\nnamespace Web.Api;\n';
  const from = 'src/deep/down/in/Web/Api/Start.cs';
  mkdirSync(path.dirname(folder.file(from)), { recursive: true });
  mkdirSync(folder.file('src/Shop.Core/Models'), { recursive: true });
  writeFileSync(
    folder.file('src/Shop.Core/Models/Item.cs'),
    'namespace Shop.Core.Models;\n\npublic class Item\n{\n}\n',
  );
  const csharp = languageByPath('a.cs');
  if (csharp === null) throw new Error('No support for C#');
  const index = new FileIndex();
  const admission = new ListedAdmission(SILENT);
  admission.update({ folderUris: [pathToFileURL(folder.path).href], trusted: true, exclude: [] });
  const disk = new DiskFiles(index, admission, () => false);
  const root = pathFromFileSystem(folder.path);
  const references = importsOf(csharp, text);
  const resolved = await disk.resolveImports(references, csharp, `${root}/${from}`, root, async () => undefined);
  expect(index.get(`${root}/src/Shop.Core/Models/Item.cs`)).not.toBeNull();
  expect(admission.listed).toEqual([`${root}/src/Shop.Core/Models`, `${root}/src/deep/down/in/Web`]);
  // The user may open one of them later.
  expect(resolved.map(({ targets }) => targets.length > 0)).toEqual(references.map(() => true));
});

describe('the file system is asked about no file', () => {
  afterEach(() => {
    vi.doUnmock('node:fs/promises');
    vi.resetModules();
  });

  /** A reader with modules of its own, and the files that it asks about. */
  async function asking(trusted: boolean) {
    mkdirSync(folder.file('work'));
    const asked: string[] = [];
    vi.resetModules();
    vi.doMock('node:fs/promises', async (importOriginal) => {
      const real = await importOriginal<typeof import('node:fs/promises')>();
      const asks =
        <T>(work: (file: string) => Promise<T>) =>
        (file: string) => {
          asked.push(pathFromFileSystem(file));
          return work(file);
        };
      const { stat, lstat, readlink } = real;
      return { ...real, stat: asks(stat), lstat: asks(lstat), readlink: asks(readlink) };
    });
    const files = await import('../../../../../server/src/context/files/disk-files.js');
    const admission = new FileAdmission(SILENT);
    admission.update({ folderUris: [pathToFileURL(folder.file('work')).href], trusted, exclude: [] });
    const disk = new files.DiskFiles(new FileIndex(), admission, () => false);
    const language = languageByPath('a.ts');
    if (language === null) throw new Error('No support for TypeScript');
    const from = pathFromFileSystem(folder.file('work/main.ts'));
    const root = pathFromFileSystem(folder.file('work'));
    const resolve = (specifier: string) => {
      const references = importsOf(language, `import { a } from '${specifier}';\n`);
      return disk.resolveImports(references, language, from, root, async () => undefined);
    };
    return { asked, disk, root, resolve };
  }

  it.each([
    { where: 'outside the workspace', trusted: true, specifier: '../outside/a' },
    { where: 'of a workspace that is not trusted', trusted: false, specifier: './a' },
  ])('$where', async ({ trusted, specifier }) => {
    const { asked, disk, resolve } = await asking(trusted);
    await resolve(specifier);
    const named = path.resolve(folder.file('work'), `${specifier}.ts`);
    await disk.readAgain(pathFromFileSystem(named), 'typescript', async () => undefined);
    expect(asked.filter((file) => !(trusted && /[jt]sconfig\.json$/.test(file)))).toEqual([]);
  });

  it.each(['../outside/base', '../../../../../net/outside/base', 'a/../../../../../net/outside/base'])(
    'outside the workspace that a configuration extends: %s',
    async (name) => {
      const { asked, resolve, root } = await asking(true);
      writeFileSync(folder.file('work/tsconfig.json'), JSON.stringify({ extends: name }));
      await resolve('@/a');
      expect(asked).toContain(`${root}/tsconfig.json`);
      expect(asked.filter((file) => !file.startsWith(`${root}/`))).toEqual([]);
    },
  );

  it.each([true, false])(
    'that a link in node_modules leads to outside the workspace (trusted: %s)',
    async (trusted) => {
      const { asked, resolve, root } = await asking(trusted);
      mkdirSync(folder.file('outside'));
      mkdirSync(folder.file('work/node_modules/@acme'), { recursive: true });
      symlinkSync(folder.file('outside'), folder.file('work/node_modules/@acme/a'), 'junction');
      await resolve('@acme/a');
      await resolve('@acme/../../outside');
      expect(asked.includes(`${root}/node_modules/@acme/a`)).toBe(trusted);
      expect(asked.filter((file) => !file.startsWith(`${root}/`))).toEqual([]);
      expect(asked.filter(() => !trusted)).toEqual([]);
    },
  );

  it.each(['node_modules', 'node_modules/@acme'])('behind a link in place of %s', async (linked) => {
    const { asked, resolve, root } = await asking(true);
    mkdirSync(folder.file('outside/@acme/a'), { recursive: true });
    mkdirSync(folder.file('outside/a'));
    mkdirSync(path.dirname(folder.file(`work/${linked}`)), { recursive: true });
    symlinkSync(folder.file('outside'), folder.file(`work/${linked}`), 'junction');
    await resolve('@acme/a');
    expect(asked).toContain(`${root}/${linked}`);
    expect(asked.filter((file) => file.startsWith(`${root}/${linked}/`))).toEqual([]);
  });

  it('again and again: an import of another package asks about a few', async () => {
    const { asked, resolve } = await asking(true);
    const workspaces = Array.from({ length: 100 }, (_, at) => `packages${at}/*`);
    writeFileSync(folder.file('work/package.json'), JSON.stringify({ workspaces }));
    await resolve('@acme/a');
    expect(asked.some((file) => file.endsWith('packages0/a/package.json'))).toBe(true);
    expect(asked.length).toBeLessThan(20);
  });
});
