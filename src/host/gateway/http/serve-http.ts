// `serveHttp` serves a server or a service over HTTP. Each request passes the gate (Host, Origin, authentication), then the gateway of its
// path. `httpHandler` serves at one URL of an application that has its own server and routes. The application checks Host and Origin.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceLayer } from '../../../mcp/layers/layer.ts';
import type { Server } from '../../../mcp/server/server.ts';
import type { Service } from '../../../mcp/service.ts';
import { type Auth, anyOf, ownerToken, type Principal } from '../access/auth.ts';
import { bracketed, checkExposure, checkOrigin, type Exposure, ownHosts } from '../access/exposure.ts';
import { rightsOf } from '../access/rights.ts';
import { type Gauged, gatewayMetrics, Metrics } from '../telemetry/metrics.ts';
import { trace } from '../telemetry/tracing.ts';
import { type HttpExchange, NodeExchange, WebExchange } from './exchange.ts';
import { Gate } from './gate.ts';
import { type CloseOptions, Gateways, type ServiceByName } from './gateways.ts';
import { type HttpGatewayOptions, withDefaults } from './http-gateway.ts';
import {
  type ConnectionOptions,
  connectionOptions,
  limitConnections,
  listenOn,
  newListener,
  renewTls,
  type Tls,
} from './listener.ts';
import { refuseExchange } from './refuse.ts';

export interface ServeHttpOptions extends HttpGatewayOptions, ConnectionOptions {
  /** Default: 0, any free port. */
  port?: number;
  /** Default: 127.0.0.1. An address that other machines can reach needs `auth`, and `tls` or `behindProxy`. */
  host?: string;
  /** Default: /mcp. */
  path?: string;
  auth?: Auth;
  /** Bearer token, accepted in addition to `auth`. Without `auth`: random by default; `false` lets every program of this machine connect. */
  token?: string | false;
  /** Serves `/metrics` to principals that may use every server. A list adds metrics of the application. */
  metrics?: boolean | readonly Gauged[];
  /** Further layers around the service of each path, before metrics and traces. */
  layers?: ((name: string) => readonly ServiceLayer[]) | undefined;
  /** The reason why requests cannot be served now, for `/readyz`. */
  notReady?: () => string | undefined;
  /** The reason why the named server, or without a name every server, is not available yet. Requests get 503 with `Retry-After`. */
  notYet?: (name: string | undefined) => string | undefined;
  tls?: Tls;
  /** A proxy terminates TLS and forwards requests. */
  behindProxy?: boolean;
  /** The origin that clients use, such as https://gateway.example.org. Requests with another `Host` are refused. */
  publicUrl?: string;
  /** Origins of pages that may use the server, such as https://app.example.org. Default: none. */
  allowedOrigins?: readonly string[];
}

const RETRY = { 'retry-after': '1' };
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** Paths for operators. They need no token and reveal nothing about servers or clients. */
const probes = new Map([
  ['/healthz', { text: 'ok\n', isReadiness: false }],
  ['/readyz', { text: 'ready\n', isReadiness: true }],
]);

export interface HttpServing {
  /** The URL for clients. */
  readonly url: string;
  readonly port: number;
  /** The bearer token; undefined if `auth` was given without `token`, or if tokens are disabled. */
  readonly token: string | undefined;
  /** Applies to new connections. Throws and changes nothing if the certificate is unusable. */
  renewTls(tls: Tls): void;
  /** Closes the server. With `drainMs`, requests in flight may end first. */
  close(options?: CloseOptions): Promise<void>;
}

export async function serveHttp(
  served: Server | Service | ServiceByName,
  options: ServeHttpOptions = {},
): Promise<HttpServing> {
  const { host = '127.0.0.1', path = '/mcp', tls, behindProxy = false, publicUrl, allowedOrigins = [] } = options;
  const { auth, token, checks } = clientsOf(options);
  for (const allowed of allowedOrigins) checkOrigin(allowed);
  checkExposure({ host, checks, hasTls: tls !== undefined, behindProxy, publicUrl });
  const metrics = options.metrics ? await Metrics.open() : undefined;
  const gateways = new Gateways(byName(served), {
    ...options,
    path,
    name: 'info' in served ? served.info.name : undefined,
    layers: (name) => [...(options.layers?.(name) ?? []), trace(name), ...(metrics ? [metrics.measure(name)] : [])],
  });
  metrics?.add(gatewayMetrics(gateways.limits));
  if (typeof options.metrics === 'object') for (const gauged of options.metrics) metrics?.add(gauged);
  const serve = (exchange: HttpExchange) => {
    if (metrics && exchange.path === '/metrics' && rightsOf(exchange.principal) === undefined) {
      return void metrics.text().then((text) => exchange.answer(200, { 'content-type': metrics.contentType }, text));
    }
    const notYet = options.notYet?.(gateways.nameIn(exchange.path));
    if (notYet !== undefined) return refuseExchange(exchange, 503, notYet, RETRY);
    const gateway = gateways.at(exchange.path, exchange.principal);
    if (!gateway) return gate.refuseUnknown(exchange, gateways.nameIn(exchange.path));
    gateway.handle(exchange);
  };
  let gate: Gate;
  const listener = await newListener(tls, connectionOptions(options), (request, response) => {
    const exchange = new NodeExchange(request, response);
    const probe = exchange.method === 'GET' ? probes.get(exchange.path) : undefined;
    if (!probe) return gate.pass(exchange, serve);
    const notReady = probe.isReadiness && (gateways.limits.isDraining ? 'stopping' : options.notReady?.());
    if (notReady) exchange.answer(503, { ...TEXT, ...RETRY }, `${notReady}\n`);
    else exchange.answer(200, TEXT, probe.text);
  });
  limitConnections(listener, options, withDefaults(options).keepAliveMs);
  const port = await listenOn(listener, host, options.port ?? 0);
  const scheme = tls ? 'https' : 'http';
  const origin = publicUrl ? new URL(publicUrl).origin : `${scheme}://${bracketed(host)}:${port}`;
  const hosts = ownHosts(host, port, publicUrl);
  const origins = new Set([origin, ...[...hosts].map((name) => `${scheme}://${name}`)]);
  gate = new Gate({ hosts, origins, allowedOrigins: new Set(allowedOrigins), auth, resource: { origin, path } });
  const stopWatching = auth?.watch?.((principal) => gateways.end(principal));
  return {
    url: `${origin}${path}`,
    port,
    token,
    renewTls: (renewed) => renewTls(listener, renewed),
    async close(closing) {
      await gateways.close(closing); // keep listening until then, so that new requests are refused with a reason
      stopWatching?.();
      const closed = once(listener, 'close');
      listener.close();
      listener.closeAllConnections();
      await closed;
    },
  };
}

function clientsOf({
  auth,
  token: given,
}: ServeHttpOptions): Pick<Exposure, 'checks'> & { auth?: Auth | undefined; token: string | undefined } {
  if (auth && !given) return { auth, token: undefined, checks: 'auth' };
  if (given === false) return { auth, token: undefined, checks: 'nothing' };
  const token = given || randomBytes(24).toString('base64url');
  const owner = ownerToken(token);
  return { auth: auth ? anyOf(owner, auth) : owner, token, checks: 'owner token' };
}

function byName(served: Server | Service | ServiceByName): ServiceByName {
  if (typeof served === 'function') return served;
  const service = 'service' in served ? served.service : served;
  return (name) => (name === undefined ? service : undefined);
}

export interface HttpHandlerOptions extends HttpGatewayOptions {
  /** Authenticates clients. If absent, the application does so and may pass the principal with each request. */
  auth?: Auth;
  /**
   * The URL of the handler (origin and path), for clients that must get a token for it. The application must also route
   * `/.well-known/oauth-protected-resource<path>` to the handler.
   */
  url?: string;
}

export interface Verified {
  /** The sender, if the application has authenticated it. */
  principal?: Principal;
}

export interface HttpHandler {
  /** Handles requests of `http` of Node.js, Express and Fastify. */
  node(request: IncomingMessage, response: ServerResponse, verified?: Verified): void;
  /** Handles requests of Hono and other frameworks that use Web `Request` and `Response`. */
  fetch(request: Request, verified?: Verified): Promise<Response>;
  /** Closes the handler. With `drainMs`, requests in flight may end first. */
  close(options?: CloseOptions): Promise<void>;
}

export function httpHandler(served: Server | Service, options: HttpHandlerOptions = {}): HttpHandler {
  const { auth, url } = options;
  const isServer = 'service' in served;
  const gateways = new Gateways(() => (isServer ? served.service : served), {
    ...options,
    path: '',
    name: isServer ? served.info.name : undefined,
  });
  const { origin, pathname } = url === undefined ? {} : new URL(url);
  const gate = new Gate({ auth, resource: origin === undefined ? undefined : { origin, path: pathname! } });
  const stop = auth?.watch?.((principal) => gateways.end(principal));
  const serve = (exchange: HttpExchange) => {
    const gateway = gateways.at('', exchange.principal);
    if (!gateway) return gate.refuseUnknown(exchange, undefined);
    gateway.handle(exchange);
  };
  const handle = (exchange: HttpExchange, verified?: Verified) => {
    exchange.principal = verified?.principal;
    if (verified?.principal) serve(exchange);
    else gate.pass(exchange, serve);
  };
  return {
    node: (request, response, verified) => handle(new NodeExchange(request, response), verified),
    fetch: (request, verified) => {
      const exchange = new WebExchange(request);
      handle(exchange, verified);
      return exchange.response;
    },
    close: (closing) => {
      stop?.();
      return gateways.close(closing);
    },
  };
}
