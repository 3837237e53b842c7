// `httpHandler` serves MCP at one URL of an application that has its own server and routes. The application checks Host and Origin.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '../../../mcp/server/server.ts';
import type { Service } from '../../../mcp/service.ts';
import type { Auth } from '../access/auth.ts';
import type { ProtectedResource } from '../access/resource-metadata.ts';
import type { Principal } from '../principal.ts';
import type { HttpExchange } from './exchange.ts';
import { Gate } from './gate.ts';
import type { HttpGatewayOptions } from './gateway-options.ts';
import { type CloseOptions, Gateways } from './gateways.ts';
import { NodeExchange } from './node-exchange.ts';
import { WebExchange } from './web-exchange.ts';

export interface HttpHandlerOptions extends HttpGatewayOptions {
  /** Authenticates clients. If absent, the application does so and may pass the principal with each request. */
  auth?: Auth;
  /**
   * The URL of the handler (origin and path), for clients that must get a token for it. The application must also route
   * `/.well-known/oauth-protected-resource<path>` to the handler.
   */
  url?: string;
}

/** Facts about a request that the application has verified. */
export interface Verified {
  principal?: Principal;
}

export interface HttpHandler {
  /** For `http` of Node.js, Express and Fastify. */
  node(request: IncomingMessage, response: ServerResponse, verified?: Verified): void;
  /** For Hono and other frameworks that use Web `Request` and `Response`. */
  fetch(request: Request, verified?: Verified): Promise<Response>;
  /** With `drainMs`, requests in flight may end first. */
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
  const gate = new Gate({ auth, resource: url === undefined ? undefined : resourceOf(url) });
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

function resourceOf(url: string): ProtectedResource {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname };
}
