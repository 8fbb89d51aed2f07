import { expect, it } from 'vitest';
import { ServerProcess } from '../support/servers/server-process.js';

it('loads the grammar of a document from beside the bundle when it is opened', async () => {
  const server = new ServerProcess();
  try {
    await server.initialize({ enabled: false });
    await server.open('file:///work/a.py', 'python', 'def f():\n    return 1\n');
    await server.open('file:///work/a.rs', 'rust', 'fn f() {}\n');
    await expect
      .poll(() => server.logs.filter((line) => line.includes('grammar')).sort())
      .toEqual([
        expect.stringMatching(/^The python grammar is loaded \(\d+ ms\)$/),
        expect.stringMatching(/^The rust grammar is loaded \(\d+ ms\)$/),
      ]);
  } finally {
    await server.dispose();
  }
});
