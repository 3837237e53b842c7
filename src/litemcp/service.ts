// A LiteMCP server as a service with one tool. A call without a result (timeout, exit, invalid answer) is not a tool error: it fails with
// the same code as for any MCP server. LiteMCP cannot cancel: a cancelled request ends, and the tool continues to run.

import { PeerError, ProcessError, RpcCode, RpcError } from '../base/errors.ts';
import { isObject } from '../base/json-object.ts';
import { type ClientAdapterOptions, ClientAdapters } from '../mcp/adapter/client-adapters.ts';
import { invalidParams, methodNotFound } from '../mcp/protocol-errors.ts';
import { toolError } from '../mcp/server/handler-results.ts';
import type { Caller, Params, Result, Service, ServiceFacts, Watcher, WireName } from '../mcp/service.ts';
import type { CallToolResult } from '../mcp/types.ts';
import type { LiteMcpClient } from './client.ts';
import { toMcpResult } from './mcp-result.ts';
import type { Tool } from './tool.ts';
import { serverInfoOf, type ToolAsMcp, toolAsMcp } from './tool-as-mcp.ts';

export interface LiteMcpServiceOptions {
  /** Instructions for the model that uses this server. */
  instructions?: string;
}

export class LiteMcpService implements Service {
  readonly #client: LiteMcpClient;
  readonly #options: LiteMcpServiceOptions;
  /** LiteMCP has no notifications: watchers are only notified of the end. */
  readonly #watchers = new Set<Watcher>();
  wire: WireName | undefined;
  #shown: (ToolAsMcp & { facts: ServiceFacts }) | undefined;

  constructor(client: LiteMcpClient, options: LiteMcpServiceOptions = {}) {
    this.#client = client;
    this.#options = options;
    void client.closed.then(() => {
      for (const watcher of this.#watchers) watcher.ended?.();
    });
  }

  describe(): ServiceFacts | Promise<ServiceFacts> {
    const { tool } = this.#client;
    return tool ? this.#show(tool).facts : this.#client.info().then((first) => this.#show(first).facts);
  }

  request(method: string, params: Params, caller: Caller): Promise<Result> {
    switch (method) {
      case 'tools/call':
        return this.#call(params, caller) as Promise<object> as Promise<Result>;
      case 'tools/list':
        return this.#refresh(caller).then(({ definition }) => ({ tools: [definition] }));
      case 'ping':
        return this.#refresh(caller).then(() => ({}));
      default:
        return Promise.reject(methodNotFound(method, 'LiteMCP has one tool and nothing else'));
    }
  }

  notify(): void {
    // LiteMCP has no notifications.
  }

  watch(watcher: Watcher): Promise<() => void> {
    if (this.#client.isClosed) watcher.ended?.();
    else this.#watchers.add(watcher);
    return Promise.resolve(() => {
      this.#watchers.delete(watcher);
    });
  }

  async #call({ name, arguments: args = {} }: Params, caller: Caller): Promise<CallToolResult> {
    const { tool } = this.#client;
    const { definition, layOut } = tool ? this.#show(tool) : await this.#refresh(caller);
    if (name !== definition.name) throw invalidParams(`Unknown tool: ${name}`);
    if (!isObject(args)) throw invalidParams('"arguments" must be an object');
    const laidOut = layOut(args);
    if ('problem' in laidOut) return toolError(`Invalid arguments for tool ${name}: ${laidOut.problem}`);
    const { wire } = this;
    const numbered = wire && caller.link && ((id: number) => caller.link?.sent(wire, id));
    const options = { ...caller.options, signal: caller.signal, numbered };
    const { response } = await this.#client.call(laidOut.arguments, options);
    return toMcpResult(response);
  }

  async #refresh({ options, signal }: Caller): Promise<ToolAsMcp> {
    return this.#show(await this.#client.info({ ...options, refresh: true, signal }));
  }

  #show(tool: Tool): ToolAsMcp & { facts: ServiceFacts } {
    if (this.#shown?.tool !== tool) {
      const { instructions } = this.#options;
      const facts = { info: serverInfoOf(tool), capabilities: { tools: {} }, instructions };
      this.#shown = { ...toolAsMcp(tool), facts };
    }
    return this.#shown!;
  }
}

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
