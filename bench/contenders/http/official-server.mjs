// An echo tool on the official server, over HTTP by its adapter for Node: with sessions, or, told `modern`, without.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { usage } from '../usage.mjs';
import './end-with-input.mjs';

const text = (text) => ({ content: [{ type: 'text', text }] });

function build() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (input) => text(input.text));
  server.registerTool('usage', {}, () => text(JSON.stringify(usage())));
  return server;
}

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
