// An echo tool on the official server, over HTTP through its adapter for Node: with sessions, or without them if the
// argument is `modern`.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { build } from '../official/echo-server.mjs';
import './end-with-input.mjs';

const sessions = new Map();

async function withSessions(request, response) {
  let transport = sessions.get(request.headers['mcp-session-id']);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await build().connect(transport);
  }
  await transport.handleRequest(request, response);
}

const handler = process.argv[2] === 'modern' ? toNodeHandler(createMcpHandler(build)) : withSessions;
const server = createServer(handler).listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/mcp`),
);
