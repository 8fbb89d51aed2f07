// `npm run doctor`: what this machine and this build are. With --inspect-keys, the key vectors of a prompt too.

import os from 'node:os';
import { loadGpuAddon } from '../../server/src/engine/addon/load-addon.js';
import { PROCESSOR } from '../../server/src/engine/devices/choose-device.js';
import { NATIVE_DIRECTORY, openAddon, runnableFlavours, STARTER_MODEL } from '../support/addon.js';
import { parseDoctorArguments, USAGE } from './arguments.js';
import { deviceFor, findDevices, listerOfDevices } from './devices.js';
import { describeKeys } from './key-norms.js';
import {
  describeBuild,
  describeDeviceMemory,
  describeDevices,
  describeFit,
  describeMachine,
  describeMemory,
  describeModel,
  REPORTING,
  type Section,
  withoutHome,
} from './report.js';
import { describeSpeed } from './speed.js';

async function main(args: readonly string[]): Promise<void> {
  const command = parseDoctorArguments(args);
  if (command.kind === 'help') return write(USAGE);

  const processorAddon = openAddon(process.env.INKLING_CPU_FLAVOUR);
  show(describeMachine());
  show(describeBuild(processorAddon, runnableFlavours()));
  const path = command.modelPath ?? STARTER_MODEL;
  const devices = await findDevices(command.device);
  show(describeDevices(devices, listerOfDevices()));
  const device = deviceFor(path, command.device, devices);
  const addon = device === null ? processorAddon : loadGpuAddon(NATIVE_DIRECTORY);
  const onDevice = device === null ? {} : { device: device.id };
  const model = { path, requireFim: false, ...onDevice, ...(command.device === PROCESSOR ? { gpuLayers: 0 } : {}) };
  show(describeFit(await addon.estimateMemory(model), device));
  // No swapped-out prompts: the same prompt would not be evaluated again.
  const engine = new addon.Engine();
  try {
    const facts = await engine.load({ ...model, swapBudgetBytes: 0 });
    // It waits for the measurements that follow a load; a generation would end them.
    const keys = await engine.inspectKeys([command.prompt ?? 'return left + right;']);
    const { metrics } = await engine.generate({ prompt: ['return '], maxTokens: 1 }).result;
    show(describeModel(facts, metrics));
    show(await describeSpeed(engine));
    show(describeMemory(engine.memory()));
    show(describeDeviceMemory(engine.memory(), facts.backend));
    write(REPORTING);
    if (command.prompt !== null) write(`\n${describeKeys(keys)}`);
  } finally {
    await engine.close();
  }
}

function show({ title, lines }: Section): void {
  const width = Math.max(...lines.map(([name]) => name.length));
  write(`\n${title}`);
  for (const [name, value] of lines) write(`  ${name.padEnd(width)}  ${value}`);
}

function write(text: string): void {
  process.stdout.write(`${withoutHome(text, os.homedir())}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`doctor: ${withoutHome(reason, os.homedir())}\n`);
  process.exitCode = 1;
});
