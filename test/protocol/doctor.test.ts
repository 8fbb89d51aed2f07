import path from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../support/run-program.js';
import { lacksSoftwareGpu, softwareGpu } from '../support/software-gpu.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';
import { TemporaryFolder } from '../support/temporary-folder.js';

const PROGRAM = path.join(REPOSITORY_ROOT, 'dist/test/doctor.js');
const doctorIn = (environment: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  runProgram(PROGRAM, args, [], environment);
const doctor = (...args: readonly string[]) => doctorIn({}, ...args);

test('says what this machine and this build are', async () => {
  const { code, output } = await doctor();
  expect(code).toBe(0);
  const machine = ['processor', 'llama.cpp', 'CPU flavour', 'budget here', 'all parts', 'CPU'];
  for (const name of [...machine, 'backend', 'threads', 'exact rows', 'decodes, no drafts', 'decodes, drafts']) {
    expect(output).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  }
  expect(output).toContain('To report a problem');
  expect(output).not.toContain('head 0');
});

test('refuses a device that is not there', async () => {
  const { code, errors } = await doctor('--device', 'Voodoo');
  expect(code).toBe(1);
  expect(errors).toMatch(/^doctor: there is no device "Voodoo"\n$/);
});

test.skipIf(lacksSoftwareGpu('doctor on llvmpipe') !== null)(
  'lists devices with their trials, and loads onto the one that is named',
  async () => {
    const folder = new TemporaryFolder();
    try {
      const environment = softwareGpu(folder.file(''));
      const listed = await doctorIn(environment);
      expect(listed.output).toMatch(/^ {2}Vulkan0 +llvmpipe.*used only if the settings name it$/m);
      expect(listed.output).toMatch(/^ {2}backend +CPU$/m);
      const { output } = await doctorIn(environment, '--device', 'llvmpipe');
      expect(output).toMatch(/^ {2}Vulkan0 +llvmpipe.* \d+\.\d ms for what takes the processor \d+\.\d ms$/m);
      expect(output).toMatch(/^ {2}backend +Vulkan$/m);
      expect(output).toMatch(/^ {2}Vulkan0 +.*holds [1-9]/m);
      expect(output).toMatch(/^ {2}decodes, drafts +\S/m);
    } finally {
      folder.dispose();
    }
  },
  120_000,
);

test('shows the keys of a prompt in the layers that have attention', async () => {
  const { output } = await doctor('--inspect-keys', '--text', 'return left + right;');
  const table = output.slice(output.indexOf('Norms of the keys')).trim().split('\n');
  const rows = table.slice(2).map((row) => row.trim().split(/ +/).map(Number));
  expect(rows.map(([layer]) => layer)).toEqual([3, 7, 11]);
  expect(rows.flat().every((value) => value > 0)).toBe(true);
});

test('fails in one line', async () => {
  const { code, errors } = await doctor('--model', '/no/such.gguf');
  expect(code).toBe(1);
  expect(errors).toMatch(/^doctor: .*such\.gguf.*\n$/);
});
