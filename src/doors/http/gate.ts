// The first step of every request: its Host and Origin, pages that are allowed (CORS), and who sent it. What passes goes on
// with its principal; everything else is answered here.

import { toError } from '../../base/errors.ts';
import { refuseForeignHeaders } from '../../http/access.ts';
import { type Auth, type AuthRefusal, isRefusal } from '../access/auth.ts';
import type { Principal } from '../principal.ts';
import { answerPage } from './cors.ts';
import type { HttpExchange } from './exchange.ts';
import { refuse } from './refuse.ts';

export interface GateOptions {
  /** The values of `Host` that are this server. Any, where absent: the application has checked it. */
  hosts?: ReadonlySet<string> | undefined;
  /** The origins of pages of this server. */
  origins?: ReadonlySet<string> | undefined;
  /** The origins of other pages that may use it. */
  allowedOrigins?: ReadonlySet<string> | undefined;
  auth?: Auth | undefined;
}

type Serve = (exchange: HttpExchange) => void;

export class Gate {
  readonly #hosts: ReadonlySet<string> | undefined;
  /** Of all pages that may use it. */
  readonly #origins: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string>;
  readonly #auth: Auth | undefined;

  constructor({ hosts, origins = new Set(), allowedOrigins = new Set(), auth }: GateOptions) {
    this.#hosts = hosts;
    this.#origins = new Set([...origins, ...allowedOrigins]);
    this.#allowed = allowedOrigins;
    this.#auth = auth;
  }

  /** Without a promise where the principal is known at once. */
  pass(exchange: HttpExchange, serve: Serve): void {
    if (this.#hosts) {
      const origin = exchange.header('origin');
      const host = exchange.header('host')?.toLowerCase();
      const foreign = refuseForeignHeaders({ host, origin }, this.#hosts, this.#origins);
      if (foreign) return refuse(exchange, foreign.status, foreign.message);
      if (origin !== undefined && this.#allowed.has(origin) && answerPage(exchange, origin)) return;
    }
    if (!this.#auth) return serve(exchange);
    const found = this.#auth.authenticate(exchange);
    if (!(found instanceof Promise)) return this.#admit(exchange, found, serve);
    found.then(
      (known) => this.#admit(exchange, known, serve),
      (error) => refuse(exchange, 500, `The client cannot be authenticated: ${toError(error).message}`),
    );
  }

  #admit(exchange: HttpExchange, found: Principal | AuthRefusal, serve: Serve): void {
    if (isRefusal(found)) return this.#refuse(exchange, found);
    exchange.principal = found;
    serve(exchange);
  }

  #refuse(exchange: HttpExchange, { status, message }: AuthRefusal): void {
    if (status === 503) return refuse(exchange, status, message, { 'retry-after': '5' });
    refuse(exchange, status, message, { 'www-authenticate': 'Bearer' });
  }
}
