// The sanitize suite: `node test/sanitize.mjs`. Builds the engine, its tests and llama.cpp twice, with the address
// sanitizer (leaks included; undefined behaviour in our own code) and with the thread sanitizer, and runs the ctests of
// each build. A finding fails its test. The last line is `sanitize: N passed, N failed, N skipped`; the exit code is 1
// if anything failed. SIGTERM ends it earlier: the rest then counts as skipped.
//
// Where it cannot run it is skipped, and says why; with INKLING_SANITIZE_TESTS=required it then fails.
import { build, runSuite, succeeds, sum, test, Unavailable } from './support/suites/cmake-suite.mjs';

const sanitizers = [
  {
    name: 'address',
    environment: {
      // Memory that is not there is refused, as it is without the sanitizer: a test asks for too much of it.
      ASAN_OPTIONS: [
        'detect_leaks=1',
        'detect_stack_use_after_return=1',
        'strict_string_checks=1',
        'check_initialization_order=1',
        'allocator_may_return_null=1',
        // llama.cpp allocates 114 MB for each graph and uses little of it. The shadow of that is 3,500 small pages.
        'no_huge_pages_for_shadow=0',
      ].join(':'),
      UBSAN_OPTIONS: 'print_stacktrace=1',
    },
    launcher: [],
  },
  {
    name: 'thread',
    environment: { TSAN_OPTIONS: 'second_deadlock_stack=1:history_size=4:allocator_may_return_null=1' },
    // The sanitizer does not start if the kernel moves mappings beyond the reach of its shadow memory.
    launcher: succeeds('setarch', ['-R', 'true']) ? ['setarch', '-R'] : [],
  },
];

await runSuite('sanitize', process.env.INKLING_SANITIZE_TESTS === 'required', async () => {
  if (process.platform !== 'linux') throw new Unavailable(`it runs on Linux only, and this is ${process.platform}`);
  const counts = [];
  for (const { name, environment, launcher } of sanitizers) {
    const unbuilt = await build('sanitize', name, [`-DINKLING_SANITIZE=${name}`], ['inkling_tests']);
    counts.push(
      unbuilt ??
        (await test({
          suite: 'sanitize',
          folder: name,
          environment: { ...environment, INKLING_TEST_SCALE: 'small' },
          launcher,
        })),
    );
  }
  return sum(counts);
});
