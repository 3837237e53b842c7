// An echo tool on the official server: as it comes, or, told `modern`, in both eras.

import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { usage } from '../usage.mjs';

const text = (text) => ({ content: [{ type: 'text', text }] });

function build() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (input) => text(input.text));
  server.registerTool('usage', {}, () => text(JSON.stringify(usage())));
  return server;
}

const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
if (process.argv[2] === 'modern') serveStdio(build, { transport });
else await build().connect(transport);
