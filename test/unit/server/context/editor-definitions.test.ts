import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NamedDefinition } from '../../../../server/protocol/index.js';
import { ContextService } from '../../../../server/src/context/context-service.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';
import { SILENT } from '../scripted-engine.js';

const STORE = `import { create } from './create';

export const useCart = create(
  (set) => ({ items: [] }),
);

export class Basket {
  readonly size = 3;
  total(): number {
    return 7;
  }
}
`;
const MAIN = 'const cart = useCart();\nconst basket = new Basket();\nbasket.total();\n';

let folder: TemporaryFolder;
let service: ContextService;
const uriOf = (name: string) => pathToFileURL(path.join(folder.path, name)).href;
const facts = () => ({
  enabled: true,
  folderUris: [uriOf('')],
  trusted: true,
  exclude: ['**/hidden/**'],
  clipboard: false,
});

beforeEach(() => {
  folder = new TemporaryFolder();
  service = new ContextService(SILENT, { quietMs: 0, refreshMs: 10 });
  service.setFacts(facts());
});

afterEach(() => {
  service.dispose();
  folder.dispose();
});

function write(name: string, text: string): void {
  mkdirSync(path.dirname(folder.file(name)), { recursive: true });
  writeFileSync(folder.file(name), text);
}

const defined = (name: string, file: string, startLine: number, endLine = startLine): NamedDefinition => ({
  name,
  uri: uriOf(file),
  startLine,
  endLine,
  signature: null,
});

/** What prompts in main.ts show, and why, once everything was read. */
async function shown(definitions: readonly NamedDefinition[], wanted: string | null = null, text = MAIN) {
  const document = { uri: uriOf('src/main.ts'), languageId: 'typescript', text };
  service.update({ kind: 'open', document: { ...document, version: 1, getText: () => text } });
  service.setDefinitions(document.uri, definitions);
  let snippets: readonly { text: string; why: string }[] = [];
  for (let turn = 0; turn < (wanted === null ? 10 : 200); turn += 1) {
    ({ snippets } = service.contextFor(document, text.length, 400));
    if (wanted !== null && snippets.some((each) => each.text.includes(wanted))) break;
    await delay(20);
  }
  return snippets.filter(({ why }) => why === 'definition').map((snippet) => snippet.text);
}

describe('a definition that the editor found', () => {
  beforeEach(() => write('lib/deep/store.ts', STORE));

  it('is shown without an import that leads there, as its declaration', async () => {
    const [basket] = await shown([defined('Basket', 'lib/deep/store.ts', 6, 11)], 'class Basket');
    expect(basket).toContain('total(): number;');
    expect(basket).not.toContain('return 7');
  });

  it('is shown by its signature where its text names no type', async () => {
    const signature = 'const useCart: UseBoundStore<StoreApi<Cart>>';
    const found = { ...defined('useCart', 'lib/deep/store.ts', 2, 4), signature };
    expect(await shown([found], signature)).toEqual([`${signature}\n`]);
  });

  it.each([
    ['has several lines', 'const useCart: {\n}'],
    ['is too long', `const useCart: ${'x'.repeat(400)}`],
    ['holds a secret', `const useCart: "ghp_${'a1B2'.repeat(9)}"`],
    ['is of another name', 'const other: string'],
  ])('is shown by its text where the signature %s', async (_, signature) => {
    const found = { ...defined('useCart', 'lib/deep/store.ts', 2, 4), signature };
    const texts = await shown([found], 'export const useCart');
    expect(texts.join('')).not.toContain(signature);
  });

  it('is shown by its first lines in a language without declarations', async () => {
    write('lib/shop.rb', `class Shop\n${'  line\n'.repeat(40)}end\n`);
    const texts = await shown([defined('useCart', 'lib/shop.rb', 0, 41)], 'class Shop');
    expect(texts[0]?.split('\n')).toHaveLength(13);
  });
});

describe('nothing is shown', () => {
  it.each([
    ['of a file that is ignored', 'ignored/a.ts', STORE],
    ['of an excluded file', 'hidden/a.ts', STORE],
    ['of a secret file', '.env', STORE],
    ['of a file with a secret', 'lib/keys.ts', `${STORE}const key = 'ghp_${'a1B2'.repeat(9)}';\n`],
    ['of a package', 'node_modules/zustand/index.ts', STORE],
    ['of a file that is not there', 'lib/none.ts', null],
  ])('%s, not even its signature', async (_, name, text) => {
    mkdirSync(folder.file('.git'), { recursive: true });
    writeFileSync(folder.file('.gitignore'), 'ignored/\n');
    service.setFacts({ ...facts(), folderUris: [uriOf('')] });
    if (text !== null) write(name, text);
    const found = { ...defined('useCart', name, 2, 4), signature: 'const useCart: Secret' };
    expect(await shown([found])).toEqual([]);
  });

  it('of a name that the text around the cursor does not use', async () => {
    write('lib/store.ts', STORE);
    expect(await shown([defined('Basket', 'lib/store.ts', 6, 9)], null, 'const a = 1;\n')).toEqual([]);
  });

  it('of the document itself, nor of lines that do not exist', async () => {
    write('lib/store.ts', STORE);
    expect(await shown([defined('useCart', 'src/main.ts', 0), defined('useCart', 'lib/store.ts', 900, 950)])).toEqual(
      [],
    );
    expect(await shown([defined('useCart', 'lib/store.ts', 4, 2)])).toEqual([]);
  });

  it('if the client does not report trust', async () => {
    write('lib/store.ts', STORE);
    service.setFacts({ ...facts(), trusted: null } as never);
    expect(await shown([defined('Basket', 'lib/store.ts', 6, 9)])).toEqual([]);
  });
});

it('what a file shows goes when the file may no longer be shown', async () => {
  write('lib/store.ts', STORE);
  await shown([defined('Basket', 'lib/store.ts', 6, 9)], 'class Basket');
  service.setFacts({ ...facts(), exclude: ['**/store.ts'] });
  expect(await shown([defined('Basket', 'lib/store.ts', 6, 9)])).toEqual([]);
});
