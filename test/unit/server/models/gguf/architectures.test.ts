import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { architectureKind, LOADABLE, modelKind } from '../../../../../server/src/models/gguf/architectures.js';
import { FIM_SPELLINGS } from '../../../../../server/src/models/gguf/fim-vocabulary.js';
import { REPOSITORY_ROOT } from '../../../../support/source-tree.js';

/** The source that the engine is built from; null if this machine has never built it. */
function llamaSource(file: string): string | null {
  const cache = path.join(REPOSITORY_ROOT, '.cache');
  const fetched = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('llama.cpp-')) : [];
  const roots = [process.env.INKLING_LLAMA_DIR, ...fetched.map((name) => path.join(cache, name))];
  const found = roots.map((root) => path.join(root ?? '', 'src', file)).find((each) => existsSync(each));
  return found === undefined ? null : readFileSync(found, 'utf8');
}

describe('architectures', () => {
  it.each([
    ['qwen2', 'decoder'],
    ['qwen35moe', 'decoder'],
    ['bert', 'otherKind'],
    ['clip', 'otherKind'],
    ['wordle', 'unknown'],
  ])('%s is %s', (architecture, kind) => {
    expect(architectureKind(architecture)).toBe(kind);
  });

  it.each([
    ['qwen3', null, 'decoder'],
    ['qwen3', 'embedding', 'embedding'],
    ['qwen3', 'reranker', 'reranker'],
    ['bert', 'embedding', 'otherKind'],
    ['wordle', 'embedding', 'unknown'],
  ] as const)('%s with pooling %s is %s', (architecture, pooling, kind) => {
    expect(modelKind({ architecture, pooling })).toBe(kind);
  });

  const names = llamaSource('llama-arch.cpp');
  it.skipIf(names === null)('are those of the llama.cpp that the engine is built from', () => {
    const table = /LLM_ARCH_NAMES = \{(.*?)\n\};/s.exec(names ?? '')?.[1] ?? '';
    const known = [...table.matchAll(/"([^"]+)"/g)].map(([, name]) => name).filter((name) => name !== '(unknown)');
    expect([...LOADABLE].sort()).toEqual(known.sort());
  });

  const vocabulary = llamaSource('llama-vocab.cpp');
  it.skipIf(vocabulary === null)('have the fill-in-the-middle spellings that it recognises', () => {
    for (const [role, name] of [
      ['prefix', 'FIM_PRE'],
      ['suffix', 'FIM_SUF'],
      ['middle', 'FIM_MID'],
    ] as const) {
      const section = (vocabulary ?? '').split(`// find ${name} token`)[1]?.split('// find ')[0] ?? '';
      const spellings = [...section.matchAll(/t\.first == "([^"]+)"/g)].map(([, spelling]) => spelling);
      // The engine finds Seed-Coder's itself (native/engine/llama/fim_vocabulary.cpp).
      const own = [`<[fim-${role}]>`];
      expect([...FIM_SPELLINGS[role]].sort()).toEqual([...spellings, ...own].sort());
    }
  });
});
