// The other way: one tool of an MCP server, served as a LiteMCP server. Its texts are read by the tool's input schema, its
// result becomes contents. LiteMCP knows one kind of failure, and so everything that goes wrong is an error result whose
// words say which kind it was. A LiteMCP client that goes away cancels its calls.

import { StandpipeError, toError, UsageError } from '../base/errors.ts';
import type { Client } from '../mcp/client/client.ts';
import type { Tool as McpTool } from '../mcp/types.ts';
import { errorResponse } from './call-result.ts';
import { fromMcpResult } from './mcp-result.ts';
import { parametersOf, readArguments } from './schema-parameters.ts';
import { LiteMcpServer, type LiteMcpServerOptions } from './server.ts';

/** What is needed of an MCP client. */
export type ToolCaller = Pick<Client, 'listTools' | 'callTool'>;

/** Rejects where the MCP server has no tool of this name. The tool is described as it is now. */
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
        // Anything else is a fault of ours, unless nobody waits any more, and is logged with its stack.
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
    hint: there === '' ? 'It has no tools at all.' : `It has ${there}.`,
  });
}
