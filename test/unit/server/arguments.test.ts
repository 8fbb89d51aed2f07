import { expect, it } from 'vitest';
import { parseArguments } from '../../../server/src/arguments.js';

it.each([
  [['--stdio'], { kind: 'serve', transport: 'stdio' }],
  [['--node-ipc', '--clientProcessId=12'], { kind: 'serve', transport: 'node-ipc' }],
  [['--version', '--stdio'], { kind: 'version' }],
  [['--estimates'], { kind: 'estimates' }],
  [['-h'], { kind: 'help' }],
])('reads %j', (args, expected) => {
  expect(parseArguments(args)).toEqual(expected);
});

it.each([[[]], [['--socket=1']], [['--stdio', '--node-ipc']]])('refuses %j', (args) => {
  expect(parseArguments(args).kind).toBe('mistake');
});
