// The client of a server, to be killed: `node orphaned-server.mjs SERVER [MODEL]`. It starts the server like an editor and
// prints its process id once the server is ready, or says that it has no engine.
import { fork } from 'node:child_process';

const [server, modelPath = ''] = process.argv.slice(2);
const child = fork(server, ['--node-ipc'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const send = (message) => child.send({ jsonrpc: '2.0', ...message });
child.on('message', (message) => {
  if (message.id === 1) send({ method: 'initialized', params: {} });
  if (message.method !== 'inkling/status') return;
  if (['ready', 'error'].includes(message.params.state.kind)) console.log(child.pid);
});
const initializationOptions = { threads: 1, modelPath };
send({
  id: 1,
  method: 'initialize',
  params: { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions },
});
