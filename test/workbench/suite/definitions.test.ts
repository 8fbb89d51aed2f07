import assert from 'node:assert/strict';
import {
  type Disposable,
  Hover,
  Location,
  languages,
  MarkdownString,
  Position,
  Range,
  Selection,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode';
import { reportDefinitions } from '../../../extension/src/definitions/definitions.js';
import type { DefinitionsParams } from '../../../server/protocol/index.js';
import { closeDocument, until } from './inkling.js';

const MAIN = `open the shop
  basket = makeBasket
  sum = basket.total
close
`;
const BASKET = `a file of declarations
makeBasket makes an empty one
total of all items
`;

/** A language server for the test's folder: it knows the names at the start of the lines of basket.txt. */
class Definitions {
  readonly asked: string[] = [];
  /** Answers wait for this. */
  ready: Promise<void> = Promise.resolve();
  readonly #registrations: Disposable[];

  constructor(basket: Uri) {
    const selector = { scheme: 'file', pattern: '**/definitions-test/main.txt' };
    const lines = BASKET.split('\n');
    this.#registrations = [
      languages.registerDefinitionProvider(selector, {
        provideDefinition: async (document, position) => {
          const name = document.getText(document.getWordRangeAtPosition(position));
          this.asked.push(name);
          await this.ready;
          const line = lines.findIndex((each) => each.startsWith(`${name} `));
          return line < 1 ? null : new Location(basket, new Range(line, 0, line, name.length));
        },
      }),
      languages.registerHoverProvider(selector, {
        provideHover: (document, position) => {
          const name = document.getText(document.getWordRangeAtPosition(position));
          return new Hover(new MarkdownString().appendCodeblock(`${name}(): Basket`, 'text'));
        },
      }),
    ];
  }

  dispose(): void {
    for (const each of this.#registrations) each.dispose();
  }
}

describe('definitions from the language server', () => {
  let main: Uri;
  let basket: Uri;
  let definitions: Definitions;
  let reporting: Disposable | null = null;
  let told: DefinitionsParams[] = [];

  before(async () => {
    const root = workspace.workspaceFolders?.[0]?.uri;
    assert.ok(root, 'no workspace is open');
    assert.ok(workspace.isTrusted, 'the workspace is not trusted');
    const folder = Uri.joinPath(root, 'definitions-test');
    [main, basket] = [Uri.joinPath(folder, 'main.txt'), Uri.joinPath(folder, 'basket.txt')];
    await workspace.fs.writeFile(main, Buffer.from(MAIN));
    await workspace.fs.writeFile(basket, Buffer.from(BASKET));
    // The installed extension asks no language server meanwhile.
    await workspace.getConfiguration('inkling').update('context.enabled', false, true);
  });

  after(async () => {
    await workspace.getConfiguration('inkling').update('context.enabled', undefined, true);
    await workspace.fs.delete(Uri.joinPath(main, '..'), { recursive: true });
  });

  beforeEach(() => {
    told = [];
    definitions = new Definitions(basket);
  });

  afterEach(async () => {
    reporting?.dispose();
    reporting = null;
    definitions.dispose();
    await closeDocument();
  });

  async function report(isAllowed: boolean): Promise<TextEditor> {
    const editor = await window.showTextDocument(main);
    editor.selection = new Selection(2, 0, 2, 0);
    const notify = (_method: string, parameters: unknown) => told.push(parameters as DefinitionsParams);
    reporting = reportDefinitions(notify, () => isAllowed);
    return editor;
  }

  const namesTold = () => told.map((params) => params.definitions.map(({ name }) => name).join());

  it('are not asked for where the settings say no', async () => {
    await report(false);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.deepEqual([told, definitions.asked], [[], []]);
  });

  it('are asked for in idle time, each name once, and told with their places and signatures', async () => {
    await report(true);
    await until('the definitions are told', () => told.length > 0);
    assert.deepEqual(definitions.asked, ['sum', 'basket', 'total', 'makeBasket', 'close', 'open', 'the', 'shop']);
    const place = { uri: basket.toString(), startLine: 2, endLine: 2 };
    assert.deepEqual(told[0], {
      uri: main.toString(),
      definitions: [
        { ...place, name: 'total', signature: 'total(): Basket' },
        { ...place, name: 'makeBasket', startLine: 1, endLine: 1, signature: 'makeBasket(): Basket' },
      ],
    });
  });

  it('are known while the cursor moves and other words are typed', async () => {
    const editor = await report(true);
    await until('the definitions are told', () => told.length > 0);
    definitions.asked.length = 0;
    editor.selection = new Selection(1, 2, 1, 2);
    await until('they are told for the new place', () => told.length > 1);
    assert.deepEqual(definitions.asked, []);
    await editor.edit((edit) => edit.insert(new Position(3, 5), ' now'));
    await until('they are told after a key', () => told.length > 2);
    assert.deepEqual(definitions.asked, ['close', 'now']);
    assert.deepEqual(namesTold(), ['total,makeBasket', 'makeBasket,total', 'makeBasket,total']);
  });

  it('are asked for again where their file changes', async () => {
    const editor = await report(true);
    await until('the definitions are told', () => told.length > 0);
    definitions.asked.length = 0;
    await workspace.fs.writeFile(basket, Buffer.from(`${BASKET}more\n`));
    await until('their file is looked at again', async () => {
      const line = editor.selection.active.line === 2 ? 1 : 2;
      editor.selection = new Selection(line, 0, line, 0);
      const before = told.length;
      await until('they are told for the new place', () => told.length > before);
      return definitions.asked.includes('total');
    });
    assert.deepEqual([...definitions.asked].sort(), ['makeBasket', 'total']);
  });

  it('are not told by a search that typing ends', async () => {
    let answer = (): void => undefined;
    definitions.ready = new Promise((resolve) => {
      answer = resolve;
    });
    const editor = await report(true);
    await until('the first name is asked for', () => definitions.asked.length > 0);
    await editor.edit((edit) => edit.insert(new Position(2, 20), ' typed'));
    answer();
    await until('the definitions are told', () => told.length > 0);
    assert.deepEqual(namesTold(), ['total,makeBasket']);
    // The first answer was one for the text before the key; the search that it belonged to asked no further.
    assert.deepEqual(definitions.asked.slice(0, 4), ['sum', 'sum', 'basket', 'total']);
    assert.ok(definitions.asked.includes('typed'));
  });
});
