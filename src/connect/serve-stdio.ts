// Serves an MCP server, or any service, over the stdio of this process.

import type { ClientAdapter } from '../mcp/adapter/client-adapter.ts';
import { type ClientAdapterOptions, serve } from '../mcp/adapter/client-adapters.ts';
import type { Server } from '../mcp/server/server.ts';
import type { Service } from '../mcp/service.ts';
import { type StdioServerOptions, StdioServerTransport } from '../wire/transport/stdio-server.ts';

/** Serves on this process's stdin and stdout until the client closes them; then the process exits. */
export function serveStdio(
  served: Pick<Server, 'connect'> | Service,
  options?: StdioServerOptions & ClientAdapterOptions,
): Promise<ClientAdapter> {
  const transport = new StdioServerTransport(options);
  return 'connect' in served ? served.connect(transport) : serve(served, transport, options);
}
