// The official server with the tools `echo` and `usage`.

import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { usage } from '../usage.mjs';

const text = (text) => ({ content: [{ type: 'text', text }] });

export function build() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (input) => text(input.text));
  server.registerTool('usage', {}, () => text(JSON.stringify(usage())));
  return server;
}
