// A server of 2025-06-18 without a library. It declares the capabilities of its first argument.

import { createInterface } from 'node:readline';

const capabilities = JSON.parse(process.argv[2]);
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'declares', version: '1' } },
  ping: {},
  'tools/list': { tools: [{ name: 'add', inputSchema: { type: 'object' } }] },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method];
  const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
