import { describe, expect, it } from 'vitest';
import { rankFiles } from '../../../../../extension/src/chat/attachments/rank-files.js';

const ranked = (letters: string, paths: readonly string[], most = 20) =>
  rankFiles(
    paths.map((path) => ({ path })),
    letters,
    most,
  ).map(({ path }) => path);

describe('the files that letters mean', () => {
  it('are found in any case', () => {
    expect(ranked('readme', ['README.md', 'src/cart.ts'])).toEqual(['README.md']);
    expect(ranked('README', ['docs/readme.md'])).toEqual(['docs/readme.md']);
    expect(ranked('CAFÉ'.normalize('NFC'), ['café.ts'.normalize('NFD')])).toHaveLength(1);
  });

  it('have them at the start of their name, then within it, then apart, then in their path', () => {
    const paths = ['cart/index.ts', 'c-a-r-t.ts', 'shopping-cart.ts', 'deep/folder/cart.ts', 'index.ts'];
    expect(ranked('cart', paths)).toEqual(['deep/folder/cart.ts', 'shopping-cart.ts', 'c-a-r-t.ts', 'cart/index.ts']);
  });

  it('have a short path before a long one, whatever the order of the search', () => {
    const paths = ['b/cart.ts', 'a/b/cart.ts', 'cart.ts', 'a/cart.ts'];
    const expected = ['cart.ts', 'a/cart.ts', 'b/cart.ts', 'a/b/cart.ts'];
    expect(ranked('cart', paths)).toEqual(expected);
    expect(ranked('cart', paths.toReversed())).toEqual(expected);
    expect(ranked('cart', paths, 2)).toEqual(expected.slice(0, 2));
  });

  it('have letters apart in their path only if a slash says that a path is meant', () => {
    expect(ranked('spm', ['some/deep/part/main.ts'])).toEqual([]);
    expect(ranked('s/part/m', ['some/deep/part/main.ts'])).toEqual(['some/deep/part/main.ts']);
    expect(ranked('so/main', ['some/deep/part/main.ts', 'main.ts'])).toEqual(['some/deep/part/main.ts']);
  });

  it('are the best of very many', () => {
    const paths = Array.from({ length: 50_000 }, (_, index) => `folder-${index % 100}/module-${index}.ts`);
    expect(ranked('MODULE-49999', [...paths, 'x/my-module-49999.ts'])).toEqual([
      'folder-99/module-49999.ts',
      'x/my-module-49999.ts',
    ]);
    expect(ranked('m', paths)).toHaveLength(20);
    expect(ranked('m', paths)[0]).toBe('folder-0/module-0.ts');
  });
});
