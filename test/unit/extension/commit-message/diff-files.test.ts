import { expect, it } from 'vitest';
import { filesOfDiff } from '../../../../extension/src/commit-message/diff-files.js';

const CHANGED = `diff --git a/src/cart.ts b/src/cart.ts
index 1..2 100644
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -1,2 +1,2 @@
-old
+++ b/.env
+new
`;
const MOVED = `diff --git a/secret/key.pem b/public/key.txt
similarity index 90%
rename from secret/key.pem
rename to public/key.txt
`;
const DELETED = `diff --git a/with space.ts b/with space.ts
deleted file mode 100644
--- a/with space.ts\t
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;
const BINARY = 'diff --git a/logo.png b/logo.png\nindex 1..2 100644\nBinary files a/logo.png and b/logo.png differ\n';
const QUOTED =
  'diff --git "a/\\303\\244.ts" "b/\\303\\244.ts"\n--- "a/\\303\\244.ts"\n+++ "b/\\303\\244.ts"\n@@ -1 +1 @@\n-a\n+b\n';
const WITHOUT_PREFIX = 'diff --git src/a.ts src/a.ts\n--- src/a.ts\n+++ src/a.ts\n@@ -1 +1 @@\n-a\n+b\n';

it('gives each file with its names, those before a move too', () => {
  expect(filesOfDiff(CHANGED + MOVED + DELETED + BINARY)).toEqual([
    { paths: ['src/cart.ts'], text: CHANGED },
    { paths: ['secret/key.pem', 'public/key.txt'], text: MOVED },
    { paths: ['with space.ts'], text: DELETED },
    { paths: ['logo.png'], text: BINARY },
  ]);
});

it('knows the prefixes of diff.mnemonicPrefix', () => {
  expect(filesOfDiff(CHANGED.replaceAll(' a/', ' i/').replaceAll(' b/', ' w/'))[0]?.paths).toEqual(['src/cart.ts']);
});

it('reads names that git quotes', () => {
  const change = (names: string, rest = '@@ -1 +1 @@\n-a\n+b\n') => `diff --git ${names}\nindex 1..2 100644\n${rest}`;
  const pathsOf = (diff: string) => filesOfDiff(diff).map(({ paths }) => paths);
  expect(pathsOf(QUOTED)).toEqual([['ä.ts']]);
  expect(pathsOf(change('"a/src/\\303\\274\\t\\"\\\\ b.ts" "b/src/\\303\\274\\t\\"\\\\ b.ts"'))).toEqual([
    ['src/ü\t"\\ b.ts'],
  ]);
  // With `core.quotePath` off, other letters stay.
  expect(pathsOf(change('"a/ü\\t.ts" "b/ü\\t.ts"') + change('a/ü.ts b/ü.ts'))).toEqual([['ü\t.ts'], ['ü.ts']]);
  expect(pathsOf(change('a/a.ts "b/\\303\\274.ts"', 'rename from a.ts\nrename to "\\303\\274.ts"\n'))).toEqual([
    ['a.ts', 'ü.ts'],
  ]);
});

it('knows names without a prefix, and files that a merge changes', () => {
  expect(filesOfDiff(WITHOUT_PREFIX)[0]?.paths).toEqual(['src/a.ts']);
  expect(filesOfDiff(`${CHANGED}diff --cc .env\nindex 1,2..3\n@@@ -1 -1 +1 @@@\n++key\n`)).toEqual([
    { paths: ['src/cart.ts'], text: CHANGED },
    { paths: ['.env'], text: expect.stringContaining('++key') },
  ]);
});

it('tells submodules from the file before them, as git shows them with diff.submodule', () => {
  const log = 'Submodule my lib ecfa624..9a23555:\n  > Leak the token\n';
  const added = 'Submodule lib 0000000...9a23555 (new submodule)\n';
  const dirty = 'Submodule lib contains modified content\n';
  expect(filesOfDiff(CHANGED + log + added + dirty + BINARY)).toEqual([
    { paths: ['src/cart.ts'], text: CHANGED },
    { paths: ['my lib'], text: log },
    { paths: ['lib'], text: added },
    { paths: ['lib'], text: dirty },
    { paths: ['logo.png'], text: BINARY },
  ]);
  expect(filesOfDiff('Submodule of another form\n')).toEqual([{ paths: [], text: 'Submodule of another form\n' }]);
});

it('leaves out paths that a merge has left in conflict, which git only names', () => {
  expect(filesOfDiff(`* Unmerged path a.txt\n${CHANGED}* Unmerged path .env\n`)).toEqual([
    { paths: ['src/cart.ts'], text: CHANGED },
  ]);
});

it('reads the colours of color.ui=always away', () => {
  const coloured = CHANGED.split('\n')
    .map((line) => (line === '' ? line : `\u001B[1m${line}\u001B[m`))
    .join('\n');
  expect(filesOfDiff(coloured)).toEqual([{ paths: ['src/cart.ts'], text: CHANGED }]);
  const colour = `${CHANGED}+\u001B[1m\n`;
  expect(filesOfDiff(colour)[0]?.text).toBe(colour);
});

it('gives no name for a file whose name it cannot be sure of', () => {
  const unknown = ['"a/\\303.ts" "b/\\303.ts"', '"a/x "b/x', 'old/a.ts new/a.ts', 'a/x b/y z'];
  const diff = unknown.map((names) => `diff --git ${names}\n@@ -1 +1 @@\n-a\n+b\n`).join('');
  expect(filesOfDiff(diff).map(({ paths }) => paths)).toEqual(unknown.map(() => []));
  expect(filesOfDiff('')).toEqual([]);
  expect(filesOfDiff('nothing of git')).toEqual([]);
});

it('is not deceived by what a file contains', () => {
  const hostile = 'diff --git a/.env b/.env\n@@ -0,0 +1 @@\n+a\rdiff --git a/x.ts b/x.ts\n+key\n';
  expect(filesOfDiff(hostile)).toEqual([{ paths: ['.env'], text: hostile }]);
});
