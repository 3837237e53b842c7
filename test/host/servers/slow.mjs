// A server that starts and exits slowly. It records its process in PID_FILE, and in OVERLAP_FILE every other process
// that is running when it starts. It speaks the protocol without a library, so that it starts quickly. With
// LINGER_UNTIL it exits when that file exists.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { closeDescriptor } from '../../fixtures/close-descriptor.mjs';

const { PID_FILE, OVERLAP_FILE, START_MS = '0', LINGER_MS = '0', LINGER_UNTIL, CLOSE_STDOUT_MS } = process.env;
if (CLOSE_STDOUT_MS) setTimeout(() => closeDescriptor(1), Number(CLOSE_STDOUT_MS));
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false; // exited
  }
};
const others = () => readFileSync(PID_FILE, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean).map(Number);
if (OVERLAP_FILE) for (const pid of others()) if (isAlive(pid)) appendFileSync(OVERLAP_FILE, `${pid} ${process.pid}\n`);
appendFileSync(PID_FILE, `${process.pid}\n`);

const answers = {
  initialize: ({ protocolVersion }) => {
    return {
      protocolVersion,
      capabilities: { tools: {}, resources: { subscribe: true } },
      serverInfo: { name: 'slow', version: '1.0.0' },
    };
  },
  'tools/list': () => ({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }] }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'tools/call': () => ({ content: [{ type: 'text', text: 'hello' }] }),
};

function serve() {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const error = { code: -32601, message: 'Method not found' };
    const answer = answers[method] ? { result: answers[method](params) } : { error };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  lines.on('close', () => {
    if (LINGER_UNTIL) setInterval(() => existsSync(LINGER_UNTIL) && process.exit(), 20);
    else setTimeout(() => process.exit(), Number(LINGER_MS));
  });
}
setTimeout(serve, Number(START_MS));
