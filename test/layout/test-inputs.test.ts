import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listSources, REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

/** A path of a source that people edit, other than in an import. */
const LIVING_SOURCE =
  /['"`](?:\.\.\/)*(?:server\/src|server\/protocol|extension\/src|native\/(?:engine|addon))\/[^'"`]*['"`]/;
/** The whole path of a checked-in file, in a script. */
const NAMED_FILE = /['"`]((?:test|native|server|extension|media)\/[\w./-]+\.(?:ts|mjs|cpp|h|json|dict|gguf))['"`]/g;
/** Tools that check the sources themselves. */
const CHECKERS = /^test\/support\/clang-(?:format|tidy)\.mjs$/;
const IMPORT = /\bfrom ['"]|^import |\bimport\(|^#include/;

describe('tests and benchmarks', () => {
  test('read frozen fixtures, not sources that people edit', () => {
    const offenders = listSources('test', /\.(?:ts|mjs|cpp|h)$/)
      .filter((file) => !/^test\/(?:layout|fixtures|\.output)\//.test(file) && !CHECKERS.test(file))
      .flatMap((file) =>
        readSource(file)
          .split('\n')
          .filter((line) => LIVING_SOURCE.test(line) && !IMPORT.test(line) && !/FROZEN_SOURCES|shownAs:/.test(line))
          .map((line) => `${file}: ${line.trim()}`),
      );
    expect(offenders).toEqual([]);
  });

  test('are where the tools that run them look for them', () => {
    const named = listSources('test', /\.mjs$/)
      .filter((file) => !/^test\/(?:fixtures|\.output)\//.test(file))
      .flatMap((file) => [...readSource(file).matchAll(NAMED_FILE)].map(([, name = '']) => ({ file, name })));
    expect(named.map(({ name }) => name)).toContain('test/unit/server/linear-work.test.ts');
    expect(named.filter(({ name }) => !existsSync(path.join(REPOSITORY_ROOT, name)))).toEqual([]);
  });

  test('demand no time: a machine may be as slow as it likes, and benchmarks measure', () => {
    const offenders = listSources('test', /\.test\.ts$/).flatMap((file) =>
      readSource(file)
        .split('\n')
        .filter((line) => /(?:performance|Date)\.now\(\) - .*\.toBeLess/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(offenders).toEqual([]);
  });
});
