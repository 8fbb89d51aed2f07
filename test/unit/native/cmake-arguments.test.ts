import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generatorArguments, llamaDefinition, presentGenerator } from '../../../native/cmake-arguments.mjs';
import { TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(() => folder.dispose());

describe("a build folder's generator", () => {
  test.each([
    ['Unix Makefiles', '\n'],
    ['Ninja', '\n'],
    ['Visual Studio 17 2022', '\r\n'],
  ])('stays %s, whatever was installed since', (name, end) => {
    const lines = [
      'CMAKE_EXTRA_GENERATOR:INTERNAL=',
      `CMAKE_GENERATOR:INTERNAL=${name}`,
      'CMAKE_GENERATOR_PLATFORM:INTERNAL=',
    ];
    writeFileSync(folder.file('CMakeCache.txt'), lines.join(end) + end);
    expect(presentGenerator(folder.path)).toBe(name);
    expect(generatorArguments(folder.path)).toEqual(['-G', name]);
  });

  test.each([
    ['no cache', null],
    ['a cache that was cut short', 'CMAKE_AR:FILEPATH=/usr/bin/ar\n'],
  ])('is not known from %s', (_, text) => {
    if (text !== null) writeFileSync(folder.file('CMakeCache.txt'), text);
    expect(presentGenerator(folder.path)).toBeNull();
  });
});

// CMake remembers a definition that it is not given again.
test.each([
  [{ INKLING_LLAMA_DIR: '/home/me/llama.cpp' }, '-DINKLING_LLAMA_DIR=/home/me/llama.cpp'],
  [{ INKLING_LLAMA_DIR: '' }, '-DINKLING_LLAMA_DIR='],
  [{}, '-DINKLING_LLAMA_DIR='],
])('the source with %j', (environment, definition) => {
  expect(llamaDefinition(environment)).toBe(definition);
});
