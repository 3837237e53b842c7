// Access to a host in this process or in another one: typed clients of its servers, and the control methods.

import { type ErrorDescription, errorFrom } from '../../base/error-json.ts';
import { clientOf } from '../../mcp/client/client.ts';
import type { InputHandlers } from '../../mcp/client/options.ts';
import { defaultExtensions } from '../../mcp/extensions/default-extensions.ts';
import type { Params, Service } from '../../mcp/service.ts';
import type { Tool } from '../../mcp/types.ts';
import type { Host } from '../host.ts';
import { FAILED, OFFERED_BY, type Offer, type OfferCatalog, offerAddress, WAIT } from '../services/catalog.ts';
import { type ServerClient, typedClient } from '../services/typed-client.ts';
import { answerControl, type ControlMethod, type ControlResults, type HostStatus } from './control-methods.ts';

export abstract class HostAccess {
  /** Handlers for the requests that servers may send to this program during its calls. */
  inputs: ((server: string) => InputHandlers) | undefined;
  readonly #clients = new Map<string | undefined, ServerClient>();

  abstract service(server?: string): Service;
  abstract control<M extends ControlMethod>(method: M, params?: Params): Promise<ControlResults[M]>;

  status(): Promise<HostStatus> {
    return this.control('standpipe/status');
  }

  client(server?: string): ServerClient {
    const known = this.#clients.get(server);
    if (known) return known;
    const inputs = server === undefined ? undefined : this.inputs?.(server);
    const client = typedClient(this.service(server), { ...inputs, extensions: defaultExtensions });
    this.#clients.set(server, client);
    return client;
  }

  /** Runs `run` with a client in the era of a remote server, without the layers of a host in this process. */
  direct<T>(server: string, run: (client: ServerClient) => Promise<T>): Promise<T> {
    return run(this.client(server));
  }

  /** `readyOnly`: leaves out servers that are not running. Otherwise they are started. */
  async tools(readyOnly = false): Promise<OfferCatalog<Tool>> {
    const { tools, _meta } = await this.client().request('tools/list', {
      _meta: { [WAIT]: readyOnly ? 'none' : 'all' },
    });
    const failed = ((_meta as Params | undefined)?.[FAILED] ?? []) as { server: string; error: ErrorDescription }[];
    return {
      offers: (tools as Tool[]).map(offerOf),
      failed: failed.map(({ server, error }) => ({ server, error: errorFrom(error) })),
    };
  }
}

/** A host in this process. */
export class OwnHost extends HostAccess {
  readonly #host: Host;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  service(server?: string): Service {
    return this.#host.service(server);
  }

  override direct<T>(server: string, run: (client: ServerClient) => Promise<T>): Promise<T> {
    const options = this.inputs?.(server);
    return this.#host.use(server, async ({ service }) => run(await clientOf(service, options)));
  }

  async control<M extends ControlMethod>(method: M, params: Params = {}): Promise<ControlResults[M]> {
    return answerControl(this.#host, method, params);
  }

  override async tools(readyOnly = false): Promise<OfferCatalog<Tool>> {
    const { tools, failed } = await this.#host.tools({ start: !readyOnly });
    return { offers: tools, failed };
  }
}

function offerOf({ _meta, ...tool }: Tool): Offer<Tool> {
  const { [OFFERED_BY]: offer, ...meta } = _meta!;
  const { server, name, sharedWith } = offer as Pick<Offer<Tool>, 'server' | 'name' | 'sharedWith'>;
  const definition = { ...tool, name, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  return { server, name, address: offerAddress(server, name, sharedWith), sharedWith, definition };
}
