// A server without Standpipe that misbehaves: it prints to stdout between its answers, and exits neither at the end of
// stdin nor on SIGTERM.

import { createInterface } from 'node:readline';

console.log('rude-server 0.1 is starting…');
process.on('SIGTERM', () => console.log('SIGTERM? No.'));
setInterval(() => undefined, 1000);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, params } = JSON.parse(line);
  console.log(`DEBUG request ${id}`);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: params }));
}
