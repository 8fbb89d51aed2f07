// Bundles all TypeScript into dist/: `node esbuild.mjs [--watch] [--minify]`. Leaves dist/native to the native build,
// and copies dist/grammars from npm packages.
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { context } from 'esbuild';
import { copyGrammars } from './server/grammars.mjs';
import { isMain } from './test/support/is-main.mjs';

const root = import.meta.dirname;
const isStarted = isMain(import.meta.url);
const options = isStarted ? process.argv.slice(2) : [];
const watch = options.includes('--watch');
const minify = options.includes('--minify');

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify,
  sourcemap: !minify,
  // dist/THIRD_PARTY_NOTICES.txt has the licences; what a source says of itself stays as well.
  legalComments: 'eof',
  metafile: true,
  logLevel: 'silent',
};
// VS Code loads extensions as CommonJS; the server uses the same format.
const node = { ...shared, platform: 'node', format: 'cjs', target: 'node20' };

/** Three times as large as the rest of the server, and needed only for a remote server, so it is loaded only then. */
const httpApart = {
  name: 'http-apart',
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, () => ({ path: './undici.js', external: true }));
  },
};

/** Builds whose output is part of the package. */
export const product = [
  { ...node, entryPoints: ['extension/src/main.ts'], outfile: 'dist/extension.js', external: ['vscode'] },
  {
    ...node,
    entryPoints: ['server/src/main.ts'],
    outfile: 'dist/server.js',
    // The bundle is also the bin `inkling-server`.
    banner: { js: '#!/usr/bin/env node' },
    plugins: [httpApart],
  },
  { ...node, entryPoints: ['server/src/chat/rendering/template-worker.ts'], outfile: 'dist/template-worker.js' },
  { ...node, entryPoints: ['node_modules/undici/index.js'], outfile: 'dist/undici.js' },
  {
    ...shared,
    entryPoints: ['extension/src/chat/webview/main.ts'],
    outfile: 'dist/chat-webview.js',
    platform: 'browser',
    format: 'iife',
    target: 'es2023',
  },
  {
    ...shared,
    entryPoints: ['extension/src/memory/webview/main.ts'],
    outfile: 'dist/memory-webview.js',
    platform: 'browser',
    format: 'iife',
    target: 'es2023',
  },
];

/** Test tools run inside the checkout, so their packages stay in node_modules. */
const tool = { ...node, minify: false, sourcemap: true, packages: 'external' };
const tools = [
  { ...tool, entryPoints: ['test/session/main.ts'], outfile: 'dist/test/session.js' },
  { ...tool, entryPoints: ['test/doctor/main.ts'], outfile: 'dist/test/doctor.js' },
  { ...tool, entryPoints: ['test/bench/main.ts'], outfile: 'dist/test/bench.js' },
  { ...tool, entryPoints: ['test/soak/main.ts'], outfile: 'dist/test/soak.js' },
  { ...tool, entryPoints: workbenchEntryPoints(), outdir: 'dist/test/workbench', outbase: 'test/workbench' },
];

/** The drivers in test/workbench, and the Mocha suite that runs inside the extension host. */
function workbenchEntryPoints() {
  const drivers = readdirSync(path.join(root, 'test/workbench')).filter((name) => name.endsWith('.ts'));
  return [...drivers, 'suite/index.ts'].map((name) => `test/workbench/${name}`);
}

let running = 0;

/** Reports each build (sizes, warnings and errors) between the two lines that .vscode/tasks.json waits for. */
const report = {
  name: 'report',
  setup(build) {
    build.onStart(() => {
      if (watch && running === 0) console.log('[watch] build started');
      running += 1;
    });
    build.onEnd((result) => {
      for (const severity of ['error', 'warning']) {
        for (const { text, location } of result[`${severity}s`]) {
          const where = location ? `${location.file}:${location.line}:${location.column + 1}: ` : '';
          console.error(`${where}${severity}: ${text}`);
        }
      }
      for (const [file, output] of Object.entries(result.metafile?.outputs ?? {})) {
        if (file.endsWith('.js')) console.log(`${(output.bytes / 1024).toFixed(1).padStart(9)} KiB  ${file}`);
      }
      if (existsSync(path.join(root, 'dist/server.js'))) chmodSync(path.join(root, 'dist/server.js'), 0o755);
      running -= 1;
      if (watch && running === 0) console.log('[watch] build finished');
    });
  },
};

async function bundle() {
  const builds = [...product, ...tools].map((each) => ({ ...each, plugins: [...(each.plugins ?? []), report] }));
  copyGrammars(path.join(root, 'dist/grammars'));
  const contexts = await Promise.all(builds.map((each) => context(each)));
  if (watch) {
    await Promise.all(contexts.map((each) => each.watch()));
    return;
  }
  const results = await Promise.allSettled(contexts.map((each) => each.rebuild()));
  await Promise.all(contexts.map((each) => each.dispose()));
  if (results.some(({ status }) => status === 'rejected')) {
    process.exitCode = 1;
    return;
  }
  // For test/support/ensure-built.mjs. Packages change with package-lock.json only.
  const inputs = new Set(results.flatMap(({ value }) => Object.keys(value.metafile.inputs)));
  const own = [...inputs].filter((file) => !file.startsWith('node_modules/')).sort();
  writeFileSync(path.join(root, 'dist/bundles.inputs'), `${own.join('\n')}\n`);
}

// extension/notices.mjs only asks what is in the bundles.
if (isStarted) {
  const unknown = options.filter((each) => each !== '--watch' && each !== '--minify');
  if (unknown.length === 0) await bundle();
  else {
    console.error(`unknown: ${unknown.join(' ')}; known: --watch --minify`);
    process.exitCode = 2;
  }
}
