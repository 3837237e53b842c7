// A tool on the official server that reports progress three times and returns in the same turn. The argument selects
// the transport.

import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport as Official } from '@modelcontextprotocol/server/stdio';
import { StdioServerTransport as Ours } from '../../../dist/entry/server.js';

const server = new McpServer({ name: 'progress', version: '1.0.0' });
server.registerTool('count', {}, (context) => {
  const progressToken = context.mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : [1, 2, 3]) {
    void context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
  }
  return { content: [] };
});
await server.connect(process.argv[2] === 'official' ? new Official() : new Ours());
