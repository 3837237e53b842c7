// A server of 2025-11-25 that reports the capabilities in `initialize`, and sends questions whether or not they are
// declared.

import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const tools = ['announced', 'ask', 'askUrl'].map((name) => ({ name, inputSchema: { type: 'object' } }));
let announced;
let asking;

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return send({ id: asking, result: text(result ?? error) });
  if (id === undefined) return;
  if (method === 'initialize') {
    announced = params.capabilities;
    const serverInfo = { name: 'reports', version: '1' };
    return send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
  }
  if (method === 'tools/list') return send({ id, result: { tools } });
  if (method === 'ping') return send({ id, result: {} });
  if (method !== 'tools/call') return send({ id, error: { code: -32601, message: 'Method not found' } });
  if (params.name === 'announced') return send({ id, result: text({ announced, pid: process.pid }) });
  asking = id;
  const form = { message: 'Well?', requestedSchema: { type: 'object', properties: {} } };
  const url = { mode: 'url', message: 'Well?', url: 'https://example.org/', elicitationId: '1' };
  send({ id: 'question', method: 'elicitation/create', params: params.name === 'ask' ? form : url });
});
