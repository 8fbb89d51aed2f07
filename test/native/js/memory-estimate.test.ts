import { afterAll, describe, expect, test } from 'vitest';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const addon = openAddon();
const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

describe('estimateMemory', () => {
  test.each([
    { contextLength: 512 },
    { contextLength: 4096, kvType: 'q8_0' as const },
    { contextLength: 2048, mtp: false },
  ])('predicts the report after a load with %o', async (options) => {
    const estimate = await addon.estimateMemory({ path: STARTER_MODEL, ...options });
    const engine = new addon.Engine();
    await engine.load({ path: STARTER_MODEL, ...options });
    const report = engine.memory();
    await engine.close();
    expect(estimate.totalBytes / report.totalBytes).toBeGreaterThan(0.95);
    expect(estimate.totalBytes / report.totalBytes).toBeLessThan(1.05);
    expect(estimate).toMatchObject({ contextLength: options.contextLength, checkpointBytes: 0 });
    expect(estimate.neededBytes).toBeGreaterThan(estimate.totalBytes);
    expect(estimate.bytesPerToken).toBeGreaterThan(1000);
    expect(estimate.availableBytes).toBeGreaterThan(0);
  });

  test('reports what is wrong with the file', async () => {
    const path = folder.file('missing.gguf');
    await expect(addon.estimateMemory({ path })).rejects.toMatchObject({ code: 'fileNotFound' });
  });

  test.each([
    [undefined, 'options'],
    [{ path: 7 }, 'options.path'],
    [{ path: STARTER_MODEL, memoryLimitBytes: -1 }, 'options.memoryLimitBytes'],
  ])('refuses %o and names %s', (options, name) => {
    expect(() => addon.estimateMemory(options as never)).toThrow(
      expect.objectContaining({ code: 'invalidArgument', message: expect.stringContaining(name) }),
    );
  });
});

test('a load beyond memoryLimitBytes is refused with the numbers, and the engine stays usable', async () => {
  const engine = new addon.Engine();
  await expect(engine.load({ path: STARTER_MODEL, contextLength: 2048, memoryLimitBytes: 50e6 })).rejects.toMatchObject(
    {
      code: 'outOfMemory',
      message: expect.stringMatching(/needs \d+ MiB; the limit is 48 MiB\. No context length would fit/),
    },
  );
  await expect(
    engine.load({ path: STARTER_MODEL, contextLength: 2048, memoryLimitBytes: 500e6 }),
  ).resolves.toMatchObject({ contextLength: 2048 });
  await engine.close();
});
