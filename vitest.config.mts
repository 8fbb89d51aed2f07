import { defineConfig } from 'vitest/config';

/** Suites that start the engine or the server share the cores with it: two files at a time, and time to load. */
const withEngine = { testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 2 };

export default defineConfig({
  test: {
    projects: [
      // Without a worker for each file it takes half as long: importing and starting is most of what these cost.
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], pool: 'threads', isolate: false } },
      { test: { name: 'layout', include: ['test/layout/**/*.test.ts'] } },
      { test: { name: 'native-js', include: ['test/native/js/**/*.test.ts'], pool: 'forks', ...withEngine } },
      { test: { name: 'model', include: ['test/model/**/*.test.ts'], pool: 'forks', ...withEngine } },
      { test: { name: 'protocol', include: ['test/protocol/**/*.test.ts'], ...withEngine } },
    ],
  },
});
