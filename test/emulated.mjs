// `npm run test:aarch64` and `npm run test:windows [-- --scale SCALE] [--only NAME]`: cross-compiles the engine for arm64
// Linux or for Windows, and runs in qemu's user mode or in wine the native tests of what must hold to the bit (EXACT in
// test/native/cpp/CMakeLists.txt). Each emulated processor of arm64 gets the flavour that the addon's loader would choose
// there; on Windows both flavours run on this processor. SCALE is an INKLING_TEST_SCALE; an emulated processor is slow, so
// the default is the fewest loops. The last line is `NAME: N passed, N failed, N skipped`; the exit code is 1 if anything
// failed.
//
// Where it cannot run it is skipped, and says why; with INKLING_AARCH64_TESTS=required or INKLING_WINDOWS_TESTS=required
// it then fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, runSuite, succeeds, sum, test, Unavailable } from './support/suites/cmake-suite.mjs';

/** `tools` are commands with Debian's packages that have them. */
const SYSTEMS = {
  aarch64: {
    toolchain: 'native/cmake/aarch64-linux-gnu.cmake',
    flavour: 'dotprod',
    tools: [
      ['aarch64-linux-gnu-g++', 'g++-aarch64-linux-gnu'],
      ['qemu-aarch64', 'qemu-user'],
    ],
    runs: [
      // ARMv8.0.
      { name: 'cortex-a72', tests: '_test$', environment: { QEMU_CPU: 'cortex-a72' } },
      // With dot products.
      { name: 'neoverse-n1', tests: '_test_dotprod$', environment: { QEMU_CPU: 'neoverse-n1' } },
      // With all that qemu knows, such as i8mm and SVE, which no flavour uses.
      { name: 'max', tests: '_test_dotprod$', environment: { QEMU_CPU: 'max' } },
    ],
  },
  windows: {
    toolchain: 'native/cmake/x86_64-w64-mingw32.cmake',
    flavour: 'avx512',
    tools: [
      ['x86_64-w64-mingw32-g++-posix', 'g++-mingw-w64-x86-64-posix'],
      ['wine', 'wine'],
    ],
    runs: [
      { name: 'avx2', tests: '_test$', environment: {} },
      { name: 'avx512', tests: '_test_avx512$', environment: {} },
    ],
  },
};
/** Of one run; whole loops take hours. */
const LIMIT_MS = 8 * 60 * 60_000;

const { name, system, options } = readArguments(process.argv.slice(2));
const runs = system.runs.filter((run) => options.only === '' || options.only === run.name);

// Wine's files: a folder that may go away, outside of the tree, since it holds a link to the root of the disk.
const scratch = mkdtempSync(path.join(os.tmpdir(), 'inkling-wine-'));
const wine = { WINEDEBUG: '-all', WINEPREFIX: path.join(scratch, 'prefix') };
process.once('SIGINT', () => {
  // Ctrl+C ends the command that runs, and so the suite, but by its error: the folder is removed.
});

await runSuite(name, process.env[`INKLING_${name.toUpperCase()}_TESTS`] === 'required', async () => {
  const missing = system.tools.filter(([command]) => !succeeds(command, ['--version']));
  if (missing.length > 0) {
    const [commands, packages] = [0, 1].map((column) => missing.map((tool) => tool[column]).join(' '));
    throw new Unavailable(`this machine has no ${commands} (apt-get install ${packages})`);
  }
  const definitions = [`-DCMAKE_TOOLCHAIN_FILE=${system.toolchain}`];
  const unbuilt = await build(name, name, definitions, ['inkling_tests', `inkling_tests_${system.flavour}`]);
  if (unbuilt !== null) return unbuilt;
  const counts = [];
  for (const run of runs) {
    counts.push(
      await test({
        suite: name,
        folder: name,
        title: run.name,
        limitMs: LIMIT_MS,
        environment: { ...wine, ...run.environment, INKLING_TEST_SCALE: options.scale },
        args: ['-R', run.tests],
      }),
    );
  }
  return sum(counts);
});
if (name === 'windows') spawnSync('wineserver', ['-k', '-w'], { stdio: 'ignore', env: { ...process.env, ...wine } });
rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

/** Ends the process where they make no sense. */
function readArguments(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { scale: { type: 'string', default: '0.02' }, only: { type: 'string', default: '' } },
      allowPositionals: true,
    });
    const [name = '', ...more] = positionals;
    if (!Object.hasOwn(SYSTEMS, name)) throw new Error(`name one of ${Object.keys(SYSTEMS).join(', ')}`);
    if (more.length > 0) throw new Error(`unknown: ${more.join(' ')}`);
    const names = SYSTEMS[name].runs.map((run) => run.name);
    if (values.only !== '' && !names.includes(values.only)) {
      throw new Error(`no run is called ${values.only}; there are ${names.join(', ')}`);
    }
    return { name, system: SYSTEMS[name], options: values };
  } catch (error) {
    console.error(`test/emulated.mjs: ${error.message}`);
    process.exit(2);
  }
}
