import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { notices, packageOf, product, shippedPackages } from '../../extension/notices.mjs';
import { WASM_FILES } from '../../server/grammars.mjs';
import { REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

/** Bundling takes two seconds, and longer on a busy machine. */
const BUILD_LIMIT_MS = 60_000;

const llama = path.join(REPOSITORY_ROOT, '.cache/llama.cpp-v0.5.0');

test.each([
  ['node_modules/undici/lib/core.js', 'node_modules/undici'],
  ['node_modules/@huggingface/jinja/dist/index.js', 'node_modules/@huggingface/jinja'],
  ['node_modules/a/node_modules/@b/c/d.js', 'node_modules/a/node_modules/@b/c'],
  ['node_modules\\a\\b.js', 'node_modules/a'],
  ['server/src/main.ts', null],
])('%s belongs to the package %s', (input, folder) => {
  expect(packageOf(input)).toBe(folder);
});

test(
  'every package in a bundle, every grammar and what is compiled in has its licence in the notices',
  async (context) => {
    if (!existsSync(llama)) {
      console.warn('SKIPPED, the llama.cpp source is not here; a native build fetches it.');
      context.skip();
    }
    const text = notices(await shippedPackages(), llama, 'linux-x64', ['dist/native/inkling-vulkan.node']);
    const named = (folder: string) => {
      const manifest = readFileSync(path.join(REPOSITORY_ROOT, folder, 'package.json'), 'utf8');
      const { name, version } = JSON.parse(manifest) as { name: string; version: string };
      return text.includes(`\n${name} ${version} (`);
    };
    const results = await Promise.all(product.map((options) => build({ ...options, write: false })));
    const bundled = results.flatMap(({ metafile }) =>
      Object.keys(metafile?.inputs ?? {}).flatMap((input) => packageOf(input) ?? []),
    );
    const grammars = WASM_FILES.map((file) => `node_modules/${path.dirname(file)}`);
    const all = new Set([...bundled, ...grammars, 'node_modules/node-addon-api']);
    expect(all.size).toBeGreaterThan(30);
    expect([...all].filter((folder) => !named(folder))).toEqual([]);
    for (const part of [
      'The ggml authors',
      'GNU libstdc++',
      'Mozilla Foundation',
      'Jeffrey Quesnelle',
      'Inkling Starter 55M',
      'Vulkan-Headers, with Vulkan-Hpp (Apache-2.0)',
      'SPIRV-Headers (MIT)',
    ]) {
      expect(text).toContain(part);
    }
    // The text that the notice of Vulkan's headers points to.
    const dompurify = text.split(`\n${'-'.repeat(80)}\n\n`).find((section) => section.startsWith('dompurify '));
    expect(dompurify).toMatch(/Apache License\s+Version 2\.0, January 2004/);
  },
  BUILD_LIMIT_MS,
);

test('the starter model was trained on code under permissive licences, as the shipped list says', () => {
  const [head = '', ...rows] = readSource('media/model/TRAINING_DATA.tsv').trim().split('\n');
  const columns = head.split('\t');
  const of = (row: string, column: string) => row.split('\t')[columns.indexOf(column)] ?? '';
  // Some repositories name their licence in a field of their manifest only.
  const licences = rows.flatMap((row) =>
    of(row, 'licence')
      .replace(/^field:/, '')
      .split(' AND '),
  );
  expect([...new Set(licences)].sort()).toEqual([
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'Unlicense',
  ]);
  expect(rows.filter((row) => !/^[\w.-]+\/[\w.-]+\t[0-9a-f]{40}\t/.test(row))).toEqual([]);
  expect(readSource('extension/packed-files.mjs')).toContain("'media/model/TRAINING_DATA.tsv'");
});

test('a package without a licence text cannot be shipped', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'inkling-notices-'));
  try {
    expect(() => notices(['test/fixtures/notices/no-licence'], folder, 'linux-x64', [])).toThrow(
      'no-licence 1.0.0 has no text of its licence',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a package without the Vulkan module does not name its headers', (context) => {
  if (!existsSync(llama)) context.skip();
  const text = notices([], llama, 'linux-x64', ['dist/native/inkling-cpu.node']);
  expect(text).toContain('llama.cpp and ggml (MIT)');
  expect(text).not.toMatch(/Vulkan-Headers|SPIRV/);
});

test("ggml's Vulkan backend includes no headers of others that the notices do not name", (context) => {
  if (!existsSync(llama)) context.skip();
  const folder = path.join(llama, 'ggml/src/ggml-vulkan');
  const sources = readdirSync(folder).filter((name) => /\.(?:cpp|h)$/.test(name));
  expect(sources.length).toBeGreaterThan(2);
  const included = sources.flatMap((name) =>
    [...readFileSync(path.join(folder, name), 'utf8').matchAll(/^\s*#\s*include\s+<(\w[\w-]*)\/[^>]+>/gm)].map(
      ([, from]) => from,
    ),
  );
  expect([...new Set(included)].sort()).toEqual(['spirv', 'spirv-headers', 'vulkan']);
});

test('every package has the notices', () => {
  expect(readSource('extension/package.mjs')).toContain('writeFileSync(path.join(folder, NOTICES_FILE)');
});
