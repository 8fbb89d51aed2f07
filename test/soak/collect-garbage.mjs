// Loaded into the server by NODE_OPTIONS: collects garbage on SIGUSR2, so that a soak compares what is held, not what
// will go.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collect();
  // The second pass frees what the first one finalised.
  setTimeout(collect, 50).unref();
});
