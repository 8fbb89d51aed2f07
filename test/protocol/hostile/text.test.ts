import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { STATUS_REQUEST, WORKSPACE_NOTIFICATION } from '../../../server/protocol/index.js';
import { ServerProcess } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

it('survives a text that traps a grammar, and keeps the grammar for other documents', async () => {
  const server = new ServerProcess();
  try {
    await server.initialize({ enabled: false });
    const heredocs = Array.from({ length: 1_200 }, (_, index) => `<<~EOF${index}`).join(' + ');
    await server.open('file:///work/trap.rb', 'ruby', `x = ${heredocs}\n`);
    await expect
      .poll(() => server.logs.filter((line) => line.includes('grammar failed')))
      .toEqual([expect.stringMatching(/^The ruby grammar failed in file:\/\/\/work\/trap\.rb/)]);
    const loaded = () => server.logs.filter((line) => line.startsWith('The ruby grammar is loaded')).length;
    expect(loaded()).toBe(1);
    await server.open('file:///work/a.rb', 'ruby', 'def f\n  1\nend\n');
    await expect.poll(loaded).toBe(2);
    expect(server.logs.filter((line) => line.includes('grammar failed'))).toHaveLength(1);
  } finally {
    await server.dispose();
  }
});

it('answers while it reads blank lines behind an import, and names compared with a hostile glob', async () => {
  const folder = new TemporaryFolder();
  const server = new ServerProcess();
  try {
    const root = pathToFileURL(folder.path).href;
    await server.initialize({ enabled: false }, root);
    const exclude = ['**/*a*a*a*a*a*a*a*b', 'a/**/a/**/a/**/b'];
    writeFileSync(folder.file('.gitignore'), `${exclude.join('\n')}\n`);
    await server.connection.sendNotification(WORKSPACE_NOTIFICATION, { trusted: true, exclude });
    await server.open(`${root}/${'a'.repeat(240)}`, 'typescript', `import${'\n'.repeat(100_000)}`);
    await server.open(`${root}/B.java`, 'java', '\n'.repeat(100_000));
    for (let second = 0; second < 3; second++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'late'));
      expect(await Promise.race([server.connection.sendRequest(STATUS_REQUEST), late])).not.toBe('late');
    }
  } finally {
    await server.dispose();
    folder.dispose();
  }
});

it.each([
  ['uncaughtException', 'throw new TypeError("a bug");'],
  ['unhandledRejection', 'Promise.reject(new TypeError("a bug"));'],
])('ends after an %s, with its stack in the log', async (origin, bug) => {
  const folder = new TemporaryFolder();
  writeFileSync(folder.file('bug.cjs'), `process.on('SIGUSR2', () => { ${bug} });`);
  const server = new ServerProcess({ environment: { NODE_OPTIONS: `--require ${folder.file('bug.cjs')}` } });
  try {
    await server.initialize({ enabled: false });
    server.child.kill('SIGUSR2');
    expect(await server.exited()).toBe(1);
    const stack = new RegExp(`The server ends after an ${origin}: TypeError: a bug\\n +at .*bug\\.cjs`);
    expect(server.stderr).toMatch(stack);
    expect(server.logs).toContainEqual(expect.stringMatching(stack));
  } finally {
    await server.dispose();
    folder.dispose();
  }
});
