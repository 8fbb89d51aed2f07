import { describe, expect, it } from 'vitest';
import { withoutComments } from '../../../../../server/src/context/projects/json-with-comments.js';
import { aliasTargets, parseTsConfig } from '../../../../../server/src/context/projects/tsconfig.js';

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
  it('names its parts: files, or folders that hold one', () => {
    const references = [{ path: './tsconfig.app.json' }, { path: '../lib' }, { path: './tsconfig' }, { path: 3 }, null];
    expect(parse({ references })?.references).toEqual([
      '/w/app/tsconfig.app.json',
      '/w/lib/tsconfig.json',
      '/w/app/tsconfig/tsconfig.json',
    ]);
  });

  // What TypeScript's own `getExtendsConfigPath` does.
  it.each([
    ['a path', './config/base', ['/w/app/config/base', '/w/app/config/base.json']],
    ['a path with its extension', '../tsconfig.base.json', ['/w/tsconfig.base.json']],
    ['nothing of another machine', '//other/share/base.json', []],
    ['a folder, by dots alone', '..', ['/w/tsconfig.json']],
    [
      'a package',
      '@acme/base',
      ['/w/app', '/w', ''].flatMap((above) =>
        ['', '.json', '/tsconfig.json'].map((end) => `${above}/node_modules/@acme/base${end}`),
      ),
    ],
    ['nothing that is endless', `./${'a'.repeat(300)}`, undefined],
  ])('extends %s', (_, name, files) => {
    expect(parse({ extends: name })?.extends[0]).toEqual(files);
    expect(parse({ extends: [name, './x.json'] })?.extends.at(-1)).toEqual(['/w/app/x.json']);
  });

  it('looks for a package in a few folders only', () => {
    const deep = parseTsConfig('{"extends": "base"}', `/w${'/a'.repeat(100)}/tsconfig.json`);
    expect(deep?.extends[0]).toHaveLength(24);
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
