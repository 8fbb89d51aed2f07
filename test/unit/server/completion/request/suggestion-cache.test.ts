import { beforeEach, describe, expect, it } from 'vitest';
import {
  type CachedText,
  SuggestionCache,
  type SuggestionPlace,
  typedSince,
} from '../../../../../server/src/completion/request/suggestion-cache.js';

let cache: SuggestionCache;

beforeEach(() => {
  cache = new SuggestionCache();
});

function placeAt(prefix: string, more: Partial<SuggestionPlace> = {}): SuggestionPlace {
  return { uri: 'file:///a.ts', offset: prefix.length, prefix, suffix: '\n}\n', conditions: 'model', ...more };
}

function text(said: string, more: Partial<CachedText> = {}): CachedText {
  return { id: 1, text: said, finished: true, pieces: null, ...more };
}

describe('a suggestion is found', () => {
  it('where it was made', () => {
    cache.add(placeAt('return '), text('left;'));
    expect(cache.find(placeAt('return '))).toMatchObject({ id: 1, text: 'left;', typed: '' });
  });

  it('where the user typed along it, without what was typed', () => {
    const pieces = [
      { end: 2, logProbability: -1 },
      { end: 5, logProbability: -2 },
    ];
    cache.add(placeAt('return '), text('left;', { pieces }));
    expect(cache.find(placeAt('return lef'))).toMatchObject({
      text: 't;',
      typed: 'lef',
      pieces: [{ end: 2, logProbability: -2 }],
    });
  });

  it('behind the indentation that the editor chose', () => {
    cache.add(placeAt('if (a) {'), text('\n  b();\n}'));
    expect(cache.find(placeAt('if (a) {\n\t'))?.text).toBe('b();\n}');
  });

  it('where line ends of two characters were typed', () => {
    cache.add(placeAt('a'), text('\nb;'));
    expect(cache.find(placeAt('a\n', { offset: 3 }))?.text).toBe('b;');
  });

  it('as the newest of those that fit', () => {
    cache.add(placeAt('return '), text('left;', { id: 1 }));
    cache.add(placeAt('return l'), text('ast;', { id: 2 }));
    expect(cache.find(placeAt('return l'))?.id).toBe(2);
    expect(cache.find(placeAt('return le'))?.id).toBe(1);
  });

  it('as an empty answer at its own place only', () => {
    cache.add(placeAt('return '), text(''));
    expect(cache.find(placeAt('return '))?.text).toBe('');
    expect(cache.find(placeAt('return l'))).toBeNull();
  });
});

it.each([
  ['something else was typed', placeAt('return r')],
  ['all of it was typed', placeAt('return left;')],
  ['only blanks are left of it', placeAt('return left;\n')],
  ['text was deleted', placeAt('return')],
  ['the text before it differs', placeAt('yield  ')],
  ['the text behind it differs', placeAt('return ', { suffix: '\n' })],
  ['the model is another', placeAt('return ', { conditions: 'other' })],
  ['the document is another', placeAt('return ', { uri: 'file:///b.ts' })],
])('none is found where %s', (_where, place) => {
  cache.add(placeAt('return '), text('left;\n'));
  expect(cache.find(place)).toBeNull();
});

it('a draft is found under other conditions, in the same document', () => {
  cache.add(placeAt('return '), text('left;'));
  const elsewhere = { suffix: 'other', conditions: 'other' };
  expect(cache.findDraft(placeAt('return l', elsewhere))).toBe('eft;');
  expect(cache.findDraft(placeAt('return l', { ...elsewhere, uri: 'file:///b.ts' }))).toBeNull();
});

it('an answer replaces the one of the same place', () => {
  cache.add(placeAt('return '), text('left;'));
  cache.add(placeAt('return '), text('right;', { id: 2 }));
  expect(cache.size).toBe(1);
  expect(cache.find(placeAt('return '))?.id).toBe(2);
});

it('the oldest answers go first', () => {
  for (let line = 0; line < 300; line += 1) cache.add(placeAt(`const a${line} = `), text('left;', { id: line }));
  expect(cache.size).toBe(250);
  expect(cache.find(placeAt('const a49 = '))).toBeNull();
  expect(cache.find(placeAt('const a50 = '))?.id).toBe(50);
});

it('those of a closed document are forgotten', () => {
  cache.add(placeAt('return '), text('left;'));
  cache.add(placeAt('return ', { uri: 'file:///b.ts' }), text('left;'));
  cache.forget('file:///a.ts');
  expect(cache.find(placeAt('return '))).toBeNull();
  expect(cache.size).toBe(1);
});

describe('what was typed between two places', () => {
  it.each([
    ['nothing', 'a', 'a', ''],
    ['keys', 'a', 'ab c', 'b c'],
    ['another text before', 'xa', 'ya', null],
    ['fewer characters', 'ab', 'a', null],
  ])('is %s', (_what, then, now, typed) => {
    expect(typedSince(placeAt(then), placeAt(now))).toBe(typed);
  });
});
