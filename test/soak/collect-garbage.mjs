// Loaded into the server by NODE_OPTIONS. On SIGUSR2 it collects garbage, so that a soak compares what is held, not what
// will go. Then it writes what JavaScript holds into the folder INKLING_SOAK_REPORTS, as PID.json.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = path.join(process.env.INKLING_SOAK_REPORTS, `${process.pid}.json`);

process.on('SIGUSR2', () => {
  collect();
  // The second pass frees what the first one finalised.
  setTimeout(() => {
    collect();
    writeFileSync(file, JSON.stringify(process.memoryUsage()));
  }, 50).unref();
});
