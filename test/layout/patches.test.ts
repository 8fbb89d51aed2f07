import { describe, expect, test } from 'vitest';
import { listSources, readSource } from '../support/source-tree.js';

/** In the order of their numbers, as they apply. */
const patches = listSources('native/patches', /\.patch$/).toSorted((a, b) => numberOf(a) - numberOf(b));

function numberOf(patch: string): number {
  return Number(/(\d+)-[^/]*$/.exec(patch)?.[1]);
}

/** As inkling_patch_definition of native/cmake/patches.cmake. */
function definitionOf(patch: string): string {
  const name = patch.replace(/^.*\/\d+-(.*)\.patch$/, '$1');
  return `INKLING_PATCH_${name.replaceAll('-', '_').toUpperCase()}`;
}

describe('patches to ggml', () => {
  test.each(patches)('%s begins with its reason', (patch) => {
    expect(readSource(patch)).toMatch(/^Why: \w.+\.\n\n/);
  });

  test('are listed for the build and in their README', () => {
    const names = patches.map((patch) => patch.replace(/^.*\//, ''));
    const listed = readSource('native/cmake/patched-ggml.cmake').match(/[\w-]+\.patch/g);
    expect(listed).toEqual(names);
    const documented = readSource('native/patches/README.md').match(/(?<=^\| `)[\w-]+/gm);
    expect(documented?.map((name) => `${name}.patch`)).toEqual(names);
  });

  // A name that nothing defines would take every claim of exact rows away without a word.
  test('set the definitions that the engine asks for', () => {
    const asked = readSource('native/engine/llama/context.cpp').match(/\bINKLING_PATCH_\w+/g) ?? [];
    expect(asked.length).toBeGreaterThan(0);
    const known = patches.map(definitionOf);
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });
});
