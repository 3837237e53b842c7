// `serveHttp` serves a server, or any service, over HTTP. Each request passes the gate (Host, Origin, authentication), then the gateway of
// its path. A host has a service for each of its servers, at a path below the path of the combined service.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from '../../../mcp/server/server.ts';
import type { Service } from '../../../mcp/service.ts';
import { type Auth, anyOf, ownerToken } from '../access/auth.ts';
import { bracketed, checkExposure, checkOrigin, type Exposure, ownHosts } from '../access/exposure.ts';
import { rightsOf } from '../access/rights.ts';
import { type Gauged, gatewayMetrics, Metrics } from '../telemetry/metrics.ts';
import { trace } from '../telemetry/tracing.ts';
import { type ConnectionOptions, connectionOptions, limitConnections } from './connection-limits.ts';
import type { HttpExchange } from './exchange.ts';
import { Gate } from './gate.ts';
import { type HttpGatewayOptions, withDefaults } from './gateway-options.ts';
import { type CloseOptions, Gateways, type ServiceByName } from './gateways.ts';
import { listenOn, newListener, renewTls, type Tls } from './listener.ts';
import { NodeExchange } from './node-exchange.ts';
import { refuseExchange } from './refuse.ts';

export interface ServeHttpOptions extends HttpGatewayOptions, ConnectionOptions {
  /** Default: 0, any free port. */
  port?: number;
  /** Default: 127.0.0.1. An address that other machines can reach needs `auth`, and `tls` or `behindProxy`. */
  host?: string;
  /** Path of the URL. Default: /mcp. */
  path?: string;
  /** Authenticates clients. */
  auth?: Auth;
  /**
   * Token that clients send as `Authorization: Bearer …`. With `auth`: accepted in addition. Without `auth`: random by default, and `false`
   * lets every program of this machine connect.
   */
  token?: string | false;
  /** Serves metrics at `/metrics` to principals that may use every server. A list adds metrics of the application. */
  metrics?: boolean | readonly Gauged[];
  /** The reason why requests cannot be served now, for `/readyz`. */
  notReady?: () => string | undefined;
  /** The reason why the named server, or all servers (undefined), may be available later. Requests for it get 503 with `Retry-After`. */
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

export interface HttpServing {
  /** The URL for clients. */
  readonly url: string;
  readonly port: number;
  /** Undefined if `auth` was given without `token`, or if tokens are disabled. */
  readonly token: string | undefined;
  /** Applies to new connections. Throws and changes nothing if the certificate is unusable. */
  renewTls(tls: Tls): void;
  /** With `drainMs`, requests in flight may end first. */
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
    layers: (name) => (metrics ? [trace(name), metrics.measure(name)] : [trace(name)]),
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
    const page =
      exchange.method === 'GET'
        ? probe(exchange.path, () => (gateways.limits.isDraining ? 'stopping' : options.notReady?.()))
        : undefined;
    const later = page?.status === 503 ? RETRY : {};
    if (page) exchange.answer(page.status, { 'content-type': 'text/plain; charset=utf-8', ...later }, page.text);
    else gate.pass(exchange, serve);
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

function clientsOf({ auth, token: given }: ServeHttpOptions): {
  auth: Auth | undefined;
  token: string | undefined;
  checks: Exposure['checks'];
} {
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

/**
 * Paths for gateway operators: `/healthz` answers while the process runs, `/readyz` while requests are accepted. They
 * reveal nothing about servers or clients, and need no token. `notReady`: the reason why requests are refused now.
 * Undefined for other paths.
 */
function probe(
  path: string,
  notReady: (() => string | undefined) | undefined,
): { status: number; text: string } | undefined {
  if (path === '/healthz') return { status: 200, text: 'ok\n' };
  if (path !== '/readyz') return undefined;
  const why = notReady?.();
  return why === undefined ? { status: 200, text: 'ready\n' } : { status: 503, text: `${why}\n` };
}
