// Serves a server on the stdin and stdout of this process.

import type { Connection } from '../mcp/server/connection.ts';
import type { Server } from '../mcp/server/server.ts';
import { type StdioServerOptions, StdioServerTransport } from '../transport/stdio-server.ts';

/** Serves on this process's stdin and stdout until the client closes them; the process ends then. */
export function serveStdio(server: Server, options?: StdioServerOptions): Promise<Connection> {
  return server.connect(new StdioServerTransport(options));
}
