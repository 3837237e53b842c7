// The first step of every request: its Host and Origin, pages that are allowed (CORS), and who sent it. What passes goes on
// with its principal; everything else is answered here.

import { toError } from '../../base/errors.ts';
import { refuseForeignHeaders } from '../../http/access.ts';
import { type Auth, type AuthRefusal, isRefusal } from '../access/auth.ts';
import type { Principal } from '../principal.ts';
import type { HttpExchange } from './exchange.ts';
import { refuse } from './refuse.ts';

export interface GateOptions {
  /** The values of `Host` that are this server. Any, where absent: the application has checked it. */
  hosts?: ReadonlySet<string> | undefined;
  auth?: Auth | undefined;
}

type Serve = (exchange: HttpExchange) => void;

export class Gate {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #auth: Auth | undefined;

  constructor({ hosts, auth }: GateOptions) {
    this.#hosts = hosts;
    this.#auth = auth;
  }

  /** Without a promise where the principal is known at once. */
  pass(exchange: HttpExchange, serve: Serve): void {
    const foreign = this.#hosts && refuseForeignHeaders(hostAndOrigin(exchange), this.#hosts);
    if (foreign) return refuse(exchange, foreign.status, foreign.message);
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

function hostAndOrigin(exchange: HttpExchange) {
  return { host: exchange.header('host'), origin: exchange.header('origin') };
}
