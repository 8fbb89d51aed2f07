import path from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { listSources, readSource } from '../support/source-tree.js';

/**
 * What each folder may import: our folders (with a trailing slash), packages, `node:` for Node's own modules. The most
 * specific folder of a file decides. Biome reports most violations while editing; this table is closed, so that a new
 * package or folder is refused too.
 */
const ZONES: Readonly<Record<string, readonly string[]>> = {
  'server/protocol/': ['server/protocol/'],
  'server/src/': ['server/src/', 'server/protocol/', 'node:', 'vscode-languageserver-textdocument'],
  'server/src/chat/': ['server/src/', 'server/protocol/'],
  'server/src/chat/rendering/': ['server/src/chat/rendering/', 'node:', '@huggingface/jinja'],
  'server/src/engine/remote/': ['server/src/', 'server/protocol/', 'node:', 'eventsource-parser', 'undici'],
  'server/src/engine/shared/': ['server/src/', 'server/protocol/', 'node:', 'vscode-jsonrpc'],
  'server/src/prompt/': ['server/src/prompt/', 'server/protocol/'],
  'server/src/syntax/': ['server/src/syntax/', 'server/src/util/', 'node:', 'web-tree-sitter'],
  'server/src/util/': ['server/src/util/', 'server/protocol/cut-text.js', 'node:'],
  'server/src/lsp/': [
    'server/src/',
    'server/protocol/',
    'node:',
    'vscode-languageserver',
    'vscode-languageserver-textdocument',
  ],
  'extension/src/': ['extension/src/', 'server/protocol/', 'node:', 'vscode', 'vscode-languageclient'],
  'extension/src/download/': [
    'extension/src/download/',
    'server/protocol/',
    'server/src/util/files/is-in-use.js',
    'server/src/util/files/lock-file.js',
    'node:',
  ],
  'extension/src/chat/webview/': [
    'extension/src/chat/webview/',
    'server/protocol/',
    'dompurify',
    'highlight.js',
    'markdown-it',
  ],
  'extension/src/memory/webview/': ['extension/src/memory/webview/', 'server/protocol/'],
};

/** Folders in layers: each may import only those before it. Files on the top level may import all. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'server/src/completion/': [
    'cursor',
    'anchor',
    'request',
    'trigger',
    'confidence',
    'generation',
    'postprocess',
    'feedback',
  ],
  'extension/src/': [
    'texts',
    'manifest',
    'editor',
    'definitions',
    'client',
    'suggestions',
    'next-edit',
    'reports',
    'status',
    'remote',
    'download',
    'models',
    'memory',
    'chat',
    'inline-edit',
    'commit-message',
  ],
  'server/src/engine/': ['port', 'addon', 'measured', 'devices', 'shared', 'lifecycle', 'remote'],
  'server/src/models/': ['catalogue', 'gguf', 'safety', 'discovery', 'planning', 'speed'],
  'server/src/engine/remote/': ['http', 'prompts', 'kinds'],
  'server/src/chat/': ['answer', 'rendering', 'prompt'],
  'server/src/lsp/': ['connection', 'documents', 'requests'],
  'server/src/engine/shared/': ['wire'],
  'extension/src/chat/': ['webview', 'conversation', 'code', 'attachments', 'answer', 'panel'],
  'test/bench/': [
    'measure',
    'peer',
    'samples',
    'decode',
    'report',
    'typing',
    'memory',
    'next-edit',
    'quality',
    'reuse',
  ],
  'server/src/next-edit/': ['text', 'history', 'repeat', 'formats', 'rewrite', 'quiet'],
};

/** Composition roots connect all parts, so they may use the language server library like `lsp/`. */
const COMPOSITION_ROOTS = ['server/src/main.ts', 'server/src/server.ts'];

const ADDON_TYPES = 'server/src/engine/addon/addon-types.js';
const ADDON_TYPES_IMPORTERS = ['addon-engine.ts', 'load-addon.ts'].map((name) => `server/src/engine/addon/${name}`);

const sources = [...listSources('server', /\.ts$/), ...listSources('extension/src', /\.ts$/)];
const inLayers = [...sources, ...listSources('test/bench', /\.ts$/)];

describe('import zones', () => {
  test('the product has sources to look at', () => {
    expect(sources.length).toBeGreaterThan(10);
  });

  test.each(sources)('%s imports only what its folder may', (file) => {
    const allowed = allowedFor(file);
    const refused = importsOf(file).filter((target) => !allowed.some((prefix) => isWithin(target, prefix)));
    expect(refused).toEqual([]);
  });

  describe.each(Object.entries(LAYERS))('the folders of %s', (parent, layers) => {
    test.each(layers)('%s imports only folders before it', (folder) => {
      const files = inLayers.filter((file) => file.startsWith(`${parent}${folder}/`));
      expect(files.length).toBeGreaterThan(0);
      const allowed = layers.slice(0, layers.indexOf(folder) + 1).map((each) => `${parent}${each}/`);
      const climbs = files.flatMap((file) => importsOf(file).map((target) => `${file} imports ${target}`));
      const refused = climbs.filter((climb) => {
        const target = climb.split(' imports ')[1] ?? '';
        return target.startsWith(parent) && !allowed.some((prefix) => target.startsWith(prefix));
      });
      expect(refused).toEqual([]);
    });

    test('are all the folders that it has', () => {
      const folders = inLayers
        .filter((file) => file.startsWith(parent))
        .map((file) => file.slice(parent.length).split('/'));
      const found = new Set(folders.filter(({ length }) => length > 1).map(([name]) => name));
      expect([...found].sort()).toEqual([...layers].sort());
    });
  });

  test('no file imports itself by way of others', () => {
    const imported = new Map(
      inLayers.map((file) => [file, importsOf(file).map((target) => target.replace(/\.js$/, '.ts'))]),
    );
    expect(circleIn(imported)).toEqual([]);
  });

  test('only the implementation of the engine port knows the types of the addon', () => {
    const importers = sources.filter((file) => importsOf(file).includes(ADDON_TYPES));
    expect(ADDON_TYPES_IMPORTERS).toEqual(expect.arrayContaining(importers));
  });
});

function allowedFor(file: string): readonly string[] {
  if (COMPOSITION_ROOTS.includes(file)) return ZONES['server/src/lsp/'] ?? [];
  const folders = Object.keys(ZONES).filter((folder) => file.startsWith(folder));
  const closest = folders.reduce((longest, folder) => (folder.length > longest.length ? folder : longest), '');
  return ZONES[closest] ?? [];
}

/** The files of one circle of imports, types included; none where there is no circle. */
function circleIn(imported: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): readonly string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const target of imported.get(file) ?? []) {
      const circle = walk(target, [...way, file]);
      if (circle.length > 0) return circle;
    }
    done.add(file);
    return [];
  };
  for (const file of imported.keys()) {
    const circle = walk(file, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

function isWithin(target: string, prefix: string): boolean {
  const isFolderOrScheme = prefix.endsWith('/') || prefix.endsWith(':');
  return isFolderOrScheme ? target.startsWith(prefix) : target === prefix || target.startsWith(`${prefix}/`);
}

/** Specifiers of all static, dynamic and required imports; relative ones as paths from the root. */
function importsOf(file: string): readonly string[] {
  const specifiers = readSource(file).matchAll(/\b(?:from|import|import\s*\(|require\s*\()\s*'([^'\n]+)'/g);
  return [...specifiers].map(([, specifier = '']) =>
    specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier,
  );
}
