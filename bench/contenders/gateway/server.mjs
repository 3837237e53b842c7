// The stdio server behind every gateway: 2025-11-25, one tool that echoes. A call with a progress token is preceded by one
// notification, whose message is the text.

import { lineWriter, readLines } from '../raw/lines.mjs';

const write = lineWriter(process.stdout);
const send = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  },
  ping: {},
  'tools/list': { tools: [{ name: 'echo', inputSchema }] },
};

readLines(process.stdin, (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call') return call(id, params);
  const result = results[method];
  send(result ? { id, result } : { id, error: { code: -32601, message: `Method not found: ${method}` } });
});

function call(id, { arguments: { text }, _meta }) {
  const progressToken = _meta?.progressToken;
  if (progressToken !== undefined) {
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: text } });
  }
  send({ id, result: { content: [{ type: 'text', text }] } });
}
