// A LiteMCP server shown to MCP clients: an MCP server with one tool, whose calls go to the LiteMCP client behind it. What
// the tool reports is the tool's result; that there is no result (silence, death, an answer nobody can read) is an error of
// the protocol, with the code it has here. A client that cancels is let go; the work goes on, for LiteMCP cannot cancel.

import { PeerError, ProcessError, RpcCode, RpcError } from '../base/errors.ts';
import type { StandardSchema } from '../mcp/schema.ts';
import { Server, type ServerOptions } from '../mcp/server/server.ts';
import type { LiteMcpClient } from './client.ts';
import { toMcpResult } from './mcp-result.ts';
import { serverInfoOf, type ToolAsMcp, toolAsMcp } from './tool-as-mcp.ts';

/** The tool is described as it is now. */
export async function litemcpAsMcp(client: LiteMcpClient, options?: ServerOptions): Promise<Server> {
  const shown = toolAsMcp(await client.info());
  const { name, title, description } = shown.definition;
  const server = new Server(serverInfoOf(shown.tool), options);
  server.tool(name, { title, description, input: inputOf(shown) }, async (args, { signal }) => {
    try {
      const { response } = await client.call(args, { signal });
      return toMcpResult(response);
    } catch (error) {
      throw error instanceof PeerError || error instanceof ProcessError ? crossing(error) : error;
    }
  });
  return server;
}

/** Shows the schema and checks by LiteMCP's own rules: what comes out are the strings of a call. */
function inputOf({ definition, layOut }: ToolAsMcp): StandardSchema<Record<string, unknown>, readonly string[]> {
  return {
    '~standard': {
      version: 1,
      vendor: 'standpipe',
      validate(value) {
        const laidOut = layOut(value as Record<string, unknown>);
        return 'problem' in laidOut ? { issues: [{ message: laidOut.problem }] } : { value: laidOut.arguments };
      },
      jsonSchema: { input: () => definition.inputSchema, output: () => ({ type: 'array', items: { type: 'string' } }) },
    },
  };
}

function crossing(error: PeerError | ProcessError): RpcError {
  const { code, message, hint, evidence } = error;
  return new RpcError(RpcCode.internalError, message, { code, hint, evidence }, { cause: error });
}
