// Makes dist/THIRD_PARTY_NOTICES.txt of a package: the licence of everything in it that others have written. It is not in
// the repository: only the bundler knows which packages a bundle contains.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { product } from '../esbuild.mjs';
import { WASM_FILES } from '../server/grammars.mjs';

const root = path.resolve(import.meta.dirname, '..');

export { product };

export const NOTICES_FILE = 'dist/THIRD_PARTY_NOTICES.txt';

/** Headers that the addon is compiled with. */
const COMPILED_PACKAGES = ['node_modules/node-addon-api', 'node_modules/node-api-headers'];

/** Parts of those packages that their licence files do not name. */
const EMBEDDED = [
  'llhttp, as WebAssembly within undici (MIT)\n\nCopyright Fedor Indutny, 2018. The text of the MIT licence is the one of undici above.\n',
];

/** The module that ggml's Vulkan backend is compiled into, and whose headers it takes. */
const VULKAN_MODULE = 'inkling-vulkan.node';
const VULKAN_HEADERS = [
  'Vulkan-Headers, with Vulkan-Hpp (Apache-2.0)\n\nCopyright 2014-2025 The Khronos Group Inc. The text of the Apache License 2.0 is the one of dompurify above.\n',
  `SPIRV-Headers (MIT)

Copyright (c) 2014-2024 The Khronos Group Inc.

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and/or associated documentation files (the "Materials"),
to deal in the Materials without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Materials, and to permit persons to whom the
Materials are furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Materials.

MODIFICATIONS TO THIS FILE MAY MEAN IT NO LONGER ACCURATELY REFLECTS KHRONOS
STANDARDS. THE UNMODIFIED, NORMATIVE VERSIONS OF KHRONOS SPECIFICATIONS AND
HEADER INFORMATION ARE LOCATED AT https://www.khronos.org/registry/

THE MATERIALS ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS
OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
FROM,OUT OF OR IN CONNECTION WITH THE MATERIALS OR THE USE OR OTHER DEALINGS
IN THE MATERIALS.
`,
];

const TRAINING_DATA = 'media/model/TRAINING_DATA.tsv';

/** Of the cross compiler's package, on Debian and Ubuntu. */
const MINGW_LICENCES = '/usr/share/doc/mingw-w64-common/copyright';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|thirdpartynotices?)\b/i;

/** Sources of llama.cpp under a notice of their own, which is the comment that contains this text. */
const NOTICED_SOURCES = [
  ['ggml/src/ggml-cpu/llamafile/sgemm.cpp', 'Copyright 2024 Mozilla Foundation'],
  ['ggml/src/ggml-cpu/ops.cpp', 'Copyright (c) 2023 Jeffrey Quesnelle and Bowen Peng'],
];

/** Folders of the npm packages in the bundles, from the root, sorted. */
async function bundledPackages() {
  const results = await Promise.all(
    product.map(({ plugins = [], ...options }) => build({ ...options, plugins, write: false })),
  );
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return [...new Set(inputs.flatMap((input) => packageOf(input) ?? []))].sort();
}

/** The innermost package that a file belongs to; null for a file of Inkling. */
export function packageOf(input) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.replaceAll('\\', '/'))?.[0] ?? null;
}

/**
 * @param packages folders of npm packages, from the root
 * @param llamaDirectory the source that the addon is built from
 * @param target which the package is for
 * @param modules paths of its native modules
 */
export function notices(packages, llamaDirectory, target, modules) {
  const sections = [
    ...packages.map(packageNotice),
    ...EMBEDDED,
    ...llamaNotices(llamaDirectory),
    ...(modules.some((module) => path.basename(module) === VULKAN_MODULE) ? VULKAN_HEADERS : []),
    ...compilerNotices(target),
    starterNotice(),
  ];
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return `Inkling contains software of others. This file names each part with its licence.\n${rule}${sections.join(rule)}`;
}

/** What GCC links into native modules. Other compilers demand no notice. */
function compilerNotices(target) {
  const isMingw = target.startsWith('win32-') && process.platform !== 'win32';
  if (!isMingw && !target.startsWith('linux-')) return [];
  const libraries =
    'GNU libstdc++ and libgcc (GPL-3.0 with the GCC Runtime Library Exception 3.1)\n\nThe native modules contain parts of them, as that exception permits.\n';
  if (!isMingw) return [libraries];
  return [libraries, `mingw-w64, with winpthreads\n\n${readFileSync(MINGW_LICENCES, 'utf8').trim()}\n`];
}

/** The model contains none of these repositories, but whoever gets it may ask what it was trained on. */
function starterNotice() {
  const [, ...repositories] = readFileSync(path.join(root, TRAINING_DATA), 'utf8').trim().split('\n');
  return (
    'Inkling Starter 55M (media/model)\n\nThe model is a part of Inkling. It was trained on public repositories under ' +
    `permissive licences. ${TRAINING_DATA} names all ${repositories.length} with their commits and licences.\n`
  );
}

/** @throws Error for a package without the text of its licence: nobody may ship it */
function packageNotice(folder) {
  const absolute = path.join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(path.join(absolute, 'package.json'), 'utf8'));
  const files = readdirSync(absolute).filter((file) => LICENCE_FILE.test(file));
  if (files.length === 0) throw new Error(`${name} ${version} has no text of its licence (${license})`);
  const texts = files.sort().map((file) => readFileSync(path.join(absolute, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

function llamaNotices(directory) {
  const read = (file) => readFileSync(path.join(directory, file), 'utf8');
  const own = NOTICED_SOURCES.map(([file, text]) => `llama.cpp, ${file}\n\n${commentWith(read(file), text, file)}\n`);
  return [`llama.cpp and ggml (MIT)\n\n${read('LICENSE').trim()}\n`, ...own];
}

/** The lines of `//` around the text. */
function commentWith(source, text, file) {
  const lines = source.split(/\r?\n/);
  const found = lines.findIndex((line) => line.includes(text));
  if (found < 0) throw new Error(`${file} no longer says ${JSON.stringify(text)}: look at its notice again`);
  const isComment = (line) => line?.startsWith('//') === true;
  let [first, last] = [found, found];
  while (isComment(lines[first - 1])) first -= 1;
  while (isComment(lines[last + 1])) last += 1;
  return lines
    .slice(first, last + 1)
    .join('\n')
    .replaceAll(/^\/\/ ?/gm, '');
}

/** The source that the addon is built from. */
function llamaSource() {
  if (process.env.INKLING_LLAMA_DIR) return process.env.INKLING_LLAMA_DIR;
  const fetched = spawnSync(process.execPath, ['native/fetch-llama.mjs'], { cwd: root, encoding: 'utf8' });
  const directory = fetched.stdout.trim();
  if (fetched.status !== 0 || !existsSync(directory))
    throw new Error(`there is no llama.cpp source: ${fetched.stderr}`);
  return directory;
}

/** All packages that are shipped or compiled in: folders from the root. */
export async function shippedPackages() {
  const grammars = WASM_FILES.map((file) => `node_modules/${path.dirname(file)}`);
  return [...new Set([...(await bundledPackages()), ...grammars, ...COMPILED_PACKAGES])].sort();
}

export async function packageNotices(target, modules) {
  return notices(await shippedPackages(), llamaSource(), target, modules);
}
