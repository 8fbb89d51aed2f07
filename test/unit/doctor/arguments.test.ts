import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseDoctorArguments } from '../../doctor/arguments.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(() => folder.dispose());

describe('parseDoctorArguments', () => {
  it('examines the starter model, and no keys, unless it is told otherwise', () => {
    expect(parseDoctorArguments([])).toEqual({ kind: 'examine', modelPath: null, device: 'auto', prompt: null });
  });

  it('takes a prompt from a file or from the command line', () => {
    const file = folder.file('a.ts');
    writeFileSync(file, 'let a;');
    expect(parseDoctorArguments(['--inspect-keys', file])).toMatchObject({ prompt: 'let a;' });
    const args = ['--model', '/m.gguf', '--inspect-keys', '--text', 'let b;'];
    expect(parseDoctorArguments(args)).toMatchObject({ kind: 'examine', modelPath: '/m.gguf', prompt: 'let b;' });
  });

  it('takes a device', () => {
    expect(parseDoctorArguments(['--device', 'Radeon'])).toMatchObject({ device: 'Radeon', prompt: null });
  });

  it('explains itself', () => {
    expect(parseDoctorArguments(['--help'])).toEqual({ kind: 'help' });
  });

  it.each([
    [['--inspect-keys']],
    [['a.ts']],
    [['--text', 'a']],
    [['--inspect-keys', 'a.ts', '--text', 'a']],
    [['--x']],
  ])('refuses %j', (args) => {
    expect(() => parseDoctorArguments(args)).toThrow(/--/);
  });
});
