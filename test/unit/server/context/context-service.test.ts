import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ContextFacts, ContextService } from '../../../../server/src/context/context-service.js';
import type { LiveDocument } from '../../../../server/src/context/open-documents.js';
import { cursorFixture } from '../../../support/code/cursor-fixture.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';
import { SILENT } from '../scripted-engine.js';

const CART = `export interface CartItem {
  name: string;
  price: number;
}

export function totalOf(items: CartItem[]): number {
  return items.reduce((sum, item) => sum + item.price, 0);
}

export function unrelated(): void {}
`;
const USES_CART = `import { totalOf, type CartItem } from './cart.js';

export function report(items: CartItem[]): string {
  const total = totalOf(║
}
`;

let folder: TemporaryFolder;
let service: ContextService;
let refreshed: string[];
let revoked: string[];
let facts: ContextFacts;

beforeEach(() => {
  folder = new TemporaryFolder();
  service = new ContextService(SILENT, { quietMs: 0, refreshMs: 10 });
  refreshed = [];
  service.onDidRefresh((uri) => refreshed.push(uri));
  revoked = [];
  service.onDidRevoke((uri) => revoked.push(uri));
  facts = { enabled: true, folderUris: [uriOf('')], trusted: true, exclude: [], clipboard: false };
  service.setFacts(facts);
});

afterEach(() => {
  service.dispose();
  folder.dispose();
});

function uriOf(name: string): string {
  return pathToFileURL(path.join(folder.path, name)).href;
}

function write(name: string, text: string): void {
  mkdirSync(path.dirname(folder.file(name)), { recursive: true });
  writeFileSync(folder.file(name), text);
}

class Live implements LiveDocument {
  version = 1;
  readonly uri: string;
  readonly languageId: string;
  text: string;

  constructor(name: string, text: string, languageId = 'typescript') {
    this.uri = name.includes(':') ? name : uriOf(name);
    this.languageId = languageId;
    this.text = text;
    service.update({ kind: 'open', document: this });
  }

  getText(): string {
    return this.text;
  }

  edit(text: string): void {
    this.text = text;
    this.version++;
    service.update({ kind: 'change', uri: this.uri });
  }

  /** What a prompt shows at the cursor mark, or at the end. */
  context(marked = `${this.text}║`, budgetTokens = 400) {
    const { text, offset } = cursorFixture(marked);
    const { uri, languageId } = this;
    return service.contextFor({ uri, languageId, text }, offset, budgetTokens);
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 5000) throw new Error('It did not happen.');
    await delay(5);
  }
}

/** Waits until the block contains a text. */
async function shows(document: Live, text: string, marked?: string): Promise<void> {
  await until(() => {
    document.context(marked);
    return textOf(document, marked).includes(text);
  });
}

/** Long enough to read and search everything requested. */
async function settled(): Promise<void> {
  await delay(150);
}

function textOf(document: Live, marked?: string): string {
  return document
    .context(marked)
    .snippets.map(({ path: name, text }) => `${name}\n${text}`)
    .join('');
}

describe('a block', () => {
  it('follows the aliases of tsconfig.json, through what it extends', async () => {
    write('tsconfig.base.json', '{ "compilerOptions": { "paths": { "#shop/*": ["./lib/*"], } } } // with a comment');
    write('app/tsconfig.json', '{ "extends": "../tsconfig.base" }');
    write('lib/cart.ts', CART);
    const main = cursorFixture(USES_CART.replace('./cart.js', '#shop/cart'));
    const report = new Live('app/report.ts', main.text);
    await shows(report, 'lib/cart.ts\nexport interface CartItem', USES_CART.replace('./cart.js', '#shop/cart'));
  });

  it('shows the declarations that the file imports, without their bodies', async () => {
    write('cart.ts', CART);
    const report = new Live('report.ts', cursorFixture(USES_CART).text);
    await shows(report, 'totalOf', USES_CART);
    const shown = textOf(report, USES_CART);
    expect(shown).toContain('cart.ts\nexport interface CartItem {\n  name: string;\n  price: number;\n}\n');
    expect(shown).toContain('export function totalOf(items: CartItem[]): number;\n');
    expect(shown).not.toContain('reduce');
    expect(report.context(USES_CART).repository).toBe(path.basename(folder.path));
  });

  it('shows a file with a byte order mark as an editor shows it', async () => {
    write('cart.ts', `\uFEFF${CART}`);
    const report = new Live('report.ts', cursorFixture(USES_CART).text);
    await shows(report, 'totalOf', USES_CART);
    expect(textOf(report, USES_CART)).toContain('cart.ts\nexport interface CartItem {');
  });

  it('stays the same object while the user types, and changes in quiet moments only', async () => {
    write('cart.ts', CART);
    const report = new Live('report.ts', cursorFixture(USES_CART).text);
    const first = report.context(USES_CART);
    for (const typed of ['i', 'it', 'items']) {
      const marked = USES_CART.replace('║', `${typed}║`);
      report.edit(cursorFixture(marked).text);
      expect(report.context(marked)).toBe(first);
    }
    await until(() => refreshed.includes(report.uri));
    const second = report.context(USES_CART);
    expect(second).not.toBe(first);
    await settled();
    expect(report.context(USES_CART)).toBe(second);
    expect(Object.isFrozen(second.snippets[0])).toBe(true);
  });

  it('keeps shown snippets in place and adds new ones behind them', async () => {
    write('cart.ts', CART);
    const report = new Live('report.ts', cursorFixture(USES_CART).text);
    await shows(report, 'totalOf', USES_CART);
    await settled();
    const before = report.context(USES_CART).snippets;
    const other = new Live('prices.ts', 'export const prices = new Map<string, number>();\n');
    await settled();
    other.edit(`${other.text}export function priceOf(name: string) {\n  return prices.get(name);\n}\n`);
    await settled();
    await shows(report, 'priceOf', USES_CART);
    const after = report.context(USES_CART).snippets;
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
  });

  it('stays within its budget', async () => {
    write('cart.ts', CART);
    const report = new Live('report.ts', cursorFixture(USES_CART).text);
    await shows(report, 'totalOf', USES_CART);
    expect(report.context(USES_CART, 0).snippets).toEqual([]);
    expect(report.context(USES_CART, 30).snippets.length).toBeLessThan(3);
  });

  it('shows the other cells of a notebook', async () => {
    const cell = (id: string, text: string) =>
      new Live(`vscode-notebook-cell:${folder.path}/study.ipynb#${id}`, text, 'python');
    cell('a', 'import pandas as pd\nframe = pd.read_csv("a.csv")\n');
    const second = cell('b', 'frame.');
    await shows(second, 'study.ipynb\nimport pandas as pd\n');
    expect(textOf(second)).not.toContain('frame.\n');
  });

  it('shows declarations named in diagnostics, without an import', async () => {
    write('src/money.ts', 'export function formatMoney(cents: number): string {\n  return String(cents);\n}\n');
    new Live('src/money.ts', 'export function formatMoney(cents: number): string {\n  return String(cents);\n}\n');
    const page = new Live('page.ts', 'const label = formatMoney(12);\n');
    await settled();
    page.context();
    await settled();
    expect(page.context().snippets.filter(({ why }) => why === 'diagnostic')).toEqual([]);
    service.setDiagnostics(page.uri, ["Cannot find name 'formatMoney'.", "Cannot find name 'elsewhere'."]);
    await until(() => page.context().snippets.some(({ why }) => why === 'diagnostic'));
    expect(textOf(page)).toContain('src/money.ts\nexport function formatMoney(cents: number): string;\n');
    service.update({ kind: 'close', uri: page.uri });
    service.setDiagnostics(page.uri, ["Cannot find name 'formatMoney'."]);
  });

  it('shows the clipboard if allowed, but no password', async () => {
    const report = new Live('report.ts', 'const a = 1;\n');
    service.setClipboard('export function copied() {}\n');
    await settled();
    expect(textOf(report)).toBe('');
    service.setFacts({ ...facts, clipboard: true });
    service.setClipboard('export function copied() {}\n');
    await shows(report, 'copied');
    service.setClipboard('password = "k2Jd8sLw02mXz71q"');
    await until(() => !textOf(report).includes('copied'));
    expect(textOf(report)).toBe('');
  });

  it('is empty while the setting is off', async () => {
    write('cart.ts', CART);
    const report = new Live('report.ts', cursorFixture(USES_CART).text);
    await shows(report, 'totalOf', USES_CART);
    service.setFacts({ ...facts, enabled: false });
    expect(report.context(USES_CART).snippets).toEqual([]);
    service.setFacts(facts);
    await shows(report, 'totalOf', USES_CART);
  });
});

describe('a prompt shows nothing', () => {
  const helper = 'export function helperOfReport(amount: number): string {\n  return String(amount);\n}\n';
  const using = "import { helperOfReport } from './helper.js';\nconst a = helperOfReport(║\n";

  const WITNESS = 'export interface Witness {\n  seen: boolean;\n}\n';

  /** Opens a file that uses `helper.ts`, and another one whose snippet shows that everything has been read. */
  async function shownOf(): Promise<string> {
    write('witness.ts', WITNESS);
    const text = `import type { Witness } from './witness.js';\n${using}`;
    const document = new Live('main.ts', cursorFixture(text).text);
    await shows(document, 'Witness', text);
    await settled();
    return textOf(document, text);
  }

  it('of an excluded file: the counterexample without exclusion', async () => {
    write('helper.ts', helper);
    expect(await shownOf()).toContain('helperOfReport');
  });

  it('of a file that .gitignore names, open or not', async () => {
    write('helper.ts', helper);
    write('.gitignore', 'helper.ts\n');
    expect(await shownOf()).not.toContain('helperOfReport');
    const open = new Live('helper.ts', helper);
    await settled();
    open.edit(`${helper}// edited\n`);
    await settled();
    expect(await shownOf()).not.toContain('helperOfReport');
  });

  it('of a file that the settings exclude, at once', async () => {
    write('helper.ts', helper);
    const open = new Live('helper.ts', helper);
    expect(await shownOf()).toContain('helperOfReport');
    service.setFacts({ ...facts, exclude: ['helper.*'] });
    const shown = new Live('main.ts', cursorFixture(using).text);
    expect(textOf(shown, using)).toBe('');
    expect(await shownOf()).not.toContain('helperOfReport');
    expect(open.version).toBe(1);
  });

  it('of a file that contains a key', async () => {
    write('helper.ts', `${helper}// -----BEGIN RSA PRIVATE KEY-----\n`);
    expect(await shownOf()).not.toContain('helperOfReport');
  });

  it('of an open file as soon as a key in it has been read', async () => {
    const open = new Live('helper.ts', helper);
    expect(await shownOf()).toContain('helperOfReport');
    open.edit(`${helper}const token = 'ghp_${'a1'.repeat(18)}';\n`);
    await settled();
    expect(await shownOf()).not.toContain('helperOfReport');
  });

  it('of a file outside the folder, through a link, or beside an untrusted workspace', async () => {
    const outside = new TemporaryFolder();
    try {
      writeFileSync(outside.file('helper.ts'), helper);
      symlinkSync(outside.file('helper.ts'), folder.file('helper.ts'));
      expect(await shownOf()).not.toContain('helperOfReport');

      service.setFacts({ ...facts, trusted: false });
      new Live('witness.ts', WITNESS);
      const open = new Live(pathToFileURL(outside.file('helper.ts')).href, helper);
      await settled();
      open.edit(`${helper}// edited\n`);
      await settled();
      expect(await shownOf()).not.toContain('helperOfReport');
    } finally {
      outside.dispose();
    }
  });

  it.each([null, false])('of the disk unless the client reports trust; only open documents: %j', async (trusted) => {
    service.setFacts({ ...facts, trusted });
    write('helper.ts', helper);
    const main = new Live('main.ts', cursorFixture(using).text);
    await settled();
    expect(textOf(main, using)).toBe('');
    new Live('helper.ts', helper);
    await shows(main, 'helperOfReport', using);
  });

  it.each([
    ['a virtual workspace', 'vscode-vfs://github'],
    ['SSH FS', 'ssh://box'],
    ['a guest of Live Share', 'vsls:'],
  ])('of the disk for %s, even with a file at the same path; only edits of open ones', async (_name, root) => {
    const virtual = `${root}${pathToFileURL(folder.path).pathname}`;
    service.setFacts({ ...facts, folderUris: [virtual] });
    write('helper.ts', helper);
    const main = new Live(`${virtual}/main.ts`, cursorFixture(using).text);
    await settled();
    expect(textOf(main, using)).toBe('');
    const other = new Live(`${virtual}/other.ts`, 'export const first = 1;\n');
    await settled();
    other.edit('export const first = 1;\nexport const second = 2;\n');
    await settled();
    await shows(main, 'second', using);
    expect(textOf(main, using)).not.toContain('helperOfReport');
  });

  it('of a file at its old path, once it or its folder was renamed', async () => {
    write('lib/cart.ts', CART);
    const before = USES_CART.replace('./cart.js', './lib/cart.js');
    const report = new Live('report.ts', cursorFixture(before).text);
    await shows(report, 'lib/cart.ts', before);
    renameSync(folder.file('lib'), folder.file('shop'));
    const after = USES_CART.replace('./cart.js', './shop/cart.js');
    report.edit(cursorFixture(after).text);
    await shows(report, 'shop/cart.ts', after);
    await settled();
    expect(textOf(report, after)).not.toContain('lib/cart.ts');
  });

  it('of a closed file as it was before somebody changed it, such as by another branch', async () => {
    write('index.ts', "export * from './cart.js';\n");
    write('cart.ts', CART);
    const text = USES_CART.replace('./cart.js', './index.js');
    const report = new Live('report.ts', cursorFixture(text).text);
    await shows(report, 'totalOf', text);
    write('cart.ts', CART.replace('items: CartItem[]', 'basket: Basket'));
    report.edit(cursorFixture(text).text);
    await shows(report, 'totalOf(basket: Basket)', text);
    expect(textOf(report, text)).not.toContain('totalOf(items: CartItem[])');
  });

  it('of an untitled document that was closed', async () => {
    const main = new Live('main.ts', 'const a = 1;\n');
    const scratch = new Live('untitled:Untitled-1', 'export const first = 1;\n');
    await settled();
    scratch.edit('export const first = 1;\nexport const second = 2;\n');
    await settled();
    await shows(main, 'second');
    service.update({ kind: 'close', uri: scratch.uri });
    expect(textOf(main)).toBe('');
    expect(revoked).toEqual([main.uri]);
  });
});

it('returns an empty block for a document that is huge, unknown or not open', () => {
  const huge = `${'x = 1\n'.repeat(400_000)}`;
  const block = service.contextFor({ uri: 'untitled:a', languageId: 'python', text: huge }, huge.length / 2, 400);
  expect(block.snippets).toEqual([]);
});
