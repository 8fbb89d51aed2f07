import { describe, expect, it } from 'vitest';
import { parseReference } from '../../../../extension/src/download/model-source.js';
import { offered, type RepositoryModel, selectModel } from '../../../../extension/src/download/repository.js';

const HUB = 'https://huggingface.co';

describe('parseReference', () => {
  const repository = (name: string, file: string | null = null, revision = 'main') => ({
    kind: 'repository',
    repository: name,
    revision,
    file,
  });

  it.each([
    ['owner/repo', repository('owner/repo')],
    [' owner/repo-GGUF ', repository('owner/repo-GGUF')],
    ['owner/repo:Q4_K_M', repository('owner/repo', 'Q4_K_M')],
    ['owner/repo:sub/model.gguf', repository('owner/repo', 'sub/model.gguf')],
    ['hf.co/owner/repo', repository('owner/repo')],
    [`${HUB}/owner/repo`, repository('owner/repo')],
    [`${HUB}/owner/repo/tree/main`, repository('owner/repo')],
    [`${HUB}/owner/repo/blob/main/a%20b.gguf`, repository('owner/repo', 'a b.gguf')],
    [`${HUB}/owner/repo/resolve/v1/sub/m.gguf?download=true`, repository('owner/repo', 'sub/m.gguf', 'v1')],
    ['https://example.com/x/m.gguf', { kind: 'url', url: 'https://example.com/x/m.gguf' }],
    ['http://example.com/x/m.gguf', { kind: 'url', url: 'http://example.com/x/m.gguf' }],
    ['', null],
    ['qwen', null],
    ['owner/', null],
    ['owner/../repo', null],
    ['../repo', null],
    ['folder/model.gguf', null],
    ['https://example.com/index.html', null],
    ['https://', null],
    [`${HUB}/models`, null],
  ])('%s', (text, expected) => {
    expect(parseReference(text, HUB)).toEqual(expected);
  });

  it('knows the pages of a mirror', () => {
    const page = 'http://mirror.lan:8080/owner/repo/resolve/main/m.gguf';
    expect(parseReference(page, 'http://mirror.lan:8080')).toEqual(repository('owner/repo', 'm.gguf'));
  });
});

describe('selectModel', () => {
  const names = [
    'model-Q8_0',
    'model-UD-Q4_K_XL',
    'model-Q4_K_XL',
    'model-Q4_K_M',
    'mmproj-model-Q8_0',
    'mtp-model-Q4_K_M',
    'sub/other.Q6_K',
  ];
  const models: RepositoryModel[] = names.map((name, index) => ({
    name,
    files: [{ path: `${name}.gguf`, bytes: 100 - index, sha256: null }],
  }));

  it.each([
    ['Q8_0', 'model-Q8_0'],
    ['q4_k_m', 'model-Q4_K_M'],
    ['Q4_K_XL', 'model-Q4_K_XL'],
    ['UD-Q4_K_XL', 'model-UD-Q4_K_XL'],
    ['Q4_K', 'model-Q4_K_M'],
    ['Q6_K', 'sub/other.Q6_K'],
    ['other.Q6_K.gguf', 'sub/other.Q6_K'],
    ['mmproj-model-Q8_0.gguf', 'mmproj-model-Q8_0'],
    ['Q9', null],
    ['(', null],
  ])('%s', (selector, expected) => {
    expect(selectModel(models, selector)?.name ?? null).toBe(expected);
  });

  it('offers models without their companions, smallest first', () => {
    expect(offered(models).map(({ name }) => name)).toEqual([
      'sub/other.Q6_K',
      'model-Q4_K_M',
      'model-Q4_K_XL',
      'model-UD-Q4_K_XL',
      'model-Q8_0',
    ]);
  });
});
