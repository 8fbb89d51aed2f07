import { describe, expect, it } from 'vitest';
import { withoutComments } from '../../../../../server/src/context/languages/json-with-comments.js';
import { aliasTargets, parseTsConfig } from '../../../../../server/src/context/languages/tsconfig.js';

const FILE = '/w/app/tsconfig.json';
const parse = (config: unknown) => parseTsConfig(JSON.stringify(config), FILE);
const targets = (compilerOptions: unknown, specifier: string) => {
  const config = parse({ compilerOptions });
  return config === null ? null : aliasTargets(config, specifier);
};

describe('JSON with comments', () => {
  it.each([
    ['{"a": 1} // end', { a: 1 }],
    ['/* start */ {"a": /* in between */ [1, 2,], }', { a: [1, 2] }],
    ['{"a": [1, // one\n 2, /* two */\n],\n// last\n}', { a: [1, 2] }],
    ['{"a": "// no comment, /* none */ ,]", "b": "\\",}"}', { a: '// no comment, /* none */ ,]', b: '",}' }],
    ['[1, 2]', [1, 2]],
    ['{"@/*": ["./src/*"],}', { '@/*': ['./src/*'] }],
  ])('%s', (text, value) => {
    expect(JSON.parse(withoutComments(text))).toEqual(value);
  });

  it.each(['{"a": "open\n', '/* open', '"\\', '[1,,]', ',', '/', '// '])(
    '%j stays no JSON, and nothing throws',
    (text) => {
      expect(() => JSON.parse(withoutComments(text))).toThrow(SyntaxError);
    },
  );
});

describe('paths', () => {
  it.each([
    ['a pattern with a star', { paths: { '@app/*': ['./src/*'] } }, '@app/a/b', ['/w/app/src/a/b']],
    ['relative to the base', { baseUrl: '..', paths: { '@app/*': ['lib/*'] } }, '@app/a', ['/w/lib/a']],
    ['one without a star', { paths: { config: ['./config/main'] } }, 'config', ['/w/app/config/main']],
    ['several targets, in order', { paths: { '~*': ['./a/*', './b/*'] } }, '~x', ['/w/app/a/x', '/w/app/b/x']],
    ['the longest start', { paths: { '*': ['./any/*'], '@/*': ['./src/*'] } }, '@/x', ['/w/app/src/x']],
    ['the exact one first', { paths: { '@/*': ['./src/*'], '@/x': ['./y'] } }, '@/x', ['/w/app/y']],
    ['text after the star', { paths: { '@/*.css': ['./styles/*'] } }, '@/a.css', ['/w/app/styles/a']],
    ['dollar signs as they are', { paths: { '@/*': ['./src/*'] } }, '@/$&', ['/w/app/src/$&']],
    [
      'the base, where no pattern fits',
      { baseUrl: './src', paths: { '@/*': ['./x/*'] } },
      'util/a',
      ['/w/app/src/util/a'],
    ],
    ['nothing', { paths: { '@/*': ['./src/*'] } }, 'react', []],
    ['nothing where start and end overlap', { paths: { 'ab*ba': ['./x'] } }, 'aba', []],
    ['nothing of two stars', { paths: { '@/*/*': ['./x/*'] } }, '@/a/b', []],
    ['nothing of other types', { baseUrl: 3, paths: { '@/*': 'x', '#/*': [3] } }, '#/a', []],
  ])('%s', (_, options, specifier, expected) => {
    expect(targets(options, specifier)).toEqual(expected);
  });

  it('have limits', () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`a${index}/*`, ['./x/*']]));
    expect(parse({ compilerOptions: { paths: many } })?.paths).toHaveLength(256);
    expect(targets({ paths: { '@/*': Array(1_000).fill('./x/*') } }, '@/a')).toHaveLength(8);
    expect(targets({ paths: { '@/*': ['./x/*'] } }, `@/${'a'.repeat(1_000)}`)).toEqual([]);
    expect(targets({ paths: { [`@${'a'.repeat(1_000)}/*`]: ['./x/*'] } }, '@')).toEqual([]);
    expect(parseTsConfig(`{"compilerOptions": {}${' '.repeat(70_000)}}`, FILE)).toBeNull();
  });
});

describe('a configuration', () => {
  it('names what it extends, and its parts', () => {
    const references = [{ path: './tsconfig.app.json' }, { path: '../lib' }, { path: 3 }, null];
    expect(parse({ extends: './base', references })).toMatchObject({
      extends: ['/w/app/base/tsconfig.json'],
      references: ['/w/app/tsconfig.app.json', '/w/lib/tsconfig.json'],
    });
    expect(parse({ extends: ['../tsconfig.base', '@tsconfig/node20/tsconfig.json'] })?.extends).toEqual([
      '/w/tsconfig.base.json',
    ]);
  });

  it.each(['', '[]', '3', '{"compilerOptions":', '\uFEFF', '{"a": 1,, }'])('%j is none', (text) => {
    expect(parseTsConfig(text, FILE)).toBeNull();
  });

  it.each([{}, { compilerOptions: [] }, { compilerOptions: { paths: [] } }, { extends: {}, references: {} }])(
    '%j says nothing of imports',
    (config) => {
      expect(parse(config)).toEqual({ extends: [], references: [], baseUrl: null, paths: null });
    },
  );

  it('may begin with a byte order mark', () => {
    expect(parseTsConfig('\uFEFF{"compilerOptions": {"baseUrl": "."}}', FILE)?.baseUrl).toBe('/w/app');
  });
});
