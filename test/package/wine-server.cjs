// `node wine-server.cjs NODE_EXE SERVER_JS ARGUMENT...`: the server in a Node for Windows, under wine. That Node cannot
// use pipes of Linux as its standard streams ("open EBADF", wine 8). So this program runs twice: on Linux it has the
// pipes, in wine it starts the server with pipes of Windows, and a socket of 127.0.0.1 is between the two.
const { spawn } = require('node:child_process');
const net = require('node:net');

if (process.platform === 'win32') {
  const [port, server, ...args] = process.argv.slice(2);
  const socket = net.connect(Number(port), '127.0.0.1');
  const child = spawn(process.execPath, [server, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  socket.pipe(child.stdin);
  child.stdout.pipe(socket);
  socket.on('close', () => child.kill());
  child.on('exit', (code) => socket.end(() => process.exit(code ?? 1)));
} else {
  const [program, ...args] = process.argv.slice(2);
  const listener = net.createServer((socket) => {
    listener.close();
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
  });
  listener.listen(0, '127.0.0.1', () => {
    const child = spawn('wine', [program, __filename, String(listener.address().port), ...args], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    child.on('exit', (code) => process.exit(code ?? 1));
    process.on('SIGTERM', () => child.kill());
  });
}
