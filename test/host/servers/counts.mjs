// Counts calls of its tools in a file that persists, and exits on demand.

import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { Server, serveStdio } from '../../../dist/entry/server.js';

const { PID_FILE, COUNT_FILE, ONCE_FILE, DIE_AFTER_MS } = process.env;
if (PID_FILE) appendFileSync(PID_FILE, `${process.pid} ${process.ppid}\n`);

const server = new Server({ name: 'counts', version: '1.0.0' });
const count = () => appendFileSync(COUNT_FILE, 'x');
const die = () => process.kill(process.pid, 'SIGKILL');

server.tool('echo', { input: { type: 'object' } }, (args) => JSON.stringify(args));
server.tool('count', {}, () => {
  count();
  return 'counted';
});
server.tool('large', {}, () => {
  count();
  return 'x'.repeat(1_000_000);
});
const deadly = () => {
  count();
  die();
};
server.tool('dies', {}, deadly);
/** Exits at its first call; in the next process, the call succeeds. */
const once = () => {
  count();
  if (existsSync(ONCE_FILE)) return 'worked';
  writeFileSync(ONCE_FILE, '');
  die();
};
server.tool('dies_once_plain', {}, once);
server.tool('dies_once_read_only', { annotations: { readOnlyHint: true } }, once);
server.tool('dies_once_idempotent', { annotations: { idempotentHint: true } }, once);

await serveStdio(server);
if (DIE_AFTER_MS !== undefined) {
  setTimeout(() => {
    console.error('fatal: the disk is full');
    process.exit(9);
  }, Number(DIE_AFTER_MS));
}
