import { readFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArguments, USAGE } from './arguments.js';
import { answerEstimates } from './engine/addon/answer-estimates.js';
import { answerProbe } from './engine/devices/answer-probe.js';
import { startServer } from './server.js';

// The bundle is dist/server.js; its files lie beside it, in a checkout and in the installed extension.
const bundleDirectory = __dirname;
const packageDirectory = resolve(bundleDirectory, '..');

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null;
  return typeof version === 'string' ? version : 'unknown';
}

/** The process ends by itself as soon as it is done: drivers may have threads of their own that never end. */
function probe(skipped: readonly string[]): void {
  // The server that asked is gone.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  answerProbe(nativeDirectory, process.env, skipped, (text) => writeSync(process.stdout.fd, text)).then(
    () => process.exit(),
    (error: unknown) => {
      process.stderr.write(`inkling-server: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}

const nativeDirectory = process.env.INKLING_NATIVE_DIR ?? join(bundleDirectory, 'native');
const command = parseArguments(process.argv.slice(2));
switch (command.kind) {
  case 'version':
    process.stdout.write(`inkling-server ${readVersion()}\n`);
    break;
  case 'help':
    process.stdout.write(USAGE);
    break;
  case 'mistake':
    process.stderr.write(`inkling-server: ${command.message}\n\n${USAGE}`);
    process.exitCode = 2;
    break;
  case 'estimates':
    answerEstimates(nativeDirectory, process.env);
    break;
  case 'devices':
    probe(command.skipped);
    break;
  case 'serve':
    startServer({
      transport: command.transport,
      program: __filename,
      templateWorker: join(bundleDirectory, 'template-worker.js'),
      nativeDirectory,
      grammarsDirectory: join(bundleDirectory, 'grammars'),
      starterModelPath: join(packageDirectory, 'media', 'model', 'inkling-starter-55m-Q4_K_M.gguf'),
      stateDirectory: process.env.INKLING_STATE_DIR ?? null,
      version: readVersion(),
      environment: process.env,
    });
    break;
}
