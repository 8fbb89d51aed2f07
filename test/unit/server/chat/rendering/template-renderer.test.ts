import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TemplateRenderer } from '../../../../../server/src/chat/rendering/template-renderer.js';
import { isAlive } from '../../../../../server/src/util/files/is-alive.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

/** Counts its starts. Hangs in each one unless a file is there. Some templates get no answer. */
const PROGRAM = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
appendFileSync(__dirname + '/pids', process.pid + ' ');
const starts = readFileSync(__dirname + '/pids', 'utf8').trim().split(' ').length;
process.on('disconnect', () => process.exit());
process.on('message', ({ source }) => {
  if (source === 'dies') process.exit(1);
  if (source !== 'waits' && (source !== 'waits once' || starts > 1)) process.send({ kind: 'text', text: 'fine' });
});
if (existsSync(__dirname + '/ready')) process.send('hello');
`;

let folder: TemporaryFolder;
let renderer: TemplateRenderer;

beforeEach(() => {
  folder = new TemporaryFolder();
  writeFileSync(folder.file('program.cjs'), PROGRAM);
});

afterEach(() => {
  renderer.dispose();
  folder.dispose();
});

function open(limits: { readonly limitMs?: number; readonly startLimitMs?: number }) {
  renderer = new TemplateRenderer({ program: folder.file('program.cjs'), environment: process.env, ...limits });
  return (source: string) => renderer.render({ source, variables: {} });
}

function pids(): readonly number[] {
  // On a busy machine a process may end before its first line.
  return existsSync(folder.file('pids')) ? readFileSync(folder.file('pids'), 'utf8').trim().split(' ').map(Number) : [];
}

it('limits the wait for the start of its process, and starts it again for the next template', async () => {
  const render = open({ startLimitMs: 1_500 });
  expect(await render('')).toEqual({ kind: 'machine', message: 'no process can be started' });
  for (const pid of pids()) await expect.poll(() => isAlive(pid)).toBe(false);
  expect(pids().length).toBeLessThanOrEqual(2);
  writeFileSync(folder.file('ready'), '');
  renderer.dispose();
  expect(await open({})('')).toEqual({ kind: 'text', text: 'fine' });
});

it('tries once more where a template takes too long: the machine may have slept', async () => {
  writeFileSync(folder.file('ready'), '');
  const render = open({ limitMs: 2_000 });
  expect(await render('waits once')).toEqual({ kind: 'text', text: 'fine' });
  expect(pids()).toHaveLength(2);
  expect(await render('waits')).toEqual({ kind: 'limit' });
  expect(pids()).toHaveLength(3);
  expect(await render('dies')).toEqual({ kind: 'limit' });
});

it('blames no template for a process that cannot be started', async () => {
  const render = open({});
  unlinkSync(folder.file('program.cjs'));
  expect(await render('')).toEqual({ kind: 'machine', message: 'no process can be started' });
  renderer.dispose();
  expect(await render('')).toMatchObject({ kind: 'machine' });
});
