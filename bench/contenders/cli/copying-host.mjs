// Baseline for a host of one server: copies bytes between the socket of its latest client and the pipes of the server without parsing them.
// Arguments: the path of the socket, then the arguments of Node.js for the server.

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

const [path, ...args] = process.argv.slice(2);
const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
let client;

server.stdout.on('data', (chunk) => client?.write(chunk));
createServer((socket) => {
  client = socket;
  socket.on('data', (chunk) => server.stdin.write(chunk));
  socket.on('error', () => socket.destroy());
}).listen(path, () => console.log('ready'));
