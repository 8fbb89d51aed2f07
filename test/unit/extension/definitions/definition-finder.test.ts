import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DefinitionFinder } from '../../../../extension/src/definitions/definition-finder.js';

const URI = 'file:///project/main.ts';
const OTHER = 'file:///project/basket.ts';

const TEXT = `import { makeBasket } from './basket';
import { Crate } from './crate';
function sum(crate: Crate) {
  const basket = makeBasket();
  return
}
`;

type Definition = { readonly uri: string; readonly startLine: number } | null | 'late';

/** A document, and language servers that know what the test says; both count what they are asked. */
class Editor {
  readonly asked: string[] = [];
  readonly hovered: string[] = [];
  readonly known = new Map<string, Definition>();
  readonly signatures = new Map<string, string | 'late'>();
  /** Happens while a language server thinks of a name. */
  readonly meanwhile = new Map<string, () => void>();
  /** Names that language servers have no signature for, but an error. */
  readonly failing = new Set<string>();
  #lines: string[];
  #version = 1;
  #pass = new AbortController();
  readonly finder = new DefinitionFinder({
    definition: async (_, { name }) => {
      this.asked.push(name);
      this.meanwhile.get(name)?.();
      const found = this.known.get(name) ?? null;
      return found === null || found === 'late' ? found : { name, ...found, endLine: found.startLine, signature: null };
    },
    signature: async (_, { name }) => {
      this.hovered.push(name);
      if (this.failing.has(name)) throw new Error('a language server that fails');
      return this.signatures.get(name) ?? null;
    },
  });

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  readonly #lineAt = (line: number): string | null => this.#lines[line] ?? null;

  /** Names that the search around a line finds, and those that it asks for. */
  async find(line: number, uri = URI) {
    this.asked.length = 0;
    this.#pass = new AbortController();
    const document = { uri, version: () => this.#version, lineAt: this.#lineAt };
    const found = await this.finder.find(document, line, this.#pass.signal);
    return {
      found: found?.definitions.map(({ name }) => name) ?? null,
      missing: found?.missing,
      asked: [...this.asked],
    };
  }

  move(): void {
    this.#pass.abort();
  }

  /** Replaces a part of one line, as the editor reports it. */
  replace(line: number, character: number, length: number, text: string): void {
    const old = this.#lines[line];
    if (old === undefined) throw new Error(`There is no line ${line}`);
    const changed = old.slice(0, character) + text + old.slice(character + length);
    this.#lines.splice(line, 1, ...changed.split('\n'));
    this.#change({ start: { line, character }, end: { line, character: character + length } }, text);
  }

  type(line: number, text: string): void {
    for (const key of text) this.replace(line, this.#lines[line]?.length ?? 0, 0, key);
  }

  deleteLine(line: number): void {
    this.#lines.splice(line, 1);
    this.#change({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } }, '');
  }

  #change(
    range: { start: { line: number; character: number }; end: { line: number; character: number } },
    text: string,
  ) {
    this.#version += 1;
    this.move();
    this.finder.cache.change(URI, [{ range, text }], this.#lineAt);
  }
}

function openEditor(): Editor {
  const editor = new Editor(TEXT);
  editor.known.set('makeBasket', { uri: OTHER, startLine: 3 });
  editor.known.set('Crate', { uri: 'file:///project/crate.ts', startLine: 1 });
  return editor;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('definitions of the names around the cursor', () => {
  it('are asked for once, each with its signature, and found again without a question', async () => {
    const editor = openEditor();
    editor.signatures.set('makeBasket', 'function makeBasket(): Basket');
    expect(await editor.find(4)).toMatchObject({
      found: ['makeBasket', 'Crate'],
      missing: null,
      asked: ['basket', 'makeBasket', 'sum', 'crate', 'Crate'],
    });
    expect(editor.hovered).toEqual(['makeBasket', 'Crate']);
    expect(await editor.find(3)).toMatchObject({ found: ['makeBasket', 'Crate'], asked: [] });
  });

  it('are found though the language server fails at one name', async () => {
    const editor = openEditor();
    editor.meanwhile.set('basket', () => {
      throw new Error('a language server that fails');
    });
    expect(await editor.find(4)).toMatchObject({ found: ['makeBasket', 'Crate'], missing: null });
    expect((await editor.find(4)).asked).toEqual([]);
  });

  it('are found though the language server fails to show one', async () => {
    const editor = openEditor();
    editor.failing.add('makeBasket');
    expect(await editor.find(4)).toMatchObject({ found: ['makeBasket', 'Crate'], missing: null });
  });

  it('cost a question for what is typed, and no other', async () => {
    const editor = openEditor();
    await editor.find(4);
    editor.type(4, ' basket.to');
    expect((await editor.find(4)).asked).toEqual(['basket', 'to']);
    editor.type(4, 'tal');
    expect((await editor.find(4)).asked).toEqual(['total']);
    editor.replace(4, 0, 0, '\n\n');
    expect((await editor.find(6)).asked).toEqual([]);
  });

  it('are asked for again where a word of the same name was changed', async () => {
    const editor = openEditor();
    await editor.find(4);
    editor.replace(3, 20, 0, 'X');
    expect((await editor.find(4)).asked).toEqual(['makXeBasket']);
    editor.replace(3, 20, 1, '');
    expect((await editor.find(4)).asked).toEqual(['makeBasket']);
  });

  it.each<[string, (editor: Editor) => void]>([
    ['an import changes', (editor) => editor.replace(0, 30, 1, 'B')],
    ['lines go away', (editor) => editor.deleteLine(1)],
    ['much is pasted', (editor) => editor.replace(5, 0, 0, '// long\n'.repeat(300))],
  ])('are all asked for again where %s', async (_, change) => {
    const editor = openEditor();
    const { asked } = await editor.find(3);
    change(editor);
    expect(new Set((await editor.find(3)).asked)).toEqual(new Set(asked));
  });

  it('are asked for again where the file changes that holds them', async () => {
    const editor = openEditor();
    await editor.find(4);
    editor.finder.cache.change(OTHER, [], () => null);
    expect((await editor.find(4)).asked).toEqual(['makeBasket']);
    editor.finder.cache.forgetDefinedIn('file:///project/crate.ts');
    expect((await editor.find(4)).asked).toEqual(['Crate']);
  });

  it('that a language server does not know are asked for again after seconds', async () => {
    const editor = openEditor();
    const { asked } = await editor.find(4);
    vi.advanceTimersByTime(9_000);
    expect((await editor.find(4)).asked).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect((await editor.find(4)).asked).toEqual(asked.filter((name) => !editor.known.has(name)));
  });

  it('are missing while a language server starts, which is then asked once more', async () => {
    const editor = openEditor();
    const { known } = editor;
    const facts = [...known];
    known.clear();
    expect(await editor.find(4)).toMatchObject({ found: [], missing: 'all' });
    for (const [name, definition] of facts) known.set(name, definition);
    editor.finder.cache.forgetEmpty(URI);
    expect(await editor.find(4)).toMatchObject({ found: ['makeBasket', 'Crate'], missing: null });
  });

  it('keep what was found where a language server is late', async () => {
    const editor = openEditor();
    await editor.find(4);
    editor.finder.cache.forgetDefinedIn(OTHER);
    editor.finder.cache.forgetDefinedIn('file:///project/crate.ts');
    editor.known.set('makeBasket', 'late');
    expect(await editor.find(4)).toEqual({ found: ['makeBasket', 'Crate'], missing: 'some', asked: ['makeBasket'] });
    // The one that was late does not hold up the others.
    expect(await editor.find(4)).toEqual({ found: ['Crate'], missing: null, asked: ['Crate'] });
  });

  it('end where the time for a search ends', async () => {
    const editor = openEditor();
    editor.meanwhile.set('makeBasket', () => vi.advanceTimersByTime(10_000));
    expect(await editor.find(4)).toEqual({ found: ['makeBasket'], missing: 'some', asked: ['basket', 'makeBasket'] });
    editor.meanwhile.clear();
    expect((await editor.find(4)).found).toEqual(['makeBasket', 'Crate']);
  });

  it('have no signature where hovering is late', async () => {
    const editor = openEditor();
    editor.signatures.set('makeBasket', 'late');
    expect(await editor.find(4)).toMatchObject({ found: ['makeBasket'], missing: 'some' });
    expect((await editor.find(4)).found).toEqual(['makeBasket', 'Crate']);
    expect(editor.hovered).toEqual(['makeBasket', 'Crate']);
  });

  it('are not told when the cursor moves; what was learned is kept', async () => {
    const editor = openEditor();
    editor.meanwhile.set('makeBasket', () => editor.move());
    expect(await editor.find(4)).toMatchObject({ found: null, asked: ['basket', 'makeBasket'] });
    expect((await editor.find(4)).asked).toEqual(['sum', 'crate', 'Crate']);
  });

  it('are not kept from before a key', async () => {
    const editor = openEditor();
    editor.meanwhile.set('makeBasket', () => editor.type(4, ' '));
    expect((await editor.find(4)).asked).toEqual(['basket', 'makeBasket']);
    editor.meanwhile.clear();
    expect((await editor.find(4)).asked).toEqual(['makeBasket', 'sum', 'crate', 'Crate']);
  });

  it('are forgotten with their document, or when many others are known', async () => {
    const editor = openEditor();
    const { asked } = await editor.find(4);
    editor.finder.close(URI);
    expect((await editor.find(4)).asked).toEqual(asked);
    for (let count = 0; count < 32; count += 1) await editor.find(4, `file:///project/other${count}.ts`);
    expect((await editor.find(4)).asked).toEqual(asked);
  });
});
