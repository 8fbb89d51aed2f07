import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../../../../extension/src/download/http-client.js';
import { listModels } from '../../../../extension/src/download/repository.js';

const HOST = 'https://huggingface.co';

/** What a repository's host answers: its list, and the header that names the next page. */
interface Page {
  readonly entries: readonly object[];
  readonly link?: string;
}

async function listed(...pages: readonly Page[]) {
  const asked: string[] = [];
  const json: HttpClient['json'] = async (url) => {
    const { entries = [], link = '' } = pages[asked.length] ?? {};
    asked.push(url);
    return { value: entries, headers: new Headers({ link }) };
  };
  const models = await listModels({ json } as HttpClient, HOST, 'owner/repo', 'main', new AbortController().signal);
  return { models, asked };
}

function models(count: number): Page {
  return { entries: Array.from({ length: count }, (_, index) => ({ type: 'file', path: `${index}.gguf`, size: 1 })) };
}

describe('a list of files from a hostile host', () => {
  it('is refused if it has more models than anybody could choose from', async () => {
    await expect(listed(models(10_001))).rejects.toMatchObject({ kind: 'server' });
  });

  it('is read without names and lengths that no file has', async () => {
    const paths = ['a\n2.gguf', '../b.gguf', 'c//d.gguf'].map((path) => ({ type: 'file', path, size: 1 }));
    const sizes = [-1, 0.5, 2 ** 60, '1', null].map((size) => ({ type: 'file', path: 'e.gguf', size }));
    const long = [1_000, 1_001].map((length) => ({ type: 'file', path: `${'g'.repeat(length - 5)}.gguf`, size: 7 }));
    const odd = { type: 'file', path: 'f.gguf', size: 7, lfs: { size: -7, oid: 'x' } };
    expect((await listed({ entries: [...paths, ...sizes, odd, ...long] })).models).toEqual([
      { name: 'f', files: [{ path: 'f.gguf', bytes: 7, sha256: null }] },
      { name: 'g'.repeat(995), files: [expect.objectContaining({ bytes: 7 })] },
    ]);
  });

  it('is read without models of more parts than the record of a download can hold', async () => {
    const parts = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => {
        const digits = (value: number) => String(value).padStart(5, '0');
        return { type: 'file', path: `${name}-${digits(index + 1)}-of-${digits(count)}.gguf`, size: 1 };
      });
    const { models } = await listed({ entries: [...parts('a', 500), ...parts('b', 501)] });
    expect(models.map(({ name, files }) => [name, files.length])).toEqual([['a', 500]]);
  });

  it('names each file once, also where two pages do', async () => {
    const file = { type: 'file', path: 'a.gguf', size: 1 };
    const { models } = await listed(
      { entries: [file, file], link: `<${HOST}/next>; rel="next"` },
      { entries: [{ ...file, size: 2 }] },
    );
    expect(models).toEqual([{ name: 'a', files: [{ path: 'a.gguf', bytes: 2, sha256: null }] }]);
  });

  it('continues where the last bracket before the address says, and on the same host only', async () => {
    const next = `${HOST}/next`;
    expect((await listed({ entries: [], link: `${'<'.repeat(9)}${next}>; rel="next"` })).asked.slice(1)).toEqual([
      next,
    ]);
    expect((await listed({ entries: [], link: '<https://example.com/next>; rel="next"' })).asked).toHaveLength(1);
  });
});
