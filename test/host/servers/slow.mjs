// Slow to start and slow to exit, and a witness: it notes its life in PID_FILE, and in OVERLAP_FILE every other life that it
// finds running when it starts.

import { appendFileSync, readFileSync } from 'node:fs';
import { Server, serveStdio } from '../../../dist/entry/server.js';

const { PID_FILE, OVERLAP_FILE, START_MS = '0', LINGER_MS = '0' } = process.env;
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false; // gone
  }
};
const others = () => readFileSync(PID_FILE, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean).map(Number);
for (const pid of others()) if (isAlive(pid)) appendFileSync(OVERLAP_FILE, `${pid} ${process.pid}\n`);
appendFileSync(PID_FILE, `${process.pid}\n`);

const server = new Server({ name: 'slow', version: '1.0.0' });
server.tool('hello', {}, () => 'hello');
server.tool('exit', {}, () => process.exit(3));
setTimeout(() => void serveStdio(server, { exitOnEnd: false }), Number(START_MS));
process.stdin.on('end', () => setTimeout(() => process.exit(), Number(LINGER_MS)));
