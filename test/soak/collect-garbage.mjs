// Loaded into the server by NODE_OPTIONS. On SIGUSR2 it collects garbage, so that a soak compares what is held, not what
// will go. Then it writes what JavaScript holds into the folder INKLING_SOAK_REPORTS, as PID.json.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';
import { getHeapSpaceStatistics } from 'node:v8';

const file = path.join(process.env.INKLING_SOAK_REPORTS, `${process.pid}.json`);
const session = new Session();
session.connect();

/**
 * Unlike `gc()`, this also gives back the free room of the young generation: up to 32 MB, which depend on what ran last.
 *
 * @param {() => void} then
 */
function collect(then) {
  session.post('HeapProfiler.collectGarbage', then);
}

function writeReport() {
  const { heapUsed, external } = process.memoryUsage();
  const code = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'code_space');
  writeFileSync(file, JSON.stringify({ heapUsed, external, code: code.physical_space_size }));
}

process.on('SIGUSR2', () => {
  collect(() => {
    // The second pass frees what the first one finalised.
    setTimeout(() => collect(writeReport), 50).unref();
  });
});
