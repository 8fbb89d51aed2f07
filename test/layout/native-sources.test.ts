import path from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { ENGINE_ERROR_CODES } from '../../server/protocol/index.js';
import { listSources, readSource } from '../support/source-tree.js';

const CPP = /\.(cpp|h)$/;

function includesOf(file: string): readonly string[] {
  return [...readSource(file).matchAll(/^\s*#\s*include\s*[<"]([^>"]+)[>"]/gm)].map(([, header = '']) => header);
}

/** Folders of native/engine, lowest first: each includes only itself and those before it. The facade is on top. */
const ENGINE_LAYERS = ['base', 'llama', 'text', 'draft', 'state', 'slot', 'generate', 'memory', 'debug'];

describe('native sources', () => {
  test.each(ENGINE_LAYERS)('native/engine/%s includes only itself and the folders below it', (layer) => {
    const sources = listSources(`native/engine/${layer}`, CPP);
    expect(sources.length).toBeGreaterThan(0);
    const allowed = ENGINE_LAYERS.slice(0, ENGINE_LAYERS.indexOf(layer) + 1);
    const refused = sources.flatMap((file) =>
      includesOf(file)
        .filter((header) => header.startsWith('engine/') && !allowed.includes(header.split('/')[1] ?? ''))
        .map((header) => `${file} includes ${header}`),
    );
    expect(refused).toEqual([]);
  });

  test('native/engine has no other folders', () => {
    const folders = listSources('native/engine', CPP).map((file) => path.relative('native/engine', file).split('/'));
    const found = new Set(folders.filter(({ length }) => length > 1).map(([folder]) => folder));
    expect([...found].sort()).toEqual([...ENGINE_LAYERS].sort());
  });

  test('native/engine/README.md names every file', () => {
    const readme = readSource('native/engine/README.md');
    const names = listSources('native/engine', CPP).map((file) => path.basename(file).replace(CPP, ''));
    expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  test('native/engine is plain C++: no N-API, no JavaScript engine', () => {
    const offenders = listSources('native/engine', CPP).filter((file) =>
      includesOf(file).some((header) => /^(napi|node_api|js_native_api|node|uv|v8)\b/.test(header)),
    );
    expect(offenders).toEqual([]);
  });

  test('the headers of native/engine need nothing of llama.cpp', () => {
    const offenders = listSources('native/engine', /\.h$/).filter((file) =>
      includesOf(file).some((header) => /^(llama|ggml|gguf)\b/.test(header)),
    );
    expect(offenders).toEqual([]);
  });

  test('native/addon reaches llama.cpp through native/engine only', () => {
    const offenders = listSources('native/addon', CPP).filter((file) =>
      includesOf(file).some((header) => /^(llama|ggml|gguf)/.test(header)),
    );
    expect(offenders).toEqual([]);
  });

  // The backend accepts each, but it does not do what it seems to: a copied sequence ignores a pending rollback,
  // cutting a shared cell moves the end for every sharer, and a sampler inside the backend gives the index of a
  // candidate instead of a token.
  test.each(['llama_memory_seq_cp', 'llama_memory_seq_keep', 'llama_set_sampler', 'params.samplers'])(
    'native/engine does not use %s',
    (name) => {
      const word = new RegExp(`\\b${name.replace('.', '\\.')}\\b`);
      expect(listSources('native/engine', CPP).filter((file) => word.test(readSource(file)))).toEqual([]);
    },
  );

  test.each(['native/engine', 'native/addon', 'test/native/cpp', 'test/native/fuzz'])(
    '%s/CMakeLists.txt names every source',
    (folder) => {
      const cmake = readSource(`${folder}/CMakeLists.txt`);
      const words = new Set(cmake.split(/[\s()"]+/));
      const unlisted = listSources(folder, /\.cpp$/)
        .map((file) => path.relative(folder, file))
        // A test's name is its target, which is the file's name without extension.
        .filter((file) => !words.has(file) && !words.has(path.basename(file, '.cpp')));
      expect(unlisted).toEqual([]);
      expect(cmake).not.toMatch(/\bGLOB(_RECURSE)?\b/);
    },
  );

  // MSVC stops at an option that it does not know.
  test.each(['native/engine', 'native/addon', 'test/native/cpp'])('%s asks MSVC for no warnings of GCC', (folder) => {
    const conditions: string[] = [];
    const refused: string[] = [];
    for (const line of readSource(`${folder}/CMakeLists.txt`).split('\n')) {
      if (/^\s*if\(/.test(line)) conditions.push(line.trim());
      else if (/^\s*endif\(/.test(line)) conditions.pop();
      else if (/ -W(?!l,)[a-z]/.test(line) && !conditions.includes('if(NOT MSVC)')) refused.push(line.trim());
    }
    expect(refused).toEqual([]);
  });

  test('spell the error codes as the protocol does', () => {
    const native = [...readSource('native/engine/base/error.cpp').matchAll(/case error_code::\w+: return "(\w+)";/g)];
    // Codes of server and client: for a missing native part, for a model that ended a server, for a GPU that is given up, and for remote engines.
    const own = [
      'addonUnavailable',
      'ownerLost',
      'modelCrashed',
      'crashedWithModel',
      'gpuGivenUp',
      'deviceUnknown',
      'deviceUnusable',
    ];
    const expected = ENGINE_ERROR_CODES.filter((code) => !own.includes(code) && !code.startsWith('remote'));
    expect(native.map(([, code]) => code).sort()).toEqual([...expected].sort());
  });
});
