// A service of one server as a principal may use it: tools of others do not exist. Methods that MCP does not define could run
// a tool by another name, so they do not exist either. All servers of a host as one restrict themselves (`restrictedTo`).

import { isOfService, methodsOfMcp } from '../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import type { Rights } from '../../mcp/rights.ts';
import type {
  Caller,
  ClientFacts,
  ClientIdentity,
  Params,
  Result,
  Service,
  ServiceFacts,
  Watcher,
} from '../../mcp/service.ts';

/** `name`: the server that it is. A service without a name is used only by those who may use any. Undefined: no right at all. */
export function restrict(service: Service, name: string | undefined, rights: Rights): Service | undefined {
  if (service.restrictedTo) return service.restrictedTo(rights);
  if (!rights.mayUseServer(name ?? '')) return undefined;
  return rights.limitsTools ? new RestrictedService(service, name ?? '', rights) : service;
}

class RestrictedService implements Service {
  readonly #service: Service;
  readonly #name: string;
  readonly #rights: Rights;

  constructor(service: Service, name: string, rights: Rights) {
    this.#service = service;
    this.#name = name;
    this.#rights = rights;
  }

  describe(client?: ClientFacts): ServiceFacts | Promise<ServiceFacts> {
    return this.#service.describe(client);
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    if (!isOfService(method)) throw methodNotFound(method);
    const { target, list } = methodsOfMcp.get(method)!;
    if (list?.member === 'tools') return this.#allowed(method, params, caller);
    // A server may take a list of one name for the name.
    if (target?.list === 'tools' && !this.#mayCall(params[target.parameter]))
      throw invalidParams(`Unknown tool: ${JSON.stringify(params[target.parameter])}`);
    return this.#service.request(method, params, caller);
  }

  notify(method: string, params: Params | undefined, client: ClientFacts): void {
    if (method === 'notifications/roots/list_changed') this.#service.notify(method, params, client);
  }

  watch(watcher: Watcher): Promise<() => void> {
    return this.#service.watch(watcher);
  }

  gone(client: ClientIdentity): void {
    this.#service.gone?.(client);
  }

  async #allowed(method: string, params: Params, caller: Caller): Promise<Result> {
    const page = await this.#service.request(method, params, caller);
    if (!Array.isArray(page.tools)) return page;
    return { ...page, tools: page.tools.filter((tool) => this.#mayCall(tool?.name)) };
  }

  #mayCall(tool: unknown): boolean {
    return typeof tool === 'string' && this.#rights.mayUseTool(this.#name, tool);
  }
}
