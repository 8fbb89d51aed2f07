// `npm run --silent bench -- NAME` with the options that usage() lists.
// With --json, standard output is one JSON object. `npm run bench [-- --step TITLE] [--update-baseline]` writes the
// report. With --list it lists the benchmarks.
import { STARTER_MODEL } from '../support/addon.js';
import { parseBenchArguments } from './arguments.js';
import { decode } from './decode/decode.js';
import { idle } from './decode/idle.js';
import { speed } from './decode/speed.js';
import type { Benchmark } from './measure/benchmark.js';
import { memory } from './memory/memory.js';
import { nextEdit } from './next-edit/next-edit.js';
import { quality } from './quality/quality.js';
import { describeMachine } from './report/machine.js';
import { writeReport } from './report/report.js';
import { formatTable } from './report/table.js';
import { reuse } from './reuse/reuse.js';
import { cancelStorm } from './typing/cancel-storm.js';
import { keystrokes } from './typing/keystrokes.js';
import { sharedEngine } from './typing/shared-engine.js';
import { startup } from './typing/startup.js';

const BENCHMARKS: readonly Benchmark[] = [
  startup,
  decode,
  reuse,
  keystrokes,
  cancelStorm,
  idle,
  quality,
  nextEdit,
  memory,
  sharedEngine,
  speed,
];

function usage(): string {
  const width = Math.max(...BENCHMARKS.map(({ name }) => name.length));
  const list = BENCHMARKS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
  const options = '[--json] [--runs N] [--threads N] [--model FILE] [--part NAME] [--eagerness NAME] [--device NAME]';
  return [
    'usage: npm run bench [-- --step TITLE] [--update-baseline]',
    `       npm run --silent bench -- NAME ${options}\n`,
    list,
  ].join('\n');
}

/** @returns the exit code */
async function main(): Promise<number> {
  const names = BENCHMARKS.map(({ name }) => name);
  const command = parseBenchArguments(process.argv.slice(2), names);
  switch (command.kind) {
    case 'list':
      console.log(usage());
      return 0;
    case 'report':
      return writeReport(command.steps, command.updateBaseline);
    case 'mistake':
      console.error(`bench: ${command.message}\n\n${usage()}`);
      return 2;
    case 'run': {
      const benchmark = BENCHMARKS[names.indexOf(command.name)]!;
      const { parts = [] } = benchmark;
      if (command.part !== null && !parts.includes(command.part)) {
        const known = parts.length > 0 ? `the parts are ${parts.join(', ')}` : 'it has no parts';
        console.error(`bench: ${benchmark.name} has no part ${command.part}; ${known}`);
        return 2;
      }
      if (command.device !== null && benchmark.onDevices !== true) {
        console.error(`bench: ${benchmark.name} takes no --device`);
        return 2;
      }
      const machine = describeMachine();
      const fields = await benchmark.run({
        runs: command.runs ?? benchmark.defaultRuns,
        threads: command.threads ?? 0,
        model: command.model ?? STARTER_MODEL,
        part: command.part,
        eagerness: command.eagerness ?? 'balanced',
        device: command.device,
        progress: (text) => process.stderr.write(`bench ${benchmark.name}: ${text}\n`),
      });
      const result = { bench: benchmark.name, ...fields, ...machine };
      console.log(command.json ? JSON.stringify(result) : formatTable(result));
      return 0;
    }
  }
}

// The report ends a step that takes too long. What the step has started must end with it.
process.once('SIGTERM', () => process.exit(1));

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
