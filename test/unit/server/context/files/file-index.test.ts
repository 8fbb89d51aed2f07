import { expect, it } from 'vitest';
import type { IndexedFile } from '../../../../../server/src/context/context-source.js';
import { FileIndex } from '../../../../../server/src/context/files/file-index.js';
import { jaccard, snippetWindows, wordHashes } from '../../../../../server/src/context/snippet-windows.js';

function file(key: string, text: string, visited = 0): IndexedFile {
  const lines = text.split('\n');
  return {
    key,
    path: key,
    family: 'typescript',
    lines,
    declarations: [],
    windows: [],
    imports: [],
    edits: [],
    visited,
  };
}

it('lists the last visited file first', () => {
  const index = new FileIndex();
  index.put(file('/a', '', 1));
  index.put(file('/b', '', 3));
  index.put(file('/c', ''));
  expect(index.files.map(({ key }) => key)).toEqual(['/b', '/a', '/c']);
  index.touch('/c', 4);
  expect(index.files[0]?.key).toBe('/c');
});

it('removes the least recently used files when it is full, in files and in characters', () => {
  const index = new FileIndex();
  for (let number = 0; number < 300; number++) index.put(file(`/${number}`, 'a'));
  expect(index.files).toHaveLength(256);
  expect(index.get('/0')).toBeNull();
  index.touch('/44');
  for (let number = 0; number < 30; number++) index.put(file(`/large/${number}`, 'x'.repeat(110_000)));
  expect(index.characters).toBeLessThanOrEqual(3_000_000);
  expect(index.get('/large/29')).not.toBeNull();
  expect(index.get('/large/0')).toBeNull();
  index.clear();
  expect(index.characters).toBe(0);
});

it('updates its size on replacement and removal', () => {
  const index = new FileIndex();
  index.put(file('/a', 'xxxx'));
  index.put(file('/a', 'xx'));
  expect(index.characters).toBe(3);
  index.remove('/a');
  index.remove('/a');
  expect(index.characters).toBe(0);
});

it('compares windows by words that are not in every file', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `const name${index} = value${index % 10}(index);`);
  const windows = [...snippetWindows(lines)];
  expect(windows.map(({ start, end }) => [start, end])).toEqual([
    [0, 16],
    [8, 24],
    [16, 32],
    [24, 40],
  ]);
  const words = wordHashes(lines.slice(8, 24));
  const similarities = windows.map((window) => jaccard(words, window));
  expect(similarities[1]).toBe(1);
  expect(Math.max(similarities[0] ?? 1, similarities[2] ?? 1, similarities[3] ?? 1)).toBeLessThan(1);
  expect(wordHashes(['const x = return'])).toEqual(new Set());
  expect([...snippetWindows(['a'])]).toEqual([]);
});
