// `serveHttp`: a server, or any service, over HTTP. Each request passes the gate (Host, Origin, who sent it), then the door of
// its path. A host has a service for each of its servers at a path of its own below that of all together.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../../base/errors.ts';
import type { Server } from '../../mcp/server/server.ts';
import type { Service } from '../../mcp/service.ts';
import { type Auth, ownerToken } from '../access/auth.ts';
import { rightsOf } from '../access/rights.ts';
import { doorMetrics, type Gauged, Metrics } from '../telemetry/metrics.ts';
import { probe } from '../telemetry/probes.ts';
import { traced } from '../telemetry/tracing.ts';
import { type ConnectionOptions, connectionOptions, limitConnections } from './connection-limits.ts';
import { type HttpDoorOptions, withDefaults } from './door-options.ts';
import { Doors, type ServiceByName } from './doors.ts';
import type { HttpExchange } from './exchange.ts';
import { Gate } from './gate.ts';
import { NodeExchange } from './node-exchange.ts';
import { refuse } from './refuse.ts';

export interface ServeHttpOptions extends HttpDoorOptions, ConnectionOptions {
  /** 0, which is the default, takes any that is free. */
  port?: number;
  /** An address of this machine's loopback. 127.0.0.1 unless given. */
  host?: string;
  /** The URL's path. /mcp unless given. */
  path?: string;
  /** Who may connect. */
  auth?: Auth;
  /**
   * Without `auth`: what clients send as `Authorization: Bearer …`. A random one unless given. `false`: every program of this
   * machine may connect.
   */
  token?: string | false;
  /** Figures at `/metrics`, for principals that may use every server. A list adds figures of the application. */
  metrics?: boolean | readonly Gauged[];
  /** Why no requests can be served now, for `/readyz`. */
  notReady?: () => string | undefined;
}

export interface HttpServing {
  readonly url: string;
  /** Undefined where `auth` was given, or no token is needed. */
  readonly token: string | undefined;
  close(): Promise<void>;
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

export async function serveHttp(
  served: Server | Service | ServiceByName,
  options: ServeHttpOptions = {},
): Promise<HttpServing> {
  const { host = '127.0.0.1', port = 0, path = '/mcp', notReady } = options;
  if (!loopback.has(host)) {
    throw new UsageError('INVALID_OPTION', `serveHttp listens on the loopback interface only, not on ${host}`, {
      hint: 'Use httpHandler() in a server that authenticates its clients.',
    });
  }
  const isOpen = options.token === false || options.auth !== undefined;
  const token = isOpen ? undefined : options.token || randomBytes(24).toString('base64url');
  const auth = options.auth ?? (token === undefined ? undefined : ownerToken(token));
  const metrics = options.metrics ? await Metrics.open() : undefined;
  const doors = new Doors(byName(served), {
    ...options,
    path,
    name: 'info' in served ? served.info.name : undefined,
    observe: (service, name) => traced(metrics?.measured(service, name) ?? service, name),
  });
  metrics?.add(doorMetrics(doors.limits));
  if (typeof options.metrics === 'object') for (const gauged of options.metrics) metrics?.add(gauged);
  const hosts = new Set<string>();
  const gate = new Gate({ hosts, auth });
  const stopWatching = auth?.watch?.((principal) => doors.end(principal));
  const serve = (exchange: HttpExchange) => {
    if (metrics && exchange.path === '/metrics' && rightsOf(exchange.principal) === undefined) {
      return void metrics.text().then((text) => exchange.answer(200, { 'content-type': metrics.contentType }, text));
    }
    const door = doors.at(exchange.path, exchange.principal);
    if (!door) return refuse(exchange, 404, `Nothing is served at this path. Use ${path}.`);
    door.handle(exchange);
  };
  const listener = createServer(connectionOptions(options), (request, response) => {
    const exchange = new NodeExchange(request, response);
    const page = exchange.method === 'GET' ? probe(exchange.path, notReady) : undefined;
    if (page) exchange.answer(page.status, { 'content-type': 'text/plain; charset=utf-8' }, page.text);
    else gate.pass(exchange, serve);
  });
  limitConnections(listener, options, withDefaults(options).keepAliveMs);
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
      stopWatching?.();
      await doors.close();
      listener.closeAllConnections();
      await closed;
    },
  };
}

function byName(served: Server | Service | ServiceByName): ServiceByName {
  if (typeof served === 'function') return served;
  const service = 'service' in served ? served.service : served;
  return (name) => (name === undefined ? service : undefined);
}
