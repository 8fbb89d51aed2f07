import { expect, test } from 'vitest';
import { listSources, readSource } from '../support/source-tree.js';

const FOLDERS = ['extension', 'media', 'native', 'server', 'test'];
/** Frozen samples, products of runs, and lists that are data. */
const NOT_CODE = /^test\/(?:fixtures|\.output)\/|\.(?:json|svg)$/;
const CODE = /\.(?:ts|mts|mjs|cjs|cpp|c|h|cmake|css)$|CMakeLists\.txt$/;
const MOST_EQUAL_LINES = 10;

/** Blank lines, comments, and imports of any kind: what every file has. */
const SAYS_NOTHING = /^(?:|\/\/.*|\/?\*.*|#(?!define|if).*|import .*|\} from .*|(?:type )?\w+,|using .*|namespace .*)$/;

interface Line {
  readonly text: string;
  readonly number: number;
}

function codeOf(file: string): readonly Line[] {
  return readSource(file)
    .split('\n')
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text }) => !SAYS_NOTHING.test(text));
}

/** Places whose lines stand in two files, or twice in one. */
function sharedPlaces(files: readonly (readonly [string, readonly Line[]])[]): readonly string[] {
  const length = MOST_EQUAL_LINES + 1;
  const first = new Map<string, string>();
  const shared: string[] = [];
  for (const [file, lines] of files) {
    for (let start = 0; start + length <= lines.length; start += 1) {
      const block = lines.slice(start, start + length);
      const text = block.map((line) => line.text).join('\n');
      const place = `${file}:${block[0]?.number}`;
      const other = first.get(text);
      if (other === undefined) first.set(text, place);
      else shared.push(`${place} is like ${other}`);
    }
  }
  return shared;
}

test(`no two places share more than ${MOST_EQUAL_LINES} equal lines of code`, () => {
  const files = FOLDERS.flatMap((folder) => listSources(folder, CODE)).filter((file) => !NOT_CODE.test(file));
  expect(files.length).toBeGreaterThan(800);
  expect(sharedPlaces(files.map((file) => [file, codeOf(file)] as const))).toEqual([]);
});

test('a block that stands twice is found', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({ text: `line(${from + index});`, number: from + index }));
  expect(
    sharedPlaces([
      ['a.ts', lines(1, 20)],
      ['b.ts', lines(5, 15)],
    ]),
  ).toEqual([]);
  expect(
    sharedPlaces([
      ['a.ts', lines(1, 20)],
      ['b.ts', lines(5, 16)],
    ]),
  ).toEqual(['b.ts:5 is like a.ts:5']);
});
