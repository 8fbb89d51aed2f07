import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { TemplateRenderer } from '../../../../server/src/chat/rendering/template-renderer.js';
import { isAlive } from '../../../../server/src/util/is-alive.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

/** Hangs in its start unless a file is there. */
const PROGRAM = `
const { existsSync, writeFileSync } = require('node:fs');
writeFileSync(__dirname + '/pid', String(process.pid));
process.on('disconnect', () => process.exit());
process.on('message', () => process.send({ kind: 'text', text: 'fine' }));
if (existsSync(__dirname + '/ready')) process.send('hello');
`;

it('limits the wait for the start of its process, and starts it again for the next template', async () => {
  const program = folder.file('program.cjs');
  writeFileSync(program, PROGRAM);
  const renderer = new TemplateRenderer({ program, environment: process.env, startLimitMs: 1_500 });
  const job = { source: '', variables: {} };
  try {
    expect(await renderer.render(job)).toEqual({ kind: 'render', message: 'no process can be started' });
    const pid = Number(readFileSync(folder.file('pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
    writeFileSync(folder.file('ready'), '');
    expect(await renderer.render(job)).toEqual({ kind: 'text', text: 'fine' });
  } finally {
    renderer.dispose();
  }
}, 60_000);
