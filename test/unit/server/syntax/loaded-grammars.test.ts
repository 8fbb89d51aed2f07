import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GrammarLoader } from '../../../../server/src/syntax/grammar-loader.js';
import { SyntaxTrees } from '../../../../server/src/syntax/syntax-trees.js';
import { newGrammarLoader } from '../../../support/code/grammars.js';
import { parsedSyntax } from '../../../support/code/parsed-syntax.js';
import { SILENT } from '../scripted-engine.js';

describe('documents whose grammar is not loaded yet', () => {
  const document = (name: string, text: string) => ({ uri: `file:///${name}.ts`, languageId: 'typescript', text });
  let loader: GrammarLoader;
  let fresh: SyntaxTrees;
  const isLoaded = () => expect.poll(() => loader.loaded, { timeout: 10_000 }).toEqual(['typescript']);

  beforeEach(() => {
    loader = newGrammarLoader();
    fresh = new SyntaxTrees(loader, SILENT);
  });

  afterEach(() => fresh.dispose());

  it('are all prepared once it is', async () => {
    fresh.prepare(document('a', 'f();\n'));
    fresh.prepare(document('b', 'g();\n'));
    await isLoaded();
    expect(fresh.openDocuments).toBe(2);
  });

  it('get no tree if they are closed meanwhile', async () => {
    fresh.prepare(document('a', 'f();\n'));
    fresh.prepare(document('b', 'g();\n'));
    fresh.close('file:///a.ts');
    await isLoaded();
    expect(fresh.openDocuments).toBe(1);
    fresh.close('file:///b.ts');
    expect(fresh.openDocuments).toBe(0);
  });

  it('get the tree of their new text if they are opened again', async () => {
    fresh.prepare(document('a', 'f();\n'));
    fresh.close('file:///a.ts');
    const again = document('a', 'g(1, 2);\n');
    fresh.prepare(again);
    await isLoaded();
    expect(fresh.openDocuments).toBe(1);
    expect((await parsedSyntax(fresh, again)).blockAt(2)).toMatchObject({ start: 1, end: 7 });
  });

  it('are no more of them held than have trees', async () => {
    for (let index = 0; index < 30; index++) fresh.prepare(document(`${index}`, 'f();\n'));
    await isLoaded();
    expect(fresh.openDocuments).toBe(12);
    fresh.close('file:///29.ts');
    expect(fresh.openDocuments).toBe(11);
  });
});

describe('grammars that no open document needs', () => {
  const FIVE_MINUTES_MS = 300_000;
  const typescript = { uri: 'file:///a.ts', languageId: 'typescript', text: 'f("a");\n' };
  const css = { uri: 'file:///b.css', languageId: 'css', text: 'a { color: red; }\n' };
  let loader: GrammarLoader;
  let both: SyntaxTrees;

  /** Like `parsedSyntax`, without timers. */
  async function parsed(document: typeof css): Promise<void> {
    const deadline = Date.now() + 10_000;
    while (both.at(document).errorsWith({ start: 0, end: 0, text: '' }) === null) {
      if (Date.now() > deadline) throw new Error(`No tree for ${document.uri}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    loader = newGrammarLoader();
    both = new SyntaxTrees(loader, SILENT);
    await parsed(typescript);
    await parsed(css);
  });

  afterEach(() => {
    both.dispose();
    vi.useRealTimers();
  });

  it('are given back five minutes later, and the others are ready without a request', async () => {
    both.close(css.uri);
    vi.advanceTimersByTime(FIVE_MINUTES_MS - 1);
    expect(loader.loaded).toEqual(['typescript', 'css']);
    vi.advanceTimersByTime(1);
    await expect.poll(() => loader.loaded, { timeout: 10_000 }).toEqual(['typescript']);
    expect(both.openDocuments).toBe(1);
    await parsed(typescript);
    await parsed(css);
  });

  it('stay while somebody types', () => {
    both.close(css.uri);
    vi.advanceTimersByTime(FIVE_MINUTES_MS - 1_000);
    both.at(typescript);
    vi.advanceTimersByTime(29_000);
    expect(loader.loaded).toHaveLength(2);
    vi.advanceTimersByTime(31_000);
    expect(loader.loaded).not.toContain('css');
  });

  it('go, and a document whose own grammar is still loading gets it', async () => {
    both.close(css.uri);
    vi.advanceTimersByTime(FIVE_MINUTES_MS - 1);
    both.prepare({ uri: 'file:///c.json', languageId: 'json', text: '[]' });
    expect(loader.loaded).not.toContain('json');
    vi.advanceTimersByTime(1);
    await expect.poll(() => [...loader.loaded].sort(), { timeout: 10_000 }).toEqual(['json', 'typescript']);
    expect(both.openDocuments).toBe(2);
  });

  it('stay where another document needs them', () => {
    both.at({ ...css, uri: 'file:///c.css' });
    both.close(css.uri);
    vi.advanceTimersByTime(FIVE_MINUTES_MS * 2);
    expect(loader.loaded).toHaveLength(2);
  });
});
