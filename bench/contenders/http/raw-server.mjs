// `node:http` that answers a call with its own text, without checks, sessions and errors: the limit for a server.

import { createServer } from 'node:http';
import { usage } from '../usage.mjs';
import './end-with-input.mjs';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { id, params } = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString());
    const text = params.name === 'usage' ? JSON.stringify(usage()) : params.arguments.text;
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}).listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
