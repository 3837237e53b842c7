// 2026-07-28: the `Mcp-Param-…` headers that a call needs, by the declaration of its tool.

import { Catalogue } from '../../../mcp/catalogue.ts';
import { type ClientFacts, type Service, silentCaller } from '../../../mcp/service.ts';
import { headersOf, type ToolHeader } from '../../../mcp/tool-headers.ts';
import type { Tool } from '../../../mcp/types.ts';
import type { JsonRpcRequest } from '../../../wire/jsonrpc/message.ts';

type Headers = readonly ToolHeader[] | undefined;

export class ToolHeaders {
  readonly #service: Service;
  /** The lists of a service that cannot find a tool by name itself. */
  #catalogue: Catalogue | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Undefined if the request is not a tool call or its tool is unknown. A promise only until the tool is known. */
  of({ method, params }: Pick<JsonRpcRequest, 'method' | 'params'>, client: ClientFacts): Headers | Promise<Headers> {
    if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
    const tool = this.#service.tool ? this.#service.tool(params.name, client) : this.#find(params.name, client);
    return tool instanceof Promise ? tool.then(expected) : expected(tool);
  }

  async close(): Promise<void> {
    await this.#catalogue?.close();
  }

  #find(name: string, client: ClientFacts): ReturnType<NonNullable<Service['tool']>> {
    const service = this.#service;
    if (!this.#catalogue) {
      const server = { era: 'modern', capabilities: { tools: { listChanged: true } } } as const;
      const request = (method: string, params: object) => service.request(method, { ...params }, silentCaller(client));
      this.#catalogue = new Catalogue({ server, service, request }, () => undefined, {});
      this.#catalogue.keep();
    }
    const found = this.#catalogue.find('tools', name);
    // The call itself fails for the same reason and reports it.
    return found instanceof Promise ? found.catch(() => undefined) : found;
  }
}

/**
 * Clients of this revision do not call a tool with invalid header declarations. Clients of earlier revisions ignore
 * headers.
 */
function expected(tool: Tool | undefined): Headers {
  const headers = tool?.inputSchema && headersOf(tool);
  return typeof headers === 'string' ? undefined : headers;
}
