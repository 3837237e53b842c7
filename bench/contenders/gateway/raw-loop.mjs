// `node:http` to a pipe and back, as fast as Node allows: the limit for a gateway. Each message is parsed and
// serialised once in each direction, to give it an id that is unique among clients. It lacks checks, sessions, limits
// and errors, and drops notifications of the server.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { lineWriter, readLines } from '../raw/lines.mjs';

const [port, serverPath] = process.argv.slice(2);
const child = spawn(process.execPath, [serverPath], { stdio: ['pipe', 'pipe', 'inherit'] });
const write = lineWriter(child.stdin);
const waiting = new Map();
let lastId = 0;

readLines(child.stdout, (line) => {
  const message = JSON.parse(line);
  const call = waiting.get(message.id);
  if (!call) return;
  waiting.delete(message.id);
  message.id = call.id;
  const body = JSON.stringify(message);
  call.response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'mcp-session-id': 'one',
  });
  call.response.end(body);
});

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString());
    if (message.id === undefined) return response.writeHead(202, { 'content-length': 0 }).end();
    const id = ++lastId;
    waiting.set(id, { id: message.id, response });
    message.id = id;
    write(JSON.stringify(message));
  });
}).listen(Number(port), '127.0.0.1');
