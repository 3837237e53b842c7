// A server of 2025-03-26, which allows several messages in one array: it answers an array with an array in another order.

import { createInterface } from 'node:readline';

const offered = [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }];

function answer({ id, method, params }) {
  if (method === 'initialize') {
    const serverInfo = { name: 'batches', version: '1.0.0' };
    return { jsonrpc: '2.0', id, result: { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { jsonrpc: '2.0', id, result: { tools: offered } };
  if (method !== 'tools/call') return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: params.arguments.text }] } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const given = JSON.parse(line);
  const asked = [given].flat().filter(({ id }) => id !== undefined);
  if (asked.length === 0) continue;
  const answers = asked.map(answer).reverse();
  console.log(JSON.stringify(Array.isArray(given) ? answers : answers[0]));
}
