import { describe, expect, test } from 'vitest';
import { parseBenchArguments } from '../../bench/arguments.js';

const NAMES = ['startup', 'decode'];
const PLAIN = {
  kind: 'run',
  name: 'decode',
  json: false,
  runs: null,
  threads: null,
  model: null,
  part: null,
  eagerness: null,
  device: null,
};

describe('parseBenchArguments', () => {
  test('lists on request', () => {
    expect(parseBenchArguments(['--list'], NAMES)).toEqual({ kind: 'list' });
  });

  test.each([
    [[], [], false],
    [['--update-baseline'], [], true],
    [['--step', 'decode plain', '--step', 'idle'], ['decode plain', 'idle'], false],
  ])('%j is the report', (args, steps, updateBaseline) => {
    expect(parseBenchArguments(args, NAMES)).toEqual({ kind: 'report', steps, updateBaseline });
  });

  test.each([
    [['decode'], PLAIN],
    [['decode', '--json'], { ...PLAIN, json: true }],
    [['--json', 'decode'], { ...PLAIN, json: true }],
    [['decode', '--runs', '3'], { ...PLAIN, runs: 3 }],
    [['--threads', '4', 'decode', '--runs', '3'], { ...PLAIN, runs: 3, threads: 4 }],
    [['decode', '--device', 'Vulkan0'], { ...PLAIN, device: 'Vulkan0' }],
    [['decode', '--part', 'plain', '--model', 'a.gguf'], { ...PLAIN, part: 'plain', model: 'a.gguf' }],
  ])('%j runs', (args, expected) => {
    expect(parseBenchArguments(args, NAMES)).toEqual(expected);
  });

  test.each([
    [['nope'], 'nope'],
    [['--json'], 'which'],
    [['--step'], '--step'],
    [['--step', '--update-baseline'], '--step'],
    [['decode', 'startup'], 'one benchmark'],
    [['decode', '--fast'], '--fast'],
    [['decode', '--runs'], '--runs'],
    [['decode', '--runs', '0'], '--runs'],
    [['decode', '--threads', 'two'], '--threads'],
    [['decode', '--threads', '1.5'], '--threads'],
    [['decode', '--model'], '--model'],
    [['decode', '--device'], '--device'],
    [['decode', '--part', '--json'], '--part'],
  ])('%j is a mistake', (args, message) => {
    expect(parseBenchArguments(args, NAMES)).toEqual({ kind: 'mistake', message: expect.stringContaining(message) });
  });
});
