// `npm run test:aarch64 [-- --scale SCALE] [--only PROCESSOR]`: cross-compiles the engine for arm64 Linux, and runs in
// qemu's user mode the native tests of what must hold to the bit (EXACT in test/native/cpp/CMakeLists.txt). Each emulated
// processor gets the flavour that the addon's loader would choose there. SCALE is an INKLING_TEST_SCALE; an emulated
// processor is slow, so the default is the fewest loops. The last line is `aarch64: N passed, N failed, N skipped`; the
// exit code is 1 if anything failed.
//
// Where it cannot run it is skipped, and says why; with INKLING_AARCH64_TESTS=required it then fails.
import { parseArgs } from 'node:util';
import { build, runSuite, succeeds, sum, test, Unavailable } from './support/cmake-suite.mjs';

const processors = [
  // ARMv8.0.
  { name: 'cortex-a72', tests: '_test$' },
  // With dot products.
  { name: 'neoverse-n1', tests: '_test_dotprod$' },
  // With all that qemu knows, such as i8mm and SVE, which no flavour uses.
  { name: 'max', tests: '_test_dotprod$' },
];
/** Of one processor; whole loops take hours. */
const LIMIT_MS = 8 * 60 * 60_000;
const TOOLS = [
  ['aarch64-linux-gnu-g++', 'g++-aarch64-linux-gnu'],
  ['qemu-aarch64', 'qemu-user'],
];

const { values: options } = parseArgs({
  options: { scale: { type: 'string', default: '0.02' }, only: { type: 'string', default: '' } },
});

runSuite('aarch64', process.env.INKLING_AARCH64_TESTS === 'required', () => {
  const missing = TOOLS.filter(([command]) => !succeeds(command, ['--version']));
  if (missing.length > 0) {
    const [commands, packages] = [0, 1].map((column) => missing.map((tool) => tool[column]).join(' '));
    throw new Unavailable(`this machine has no ${commands} (apt-get install ${packages})`);
  }
  const definitions = ['-DCMAKE_TOOLCHAIN_FILE=native/cmake/aarch64-linux-gnu.cmake'];
  if (!build('aarch64', 'aarch64', definitions, ['inkling_tests', 'inkling_tests_dotprod'])) {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  return sum(
    processors
      .filter(({ name }) => options.only === '' || options.only === name)
      .map(({ name, tests }) =>
        test({
          suite: 'aarch64',
          folder: 'aarch64',
          title: name,
          limitMs: LIMIT_MS,
          environment: { QEMU_CPU: name, INKLING_TEST_SCALE: options.scale },
          args: ['-R', `^(architecture|batch_blocks|exact_rows|few_rows|reuse_property)${tests}`],
        }),
      ),
  );
});
