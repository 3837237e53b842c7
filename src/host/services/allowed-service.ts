// The service of a process as `tools` of its entry allows it: tools that are not allowed are neither listed nor called.

import { notAllowed } from '../../config/tool-filter.ts';
import type { Client } from '../../mcp/client/client.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher } from '../../mcp/service.ts';
import type { Tool } from '../../mcp/types.ts';

/** The part of an entry that decides. */
export interface Allowing {
  readonly config: { readonly name: string };
  readonly mayUse: (tool: string) => boolean;
}

/** Why a request is refused before it is sent. */
export function refusalOf(method: string, { name: tool }: Params, { config, mayUse }: Allowing): Error | undefined {
  // Servers that know the dialect would run a tool by it, allowed or not. The front of a client translates it.
  if (method.startsWith('mcp/')) return methodNotFound(method);
  if (method !== 'tools/call') return undefined;
  // A server may take a list of one name for the name: the filter would not.
  if (typeof tool !== 'string') return invalidParams('tools/call needs a "name", a string');
  return mayUse(tool) ? undefined : notAllowed(config.name, tool);
}

/** A page of the list of tools without those that are not allowed. */
export function allowedOf(page: Result, { mayUse }: Allowing): Result {
  const tools = page.tools as Tool[] | undefined;
  if (!Array.isArray(tools)) return page;
  // An entry without a name cannot be called.
  const allowed = tools.filter((tool) => typeof tool?.name !== 'string' || mayUse(tool.name));
  return allowed.length === tools.length ? page : { ...page, tools: allowed };
}

/** One for each process. */
const allowedClients = new WeakMap<Client, Client>();

/** The same client for a program: what it sends passes the filter. */
export function allowedClient(client: Client, allowing: Allowing): Client {
  const known = allowedClients.get(client);
  if (known) return known;
  const allowed = client.withService(new AllowedService(client.service, allowing));
  allowedClients.set(client, allowed);
  return allowed;
}

class AllowedService implements Service {
  readonly #service: Service;
  readonly #allowing: Allowing;

  constructor(service: Service, allowing: Allowing) {
    this.#service = service;
    this.#allowing = allowing;
  }

  describe(): ServiceFacts | Promise<ServiceFacts> {
    return this.#service.describe();
  }

  async request(method: string, params: Params, caller: Caller): Promise<Result> {
    const refused = refusalOf(method, params, this.#allowing);
    if (refused) throw refused;
    const result = await this.#service.request(method, params, caller);
    return method === 'tools/list' ? allowedOf(result, this.#allowing) : result;
  }

  notify(method: string, params: Params | undefined, client: ClientFacts): void {
    this.#service.notify(method, params, client);
  }

  watch(watcher: Watcher): Promise<() => void> {
    return this.#service.watch(watcher);
  }
}
