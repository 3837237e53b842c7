// 2026-07-28: the `Mcp-Param-…` headers that tools declare are read from the service once, and again after its tools have changed. A
// service of several servers is asked for a single tool, because a complete list would wait for servers that the call does not need.

import type { JsonRpcRequest } from '../../jsonrpc/message.ts';
import type { ClientFacts, Service } from '../../mcp/service.ts';
import { listedTools, type ToolHeader, toolHeaders } from '../../mcp/tool-headers.ts';
import type { JsonSchema, Tool } from '../../mcp/types.ts';

type HeadersByTool = ReadonlyMap<string, readonly ToolHeader[]>;

export class ToolHeaders {
  readonly #service: Service;
  #known: HeadersByTool | undefined;
  #reading: Promise<HeadersByTool> | undefined;
  #stop: Promise<() => void> | undefined;
  readonly #byTool = new WeakMap<Tool, readonly ToolHeader[]>();

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * Undefined if the request is not a tool call, or the tool declares no headers. A promise only until the headers are
   * known.
   */
  of(
    { method, params }: Pick<JsonRpcRequest, 'method' | 'params'>,
    client: ClientFacts,
  ): readonly ToolHeader[] | undefined | Promise<readonly ToolHeader[] | undefined> {
    if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
    if (this.#service.tool) return this.#ofOne(this.#service.tool(params.name));
    return this.#known ? this.#known.get(params.name) : this.#read(params.name, client);
  }

  #ofOne(tool: ReturnType<NonNullable<Service['tool']>>): ReturnType<ToolHeaders['of']> {
    if (tool instanceof Promise) return tool.then((found) => this.#ofOne(found));
    if (!tool?.inputSchema) return undefined;
    const known = this.#byTool.get(tool);
    if (known) return known;
    const headers = expected(tool.inputSchema);
    this.#byTool.set(tool, headers);
    return headers;
  }

  async #read(tool: string, client: ClientFacts): Promise<readonly ToolHeader[] | undefined> {
    this.#stop ??= this.#service.watch({
      filter: { toolsListChanged: true },
      notified: () => {
        this.#known = undefined;
        this.#reading = undefined;
      },
    });
    // Subscribe before the first list, so that a change in between is not missed.
    await this.#stop.catch(() => undefined);
    this.#reading ??= readAll(this.#service, client);
    const reading = this.#reading;
    try {
      const found = await reading;
      if (this.#reading === reading) this.#known = found;
      return found.get(tool);
    } catch {
      if (this.#reading === reading) this.#reading = undefined;
      return undefined; // the call itself fails for the same reason and reports it
    }
  }

  async close(): Promise<void> {
    await this.#stop?.then(
      (stop) => stop(),
      () => undefined,
    );
  }
}

async function readAll(service: Service, client: ClientFacts): Promise<HeadersByTool> {
  const found = new Map<string, readonly ToolHeader[]>();
  for await (const { name, inputSchema } of listedTools(service, client)) {
    const headers = expected(inputSchema);
    if (headers.length > 0) found.set(name, headers);
  }
  return found;
}

/**
 * Clients of this revision do not call a tool with invalid header declarations. Clients of earlier revisions ignore
 * headers.
 */
function expected(inputSchema: JsonSchema | undefined): readonly ToolHeader[] {
  const headers = toolHeaders(inputSchema);
  return typeof headers === 'string' ? [] : headers;
}
