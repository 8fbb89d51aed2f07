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
    [{ path: STARTER_MODEL, contextLength: -1 }, 'options.contextLength'],
  ])('refuses %o and names %s', (options, name) => {
    expect(() => addon.estimateMemory(options as never)).toThrow(
      expect.objectContaining({ code: 'invalidArgument', message: expect.stringContaining(name) }),
    );
  });
});
