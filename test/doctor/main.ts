// `npm run doctor`: what this machine and this build are. With --inspect-keys, the key vectors of a prompt too.
import { openAddon, runnableFlavours, STARTER_MODEL } from '../support/addon.js';
import { parseDoctorArguments, USAGE } from './arguments.js';
import { describeKeys } from './key-norms.js';
import {
  describeBuild,
  describeDevices,
  describeFit,
  describeMachine,
  describeMemory,
  describeModel,
  REPORTING,
  type Section,
} from './report.js';
import { describeSpeed } from './speed.js';

async function main(args: readonly string[]): Promise<void> {
  const command = parseDoctorArguments(args);
  if (command.kind === 'help') return write(USAGE);

  const addon = openAddon(process.env.INKLING_CPU_FLAVOUR);
  show(describeMachine());
  show(describeBuild(addon, runnableFlavours()));
  const model = { path: command.modelPath ?? STARTER_MODEL, requireFim: false };
  show(describeFit(await addon.estimateMemory(model)));
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
    show(describeDevices(engine.memory()));
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
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`doctor: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
