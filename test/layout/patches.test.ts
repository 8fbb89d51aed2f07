import { describe, expect, test } from 'vitest';
import { listSources, readSource } from '../support/source-tree.js';

/** In the order of their numbers, as they apply. */
const patches = listSources('native/patches', /\.patch$/).toSorted((a, b) => numberOf(a) - numberOf(b));

function numberOf(patch: string): number {
  return Number(/(\d+)-[^/]*$/.exec(patch)?.[1]);
}

/** As inkling_patch_definition of native/cmake/patches.cmake. */
function definitionOf(patch: string): string {
  const name = patch.replace(/^(?:.*\/)?\d+-(.*)\.patch$/, '$1');
  return `INKLING_PATCH_${name.replaceAll('-', '_').toUpperCase()}`;
}

describe('patches to ggml', () => {
  test.each(patches)('%s begins with its reason', (patch) => {
    expect(readSource(patch)).toMatch(/^Why: \w.+\.\n\n/);
  });

  test('are listed for the build and in their README', () => {
    const names = patches.map((patch) => patch.replace(/^.*\//, ''));
    const listed = readSource('native/cmake/patched-ggml.cmake').match(/(?<=^ {2})[\w-]+\.patch/gm);
    expect(listed).toEqual(names);
    const documented = readSource('native/patches/README.md').match(/(?<=^\| `)[\w-]+/gm);
    expect(documented?.map((name) => `${name}.patch`)).toEqual(names);
  });

  // A name that nothing defines would take every claim of exact rows away without a word.
  test('set the definitions that the engine asks for, and the README says for which', () => {
    const asked = readSource('native/engine/llama/context.cpp').match(/\bINKLING_PATCH_\w+/g) ?? [];
    expect(asked.length).toBeGreaterThan(0);
    const needed =
      readSource('native/patches/README.md').match(/(?<=^\| `)[\w-]+(?=`.*\b(?:exact rows|its report) \|$)/gm) ?? [];
    expect(asked.toSorted()).toEqual(needed.map((name) => definitionOf(`${name}.patch`)).toSorted());
  });

  test('name the kernels that they call', () => {
    const list = /set\(INKLING_KERNELS\n([^)]*)\)/.exec(readSource('native/cmake/patched-ggml.cmake'))?.[1] ?? '';
    const pairs = [...list.matchAll(/(\w+) ([\w-]+\.patch)/g)];
    const kernels = listSources('native/kernels', /\.cpp$/).map((file) => file.replace(/^.*\/(.*)\.cpp$/, '$1'));
    expect(pairs.map(([, kernel]) => kernel).toSorted()).toEqual(kernels.toSorted());
    for (const [, kernel, patch] of pairs) {
      const functions = readSource(`native/kernels/${kernel}.h`).match(/\binkling_\w+(?=\()/g) ?? [];
      const added = readSource(`native/patches/${patch}`).match(/^\+.*$/gm) ?? [];
      const named = functions.filter((name) => added.some((line) => line.includes(name)));
      expect(named, `${patch} calls ${kernel}`).not.toEqual([]);
    }
  });
});
