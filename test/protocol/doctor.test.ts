import path from 'node:path';
import { expect, test } from 'vitest';
import { lacksSoftwareGpu, softwareGpu } from '../support/faults/software-gpu.js';
import { isLeftOutDaily } from '../support/left-out-daily.js';
import { attentionModel } from '../support/models/attention-model.js';
import { runProgram } from '../support/servers/run-program.js';
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
  // Neither the model's folder nor the user's name.
  expect(output).not.toContain(REPOSITORY_ROOT);
});

test('refuses a device that is not there', async () => {
  const { code, errors } = await doctorIn({ VK_DRIVER_FILES: '/none.json' }, '--device', 'Voodoo');
  expect(code).toBe(1);
  expect(errors).toMatch(/^doctor: there is no device "Voodoo"\n$/);
});

test.skipIf(lacksSoftwareGpu('doctor with a Vulkan device') !== null)('lists devices', async () => {
  const folder = new TemporaryFolder();
  try {
    const { output } = await doctorIn(softwareGpu(folder.file('')), '--model', await attentionModel());
    expect(output).toMatch(/^ {2}Vulkan0 +llvmpipe.*used only if the settings name it$/m);
    // Which its figures would take minutes for.
    expect(output).toMatch(/^ {2}backend +CPU$/m);
  } finally {
    folder.dispose();
  }
});

test.skipIf(isLeftOutDaily('the doctor and keys of a prompt'))(
  'shows the keys of a prompt in the layers that have attention',
  async () => {
    const { output } = await doctor('--inspect-keys', '--text', 'return left + right;');
    const table = output.slice(output.indexOf('Norms of the keys')).trim().split('\n');
    const rows = table.slice(2).map((row) => row.trim().split(/ +/).map(Number));
    expect(rows.map(([layer]) => layer)).toEqual([3, 7, 11]);
    expect(rows.flat().every((value) => value > 0)).toBe(true);
  },
);

test('fails in one line', async () => {
  const { code, errors } = await doctor('--model', '/no/such.gguf');
  expect(code).toBe(1);
  expect(errors).toMatch(/^doctor: .*such\.gguf.*\n$/);
});
