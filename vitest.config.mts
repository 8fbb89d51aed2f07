import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A busy machine takes ten times as long; no limit of time is a demand on the code. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 50_000 } } };

/**
 * Suites that start the engine or the server share the cores with it, and need time to load. They wait for timers and
 * other processes a third of the time, so three files run at a time on two cores.
 */
const withEngine = { ...patient, testTimeout: 180_000, hookTimeout: 180_000, maxWorkers: 3 };

/** The longest files of their suites. One that starts last leaves the other cores idle. */
const LONG = [
  'linear-work.test.ts',
  'any-answers.test.ts',
  'gpu.test.ts',
  'vulkan.test.ts',
  'watchdog.test.ts',
  'hostile-header.test.ts',
  'header-numbers.test.ts',
  'shared-engine.test.ts',
  'faults/server.test.ts',
  'models.test.ts',
  'hostile/client.test.ts',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          // Without a worker for each file it takes half as long: importing and starting is most of what these cost.
          pool: 'threads',
          isolate: false,
          // By default one core is left idle.
          maxWorkers: '100%',
          ...patient,
        },
      },
      { test: { name: 'layout', include: ['test/layout/**/*.test.ts'], ...patient } },
      { test: { name: 'native-js', include: ['test/native/js/**/*.test.ts'], pool: 'forks', ...withEngine } },
      { test: { name: 'model', include: ['test/model/**/*.test.ts'], pool: 'forks', ...withEngine } },
      { test: { name: 'package', include: ['test/package/**/*.test.ts'], ...withEngine, maxWorkers: 1 } },
      { test: { name: 'protocol', include: ['test/protocol/**/*.test.ts'], ...withEngine } },
    ],
  },
});
