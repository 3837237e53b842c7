// The first step of every request: checks Host and Origin, handles CORS for allowed pages, and authenticates the sender. Refused requests,
// CORS preflights and requests for the protected-resource metadata (RFC 9728) are answered here.

import { toError } from '../../../base/errors.ts';
import { refuseForeignHeaders } from '../../../wire/http/access.ts';
import { type Auth, type AuthRefusal, isAuthRefusal, type Principal } from '../access/auth.ts';
import { rightsOf, scopeOf } from '../access/rights.ts';
import type { HttpExchange } from './exchange.ts';
import { refuseExchange } from './refuse.ts';
import { JSON_HEADERS } from './reply.ts';

interface GateOptions {
  /** Accepted values of `Host`. Absent if the application has already checked it. */
  hosts?: ReadonlySet<string> | undefined;
  /** Origins of this server's own pages. */
  origins?: ReadonlySet<string> | undefined;
  /** Origins of other pages that may use the server. */
  allowedOrigins?: ReadonlySet<string> | undefined;
  auth?: Auth | undefined;
  resource?: ProtectedResource | undefined;
}

type Serve = (exchange: HttpExchange) => void;

export class Gate {
  readonly #hosts: ReadonlySet<string> | undefined;
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

  /** Calls `serve` synchronously if the principal is known immediately. */
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

  /** Answers a request for an unserved path or a forbidden server. The answer does not reveal which of the two applies. */
  refuseUnknown(exchange: HttpExchange, name: string | undefined): void {
    const { principal } = exchange;
    const scope = principal?.isScoped && name !== undefined ? scopeOf(name) : undefined;
    if (scope === undefined || rightsOf(principal)?.mayUseServer(name!) !== false) {
      const what =
        name === undefined ? 'Nothing is served at this path' : `This token cannot use a server named "${name}"`;
      const use = this.#resource ? ` Use ${this.#resource.path}.` : '';
      return refuseExchange(exchange, 404, `${what}.${use}`);
    }
    const message = `The token needs the scope ${scope}`;
    this.#refuse(exchange, { status: 403, message, error: 'insufficient_scope', scope });
  }

  #refuse(exchange: HttpExchange, refusal: AuthRefusal): void {
    const { status, message } = refusal;
    if (status === 503) return refuseExchange(exchange, status, message, { 'retry-after': '5' });
    const authenticate = challenge(exchange.path, this.#resource, this.#auth!, refusal);
    refuseExchange(exchange, status, message, { 'www-authenticate': authenticate });
  }
}

/** Unauthenticated clients do not get the details. */
function fail(exchange: HttpExchange, error: unknown): void {
  process.emitWarning(toError(error));
  refuseExchange(exchange, 500, 'The request cannot be served: see the log of the server');
}

/** Lets a page of an allowed origin read responses. Returns true if the request was a preflight, which is then answered. */
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

/** The URL at which MCP is served, for clients that must get a token for it. */
interface ProtectedResource {
  origin: string;
  path: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** The metadata document at this path, for the resource itself and each server below it. Undefined if there is none. */
function resourceMetadata(path: string, resource: ProtectedResource, auth: Auth): object | undefined {
  if (!path.startsWith(WELL_KNOWN) || !auth.authorizationServers?.length) return undefined;
  const rest = path.slice(WELL_KNOWN.length);
  if (rest !== '' && !isWithin(rest, resource)) return undefined;
  return {
    resource: `${resource.origin}${rest || resource.path}`,
    authorization_servers: auth.authorizationServers,
    ...(auth.scope !== undefined && { scopes_supported: [auth.scope] }),
    bearer_methods_supported: ['header'],
  };
}

/** The value of `WWW-Authenticate`. */
export function challenge(
  path: string,
  resource: ProtectedResource | undefined,
  auth: Auth,
  refusal: AuthRefusal,
): string {
  const { error, scope = auth.scope } = refusal;
  const parts = error === undefined ? [] : [`error="${error}"`];
  if (resource && auth.authorizationServers?.length) {
    // The client's path is quoted only if it contains nothing that would end the quoted string.
    const at = isWithin(path, resource) && /^[\w./~%-]*$/.test(path) ? path : resource.path;
    parts.push(`resource_metadata="${resource.origin}${WELL_KNOWN}${at}"`);
  }
  if (scope !== undefined) parts.push(`scope="${scope}"`);
  return parts.length === 0 ? 'Bearer' : `Bearer ${parts.join(', ')}`;
}

function isWithin(path: string, { path: root }: ProtectedResource): boolean {
  return path === root || path.startsWith(`${root}/`);
}
