// Stops listening when it is told to: `stops_reading` leaves its stdin open and unread, `closes_stdin` closes it. Either way it
// lives on and goes on talking.

import { appendFileSync, closeSync } from 'node:fs';
import { Server, serveStdio } from '../../../dist/entry/server.js';

const { PID_FILE, COUNT_FILE } = process.env;
appendFileSync(PID_FILE, `${process.pid}\n`);
const server = new Server({ name: 'goes-deaf', version: '1.0.0' });
const never = () => new Promise(() => undefined);
const talk = () => setInterval(() => server.log('info', 'still here'), 20);

server.tool('hello', {}, () => 'hello');
server.tool('never_answers', {}, never);
server.tool('effect', {}, () => {
  appendFileSync(COUNT_FILE, 'x');
  return never();
});
server.tool('stops_reading', {}, () => {
  setImmediate(() => process.stdin.pause());
  talk();
  return 'deaf from now on';
});
server.tool('closes_stdin', {}, () => {
  process.stdin.destroy();
  closeSync(0);
  talk();
  return 'deaf from now on';
});
await serveStdio(server, { exitOnEnd: false });
process.on('SIGTERM', () => process.exit());
