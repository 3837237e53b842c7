// The gateways below one URL: one for each requested service and set of rights. A replaced service gets a new gateway.

import { compose, type ServiceLayer } from '../../../mcp/layers/layer.ts';
import type { Service } from '../../../mcp/service.ts';
import type { Principal } from '../access/auth.ts';
import { restrict, rightsOf } from '../access/rights.ts';
import { Limits } from '../limits.ts';
import { HttpGateway, type HttpGatewayOptions } from './http-gateway.ts';

/** The service at `<path>/<name>`, or without a name at the path itself. */
export type ServiceByName = (name: string | undefined) => Service | undefined;

interface GatewaysOptions extends HttpGatewayOptions {
  path: string;
  /** The name of the service at the path itself, if it is a single server. */
  name?: string | undefined;
  /** Middleware for requests to the service with this name. */
  layers?: (name: string) => readonly ServiceLayer[];
}

export interface CloseOptions {
  /** How long requests in flight may take to end. Default: they are cut off immediately. */
  drainMs?: number;
}

/** How long clients may take to read the ends of their streams. */
const LAST_WRITES_MS = 1000;
/** From this number on, idle gateways are closed: each set of rights to each server has its own. */
const MOST_GATEWAYS = 1000;

export class Gateways {
  readonly #serviceOf: ServiceByName;
  readonly #options: GatewaysOptions;
  readonly limits: Limits;
  readonly #open = new Map<string, { service: Service; gateway: HttpGateway }>();

  constructor(serviceOf: ServiceByName, options: GatewaysOptions) {
    this.#serviceOf = serviceOf;
    this.#options = options;
    this.limits = new Limits(options, options.clock);
  }

  /** The service name in a path. Undefined if it is missing or invalid. */
  nameIn(path: string): string | undefined {
    const below = `${this.#options.path}/`;
    return path.startsWith(below) ? decoded(path.slice(below.length)) : undefined;
  }

  /** Returns undefined if nothing is served at the path, or if the principal may not use the server. */
  at(path: string, principal?: Principal): HttpGateway | undefined {
    const name = this.nameIn(path);
    if (name === undefined && path !== this.#options.path) return undefined;
    const service = this.#serviceOf(name);
    const rights = rightsOf(principal);
    const key = `${rights?.key ?? ''}\n${name === undefined ? '' : `/${name}`}`;
    const known = this.#open.get(key);
    if (known && known.service === service) return known.gateway;
    void known?.gateway.close();
    this.#open.delete(key);
    const view = service && rights ? restrict(service, name ?? this.#options.name, rights) : service;
    if (!service || !view) return undefined;
    this.#closeIdle();
    const layers = this.#options.layers?.(name ?? this.#options.name ?? 'all') ?? [];
    const gateway = new HttpGateway(compose(view, ...layers), this.#options, this.limits);
    this.#open.set(key, { service, gateway });
    return gateway;
  }

  /** Ends the sessions and requests of a principal that is no longer admitted. */
  end(principal: string): void {
    for (const { gateway } of this.#open.values()) gateway.end(principal);
  }

  /** Gateways in use may exceed the limit, because sessions and requests have their own limits. */
  #closeIdle(): void {
    if (this.#open.size < MOST_GATEWAYS) return;
    for (const [key, { gateway }] of this.#open) {
      if (!gateway.isIdle) continue;
      this.#open.delete(key);
      void gateway.close();
    }
  }

  /** Refuses new requests, lets requests in flight end, then ends streams and sessions. Resolves when all responses are written. */
  async close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    this.limits.drain(drainMs);
    if (drainMs > 0) await this.limits.whenOver(drainMs, 'inFlight');
    await Promise.all([...this.#open.values()].map(({ gateway }) => gateway.close()));
    await this.limits.whenOver(LAST_WRITES_MS, 'inFlight', 'streams');
  }
}

function decoded(encoded: string): string | undefined {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
