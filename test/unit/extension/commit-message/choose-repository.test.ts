import { expect, it } from 'vitest';
import { chooseRepository } from '../../../../extension/src/commit-message/choose-repository.js';

const REPOSITORIES = ['file:///shop', 'file:///work', 'file:///work/parts/cart', 'file:///work/parts'].map(
  (rootUri) => ({
    rootUri,
  }),
);

it.each([
  ['file:///work/a.ts', 'file:///work'],
  ['file:///work/parts/cart/a.ts', 'file:///work/parts/cart'],
  ['file:///work/parts/a.ts', 'file:///work/parts'],
  ['file:///workshop/a.ts', 'file:///shop'],
  // What is staged of a file, and a cell of a notebook.
  ['git:/work/parts/a.ts?%7B%22path%22%3A%22%2Fwork%2Fparts%2Fa.ts%22%2C%22ref%22%3A%22%22%7D', 'file:///work/parts'],
  ['vscode-notebook-cell:/work/a.ipynb#W0sZmlsZQ%3D%3D', 'file:///work'],
  ['git://nas/work/a.ts', 'file:///shop'],
  ['untitled:Untitled-1', 'file:///shop'],
  [null, 'file:///shop'],
])('with %j in the active editor it is %j', (file, expected) => {
  expect(chooseRepository(REPOSITORIES, file)?.rootUri).toBe(expected);
});

it('is found by a root with a slash at its end', () => {
  const roots = [{ rootUri: 'file:///shop' }, { rootUri: 'file:///' }];
  expect(chooseRepository(roots, 'file:///a.ts')).toBe(roots[1]);
});

it('is found on a server of the network', () => {
  const roots = [{ rootUri: 'file:///work' }, { rootUri: 'file://nas/work' }];
  expect(chooseRepository(roots, 'git://nas/work/a.ts?ref')).toBe(roots[1]);
  expect(chooseRepository(roots, 'file://nas/work/a.ts')).toBe(roots[1]);
});

it('is none without repositories', () => {
  expect(chooseRepository([], 'file:///a.ts')).toBeNull();
});

it('is the one that is selected in the source control view where no file says which', () => {
  const [shop, work] = [{ rootUri: 'file:///shop' }, { rootUri: 'file:///work', ui: { selected: true } }];
  expect(chooseRepository([shop, work], null)).toBe(work);
  expect(chooseRepository([shop, work], 'untitled:Untitled-1')).toBe(work);
  expect(chooseRepository([shop, work], 'file:///shop/a.ts')).toBe(shop);
});

it.each([null, 7, {}, { selected: 'yes' }])('is the first one where the git extension says %j of its view', (ui) => {
  const roots = [{ rootUri: 'file:///shop' }, { rootUri: 'file:///work', ui }];
  expect(chooseRepository(roots, null)).toBe(roots[0]);
});
