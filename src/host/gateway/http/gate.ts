// The first step of every request: checks Host and Origin, handles CORS for allowed pages, and authenticates the sender. Accepted requests
// continue with their principal; all others are answered here.

import { toError } from '../../../base/errors.ts';
import { refuseForeignHeaders } from '../../../wire/http/access.ts';
import { type Auth, type AuthRefusal, isAuthRefusal } from '../access/auth.ts';
import { challenge, type ProtectedResource, resourceMetadata } from '../access/resource-metadata.ts';
import { rightsOf } from '../access/rights.ts';
import { scopeOf } from '../access/scopes.ts';
import type { Principal } from '../principal.ts';
import type { HttpExchange } from './exchange.ts';
import { refuseExchange } from './refuse.ts';
import { JSON_HEADERS } from './reply.ts';

export interface GateOptions {
  /** Accepted values of `Host`. Absent if the application has already checked it. */
  hosts?: ReadonlySet<string> | undefined;
  /** The origins of this server's own pages. */
  origins?: ReadonlySet<string> | undefined;
  /** The origins of other pages that may use the server. */
  allowedOrigins?: ReadonlySet<string> | undefined;
  auth?: Auth | undefined;
  /** The protected URL, for clients that must get a token for it. */
  resource?: ProtectedResource | undefined;
}

type Serve = (exchange: HttpExchange) => void;

export class Gate {
  readonly #hosts: ReadonlySet<string> | undefined;
  /** The origins of all pages that may use the server. */
  readonly #origins: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string>;
  readonly #auth: Auth | undefined;
  readonly #resource: ProtectedResource | undefined;

  constructor({ hosts, origins = new Set(), allowedOrigins = new Set(), auth, resource }: GateOptions) {
    this.#hosts = hosts;
    this.#origins = new Set([...origins, ...allowedOrigins]);
    this.#allowed = allowedOrigins;
    this.#auth = auth;
    this.#resource = resource;
  }

  /** Synchronous if the principal is known immediately. */
  pass(exchange: HttpExchange, serve: Serve): void {
    if (this.#hosts) {
      const origin = exchange.header('origin');
      const host = exchange.header('host')?.toLowerCase();
      const foreign = refuseForeignHeaders({ host, origin }, this.#hosts, this.#origins);
      if (foreign) return refuseExchange(exchange, foreign.status, foreign.message);
      if (origin !== undefined && this.#allowed.has(origin) && answerPage(exchange, origin)) return;
    }
    if (!this.#auth) return serve(exchange);
    const metadata = this.#resource && resourceMetadata(exchange.path, this.#resource, this.#auth);
    if (metadata) return exchange.answer(200, JSON_HEADERS, JSON.stringify(metadata));
    try {
      const found = this.#auth.authenticate(exchange);
      if (!(found instanceof Promise)) return this.#admit(exchange, found, serve);
      found.then((known) => this.#admit(exchange, known, serve)).catch((error) => fail(exchange, error));
    } catch (error) {
      fail(exchange, error);
    }
  }

  #admit(exchange: HttpExchange, found: Principal | AuthRefusal, serve: Serve): void {
    if (isAuthRefusal(found)) return this.#refuse(exchange, found);
    exchange.principal = found;
    serve(exchange);
  }

  /**
   * Answers a request for an unserved path or a server that the principal may not use, without revealing which of the
   * two applies.
   */
  refuseUnknown(exchange: HttpExchange, name: string | undefined): void {
    const { principal } = exchange;
    const scope = principal?.isScoped && name !== undefined ? scopeOf(name) : undefined;
    if (scope === undefined || rightsOf(principal)?.mayUseServer(name!) !== false) {
      const what =
        name === undefined ? 'Nothing is served at this path' : `This token can use no server named "${name}"`;
      const use = this.#resource ? ` Use ${this.#resource.path}.` : '';
      return refuseExchange(exchange, 404, `${what}.${use}`);
    }
    this.#refuse(exchange, {
      status: 403,
      message: `The token needs the scope ${scope}`,
      error: 'insufficient_scope',
      scope,
    });
  }

  #refuse(exchange: HttpExchange, refusal: AuthRefusal): void {
    const { status, message } = refusal;
    if (status === 503) return refuseExchange(exchange, status, message, { 'retry-after': '5' });
    const authenticate = challenge(exchange.path, this.#resource, this.#auth!, refusal);
    refuseExchange(exchange, status, message, { 'www-authenticate': authenticate });
  }
}

/** The details are for the application, not for an unauthenticated client. */
function fail(exchange: HttpExchange, error: unknown): void {
  process.emitWarning(toError(error));
  refuseExchange(exchange, 500, 'The request cannot be served: see the log of the server');
}

/**
 * Cross-origin requests of allowed pages: answers preflights and sets the headers that let a page read responses. Must
 * be called only for an allowed Origin. Returns true if the request was a preflight, which is then answered.
 */
function answerPage(exchange: HttpExchange, origin: string): boolean {
  exchange.setHeader('access-control-allow-origin', origin);
  exchange.setHeader('vary', 'origin');
  exchange.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate, retry-after');
  if (exchange.method !== 'OPTIONS' || exchange.header('access-control-request-method') === undefined) return false;
  // The parameter headers of tools (Mcp-Param-…) are unknown here, so the requested names are allowed.
  const headers = exchange.header('access-control-request-headers');
  exchange.answer(204, {
    'access-control-allow-methods': 'POST, GET, DELETE',
    ...(headers !== undefined && { 'access-control-allow-headers': headers }),
    'access-control-max-age': '600',
  });
  return true;
}
