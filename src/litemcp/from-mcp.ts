// One tool of an MCP server, served as a LiteMCP server. Arguments are parsed by the tool's input schema, and its result becomes
// contents. LiteMCP has one kind of failure, so every error is a result with `error` and the message. A LiteMCP client that
// disconnects cancels its calls.

import { StandpipeError, toError, UsageError } from '../base/errors.ts';
import type { Client } from '../mcp/client/client.ts';
import type { Tool as McpTool } from '../mcp/types.ts';
import { errorResponse } from './call-result.ts';
import { fromMcpResult } from './mcp-result.ts';
import { parametersOf, readArguments } from './schema-parameters.ts';
import { LiteMcpServer, type LiteMcpServerOptions } from './server.ts';

export type ToolCaller = Pick<Client, 'listTools' | 'callTool'>;

/** Rejects if the MCP server has no tool of this name. Later changes of the tool are not noticed. */
export async function mcpToolAsLiteMcp(
  client: ToolCaller,
  toolName: string,
  options?: LiteMcpServerOptions,
): Promise<LiteMcpServer> {
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) throw unknownTool(toolName, tools);
  const parameters = parametersOf(tool.inputSchema);
  const definition = { name: tool.name, description: tool.description ?? tool.title, parameters };
  return new LiteMcpServer(
    definition,
    async (_values, call) => {
      const read = readArguments(parameters, call.arguments);
      if ('problem' in read) return errorResponse(read.problem);
      try {
        return fromMcpResult(await client.callTool(tool.name, read.arguments, { signal: call.signal }));
      } catch (error) {
        // Other errors are bugs here, unless the client has disconnected, and are logged with their stack.
        if (error instanceof StandpipeError || call.signal.aborted) return errorResponse(toError(error).message);
        throw error;
      }
    },
    options,
  );
}

function unknownTool(name: string, tools: readonly McpTool[]): UsageError {
  const there = tools.map((tool) => JSON.stringify(tool.name)).join(', ');
  return new UsageError('NAME_UNKNOWN', `The server has no tool named ${JSON.stringify(name)}`, {
    hint: there === '' ? 'It has no tools.' : `It has ${there}.`,
  });
}
