// The workbench suite: `node test/workbench/run.mjs [--install] [--update-screenshots] [--only=NAME,...] [--oldest]`. Packages
// the extension, installs it in a real VS Code workbench and drives that in a browser: `--oldest` in the oldest one that
// the extension admits. Where this cannot run it is skipped, and says
// why; with INKLING_WORKBENCH=required it then fails. The last line is
// `workbench: N passed, N failed, N skipped`; the exit code is 1 if anything failed.
// `--only=memory,chat` runs those parts of driver.ts; `extension-host` is the part that runs inside it.
//
// Without --install, and unless it is required, a machine on which the workbench was never installed skips: the
// installation takes minutes and 830 MB, which `npm test` must not cost everybody.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installedWorkbench, installWorkbench, RELEASES } from './install.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const output = path.join(root, 'test/.output/workbench');
const PICTURES = path.join(root, 'media/screenshots');
const PACKAGE_TIME_LIMIT_MS = 5 * 60_000;
const TIME_LIMIT_MS = 28 * 60_000;

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Parts that `npm test` leaves to `npm test -- --all`. */
const LONG_PARTS = [
  'looks',
  'next-edit-looks',
  'german',
  'windows',
  'models',
  'remote',
  'hang',
  'memory',
  'walkthrough',
  'chat',
  'inline-edit',
  'trust',
];

/** The reason why the suite cannot run on this machine. */
class Unavailable extends Error {}

async function main() {
  const options = parseArguments(process.argv.slice(2));
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Unavailable(
      `code-server is installed on x64 and arm64 Linux only, and this is ${process.arch} ${process.platform}`,
    );
  }
  const chromium = findChromium();
  const workbench = await findWorkbench(options.release, options.install);

  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const vsix = path.join(output, 'inkling.vsix');
  await makePackage(vsix);
  // The driver is TypeScript; making the package has just built it with all other bundles.
  const { runWorkbenchTests } = createRequire(import.meta.url)(path.join(root, 'dist/test/workbench/driver.js'));
  return runWorkbenchTests({
    workbench,
    chromium,
    vsix,
    root,
    output,
    pictures: options.updateScreenshots ? PICTURES : null,
    only: options.only,
    leaveOut: options.leaveOut,
  });
}

function parseArguments(args) {
  const known = ['--install', '--update-screenshots', '--oldest'];
  const only = args.find((each) => each.startsWith('--only='))?.slice('--only='.length);
  const unknown = args.filter((each) => !known.includes(each) && !each.startsWith('--only='));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}; known: ${known.join(' ')} --only=NAME,...`);
  const leaveOut = process.env.INKLING_TEST_SCALE === 'quick' ? LONG_PARTS : [];
  if (only === undefined && leaveOut.length > 0) {
    console.log(`workbench: leaves out ${leaveOut.join(', ')}; npm test -- --all --only workbench runs them`);
  }
  return {
    leaveOut,
    release: args.includes('--oldest') ? RELEASES.oldest : RELEASES.newest,
    install: args.includes('--install') || isRequired(),
    only: only?.split(',') ?? null,
    updateScreenshots: args.includes('--update-screenshots'),
  };
}

function isRequired() {
  return process.env.INKLING_WORKBENCH === 'required';
}

function findChromium() {
  const chosen = process.env.INKLING_CHROMIUM;
  const found = (chosen ? [chosen] : BROWSERS).find((each) => existsSync(each));
  if (found !== undefined) return found;
  throw new Unavailable(
    chosen
      ? `INKLING_CHROMIUM is ${chosen}, which does not exist`
      : 'there is no Chromium (Debian: apt-get install chromium; elsewhere set INKLING_CHROMIUM)',
  );
}

async function findWorkbench(release, install) {
  const installed = installedWorkbench(release);
  if (installed !== undefined) return installed;
  if (!install) {
    throw new Unavailable(
      'the workbench is not installed yet; `npm run test:workbench` installs it (830 MB) and runs this',
    );
  }
  try {
    return await installWorkbench(release, console.log);
  } catch (error) {
    throw new Unavailable(`the workbench cannot be installed: ${error.message}`);
  }
}

/** Like `npm run package`. */
function makePackage(vsix) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['extension/package.mjs', vsix], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: PACKAGE_TIME_LIMIT_MS,
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error('the extension cannot be packaged'))));
  });
}

/** Prints the last line and ends, even if a browser or a timer is still open. */
function finish({ passed, failed, skipped }) {
  process.exitCode = failed > 0 ? 1 : 0;
  process.stdout.write(`workbench: ${passed} passed, ${failed} failed, ${skipped} skipped\n`, () => process.exit());
}

function fail(message) {
  console.log(`workbench: FAILED: ${message}`);
  finish({ passed: 0, failed: 1, skipped: 0 });
}

// Either signal ends all started processes: each part ends its own when this process exits.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => fail(`ended by ${signal}`));
setTimeout(() => fail(`it took longer than ${TIME_LIMIT_MS / 60_000} minutes`), TIME_LIMIT_MS).unref();

try {
  finish(await main());
} catch (error) {
  if (!(error instanceof Unavailable)) fail(error.stack);
  else if (isRequired()) fail(`required, but ${error.message}`);
  else {
    console.log(`workbench: SKIPPED: ${error.message}`);
    finish({ passed: 0, failed: 0, skipped: 1 });
  }
}
