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

it('leaves out files whose names it cannot be sure of', () => {
  expect(filesOfDiff(QUOTED + WITHOUT_PREFIX + CHANGED).map(({ paths }) => paths)).toEqual([['src/cart.ts']]);
  expect(filesOfDiff('')).toEqual([]);
  expect(filesOfDiff('nothing of git')).toEqual([]);
});
