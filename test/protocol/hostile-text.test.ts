import { expect, it } from 'vitest';
import { ServerProcess } from '../support/server-process.js';

it('survives a text that traps a grammar, and keeps the grammar for other documents', async () => {
  const server = new ServerProcess();
  try {
    await server.initialize({ enabled: false });
    const heredocs = Array.from({ length: 1_200 }, (_, index) => `<<~EOF${index}`).join(' + ');
    await server.open('file:///work/trap.rb', 'ruby', `x = ${heredocs}\n`);
    await expect
      .poll(() => server.logs.filter((line) => line.includes('grammar failed')), { timeout: 20_000 })
      .toEqual([expect.stringMatching(/^The ruby grammar failed in file:\/\/\/work\/trap\.rb/)]);
    const loaded = () => server.logs.filter((line) => line.startsWith('The ruby grammar is loaded')).length;
    expect(loaded()).toBe(1);
    await server.open('file:///work/a.rb', 'ruby', 'def f\n  1\nend\n');
    await expect.poll(loaded, { timeout: 20_000 }).toBe(2);
    expect(server.logs.filter((line) => line.includes('grammar failed'))).toHaveLength(1);
  } finally {
    await server.dispose();
  }
});
