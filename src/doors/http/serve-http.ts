// `serveHttp`: a server, or any service, over HTTP on this machine. A request without the token, or with a foreign Host or
// Origin, is refused. A host has a service for each of its servers at a path of its own below that of all together.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RpcCode, UsageError } from '../../base/errors.ts';
import { isSameToken, refuseForeignHeaders } from '../../http/access.ts';
import type { Server } from '../../mcp/server/server.ts';
import type { Service } from '../../mcp/service.ts';
import { HttpDoor, type HttpDoorOptions } from './http-door.ts';
import { NodeExchange } from './node-exchange.ts';
import { JSON_HEADERS } from './reply.ts';
import { WebExchange } from './web-exchange.ts';

export interface HttpHandler {
  /** For Node's `http`, Express and Fastify. */
  node(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** For Hono and other programs that use Web `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** MCP at one URL of an application that has its own server, paths and authentication. */
export function httpHandler(served: Server | Service, options?: HttpDoorOptions): HttpHandler {
  const door = new HttpDoor('service' in served ? served.service : served, options);
  return {
    node: (request, response) => door.handle(new NodeExchange(request, response)),
    fetch: (request) => {
      const exchange = new WebExchange(request);
      void door.handle(exchange);
      return exchange.response;
    },
    close: () => door.close(),
  };
}

/** The service at `<path>/<name>`, or at the path itself; undefined where there is none. */
export type ServiceByName = (name: string | undefined) => Service | undefined;

export interface ServeHttpOptions extends HttpDoorOptions {
  /** 0, which is the default, takes any that is free. */
  port?: number;
  /** An address of this machine's loopback. 127.0.0.1 unless given. */
  host?: string;
  /** The URL's path. /mcp unless given. */
  path?: string;
  /**
   * What clients send as `Authorization: Bearer …`. A random one unless given. `false`: every program of this machine may
   * connect.
   */
  token?: string | false;
}

export interface HttpServing {
  readonly url: string;
  readonly token: string | undefined;
  close(): Promise<void>;
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

export async function serveHttp(
  served: Server | Service | ServiceByName,
  options: ServeHttpOptions = {},
): Promise<HttpServing> {
  const { host = '127.0.0.1', port = 0, path = '/mcp' } = options;
  if (!loopback.has(host)) {
    throw new UsageError('INVALID_OPTION', `serveHttp listens on the loopback interface only, not on ${host}`, {
      hint: 'Use httpHandler() in a server that authenticates its clients.',
    });
  }
  const token = options.token === false ? undefined : (options.token ?? randomBytes(24).toString('base64url'));
  const doors = new Doors(byName(served), path, options);
  const hosts = new Set<string>();
  const listener = createServer((request, response) => {
    const refusal = refusalFor(request, hosts, token);
    if (refusal) return refuse(response, ...refusal);
    const door = doors.at(request.url ?? '');
    if (!door) return refuse(response, 404, `Nothing is served at this path. Use ${path}.`);
    void door.handle(new NodeExchange(request, response));
  });
  listener.listen(port, host);
  await once(listener, 'listening').catch((error: Error) => {
    throw new UsageError('INVALID_OPTION', `Cannot listen on ${host}:${port}: ${error.message}`, {
      hint: 'Choose another port.',
      cause: error,
    });
  });
  const { port: taken } = listener.address() as AddressInfo;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) hosts.add(`${name}:${taken}`);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}${path}`,
    token,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      await doors.close();
      listener.closeAllConnections();
      await closed;
    },
  };
}

/** The doors of all services that were asked for. A service that is replaced gets a new door. */
class Doors {
  readonly #serviceOf: ServiceByName;
  readonly #path: string;
  readonly #options: HttpDoorOptions;
  readonly #open = new Map<string | undefined, { service: Service; door: HttpDoor }>();

  constructor(serviceOf: ServiceByName, path: string, options: HttpDoorOptions) {
    this.#serviceOf = serviceOf;
    this.#path = path;
    this.#options = options;
  }

  at(url: string): HttpDoor | undefined {
    const path = url.split('?', 1)[0]!;
    const isBelow = path.startsWith(`${this.#path}/`);
    if (!isBelow && path !== this.#path) return undefined;
    const name = isBelow ? nameIn(path.slice(this.#path.length + 1)) : undefined;
    const service = isBelow && name === undefined ? undefined : this.#serviceOf(name);
    const known = this.#open.get(name);
    if (known && known.service === service) return known.door;
    void known?.door.close();
    this.#open.delete(name);
    if (!service) return undefined;
    const door = new HttpDoor(service, this.#options);
    this.#open.set(name, { service, door });
    return door;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ door }) => door.close()));
  }
}

function byName(served: Server | Service | ServiceByName): ServiceByName {
  if (typeof served === 'function') return served;
  const service = 'service' in served ? served.service : served;
  return (name) => (name === undefined ? service : undefined);
}

function nameIn(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

type Refusal = [status: number, message: string, headers?: Record<string, string>];

function refusalFor(
  { headers }: IncomingMessage,
  hosts: ReadonlySet<string>,
  token: string | undefined,
): Refusal | undefined {
  const foreign = refuseForeignHeaders(headers, hosts);
  if (foreign) return [foreign.status, foreign.message];
  const given = /^bearer (.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  if (token === undefined || isSameToken(given, token)) return undefined;
  return [401, 'Send the token as Authorization: Bearer …', { 'www-authenticate': 'Bearer' }];
}

function refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: RpcCode.invalidRequest, message } });
  response.writeHead(status, { ...JSON_HEADERS, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  response.end(body);
}
