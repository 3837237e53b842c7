// `standpipe/server`: write an MCP server once, serve it to every revision.

import type { Connection } from '../mcp/server/connection.ts';
import type { Server } from '../mcp/server/server.ts';
import { type StdioServerOptions, StdioServerTransport } from '../transport/stdio-server.ts';

export { RpcError, UsageError } from '../base/errors.ts';
export type { Call, ClientContext, QuestionOptions } from '../mcp/server/call.ts';
export type { PromptReturn } from '../mcp/server/prompt-result.ts';
export type { Completer } from '../mcp/server/registry.ts';
export type { ResourceReturn } from '../mcp/server/resource-contents.ts';
export {
  type Declared,
  type PromptDeclaration,
  type ResourceDeclaration,
  Server,
  type TemplateDeclaration,
  type ToolDeclaration,
} from '../mcp/server/server.ts';
export type { ServerOptions } from '../mcp/server/server-core.ts';
export type { ToolReturn } from '../mcp/server/tool-result.ts';
export type * from '../mcp/types.ts';
export { type Connection, type StdioServerOptions, StdioServerTransport };

/** Serves on this process's stdin and stdout until the client closes them; the process ends then. */
export function serveStdio(server: Server, options?: StdioServerOptions): Promise<Connection> {
  return server.connect(new StdioServerTransport(options));
}
