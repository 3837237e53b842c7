// Serves an MCP server, or any service, over the stdio of this process.

import type { Front } from '../mcp/front/front.ts';
import { type FrontOptions, serve } from '../mcp/front/fronts.ts';
import type { Server } from '../mcp/server/server.ts';
import type { Service } from '../mcp/service.ts';
import { type StdioServerOptions, StdioServerTransport } from '../transport/stdio-server.ts';

/** Serves on this process's stdin and stdout until the client closes them; then the process exits. */
export function serveStdio(
  served: Pick<Server, 'connect'> | Service,
  options?: StdioServerOptions & FrontOptions,
): Promise<Front> {
  const transport = new StdioServerTransport(options);
  return 'connect' in served ? served.connect(transport) : serve(served, transport, options);
}
