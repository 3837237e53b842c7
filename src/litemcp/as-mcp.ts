// Serves a LiteMCP server as an MCP server, for clients of every revision.

import { PeerError, ProcessError, RpcCode, RpcError } from '../base/errors.ts';
import { type ClientAdapterOptions, ClientAdapters } from '../mcp/adapter/client-adapters.ts';
import type { Caller, Params, Result } from '../mcp/service.ts';
import type { LiteMcpClient } from './client.ts';
import { LiteMcpService, type LiteMcpServiceOptions } from './service.ts';

/** Returns an MCP server whose only tool is that of a LiteMCP server. */
export async function litemcpAsMcp(
  client: LiteMcpClient,
  options: ClientAdapterOptions & LiteMcpServiceOptions = {},
): Promise<ClientAdapters> {
  await client.info();
  return new ClientAdapters(new BridgedService(client, options), options);
}

/** Clients get the code, hint and evidence of an error in `data`. */
class BridgedService extends LiteMcpService {
  override request(method: string, params: Params, caller: Caller): Promise<Result> {
    return super.request(method, params, caller).catch((error: unknown) => {
      if (!(error instanceof PeerError || error instanceof ProcessError)) throw error;
      const { code, message, hint, evidence } = error;
      throw new RpcError(RpcCode.internalError, message, { code, hint, evidence }, { cause: error });
    });
  }
}
