// Stops reading on demand: `stops_reading` leaves its stdin open and unread, `closes_stdin` closes it. In both cases it
// keeps running and writing.

import { appendFileSync } from 'node:fs';
import { Server, serveStdio } from '../../../dist/entry/server.js';
import { closeDescriptor } from '../../fixtures/close-descriptor.mjs';

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
  closeDescriptor(0);
  talk();
  return 'deaf from now on';
});
await serveStdio(server, { exitOnEnd: false });
process.on('SIGTERM', () => process.exit());
