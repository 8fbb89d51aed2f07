// `npm run --silent soak -- [--minutes N] [--seed N] [--json] [--report]`: a day of editing with faults, and what it
// leaves behind. Ends with 1 if an aim is missed (verdict.ts), unless --report is given.
import { describeMachine } from '../bench/report/machine.js';
import { formatTable } from '../bench/report/table.js';
import { parseSoakArguments } from './arguments.js';
import { soak } from './soak.js';
import { missedAims, soakFields } from './verdict.js';

const USAGE = 'usage: npm run --silent soak -- [--minutes N] [--seed N] [--json] [--report]';

/** @returns the exit code */
async function main(): Promise<number> {
  const command = parseSoakArguments(process.argv.slice(2));
  if (command.kind === 'mistake') {
    console.error(`soak: ${command.message}\n${USAGE}`);
    return 2;
  }
  if (process.platform !== 'linux') throw new Error('it reads /proc, so it runs on Linux only');
  const { minutes, seed, json, report } = command;
  const startedAt = performance.now();
  const progress = (text: string) => {
    const time = ((performance.now() - startedAt) / 60_000).toFixed(1);
    process.stderr.write(`soak ${time} min: ${text}\n`);
  };
  const result = await soak({ minutes, seed, progress });
  const fields = { soak: minutes, seed, ...soakFields(result), ...describeMachine() };
  console.log(json ? JSON.stringify(fields) : formatTable(fields));
  const { unanswered, failures } = result.requests;
  for (const each of [
    ...unanswered.map((what) => `unanswered: ${what}`),
    ...failures,
    ...result.badEnds,
    ...result.damagedFiles,
  ]) {
    console.error(`soak: ${each}`);
  }
  const missed = missedAims(result);
  for (const each of missed) console.error(`soak: aim missed: ${each}`);
  return missed.length > 0 && !report ? 1 : 0;
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    console.error(`soak: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
