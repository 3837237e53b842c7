// One request to the endpoint with the current credential. It is repeated, a limited number of times, if the server requires another
// credential or redirects to a safe address.

import type { IncomingMessage } from 'node:http';
import { toError } from '../../../base/errors.ts';
import { isThenable } from '../../../base/wait.ts';
import type { ExchangeObserver } from '../../wire.ts';
import { refusalOf } from './authorizer.ts';
import { type Endpoint, isSafeRedirect } from './endpoint.ts';
import type { HttpConnection } from './http-connection.ts';
import type { HttpEvents, HttpRequest } from './http-request.ts';

export interface Outgoing {
  method: 'POST' | 'GET' | 'DELETE';
  /** Called for each attempt. */
  headers(authorization: string | undefined): string[];
  body?: string;
  /** Replaces the endpoint of the connection. */
  to?: Endpoint | undefined;
}

/** A safety limit: authorizers usually give up earlier, with a reason. */
const MOST_REFUSALS = 5;
const MOST_REDIRECTS = 3;

export class HttpCall implements HttpEvents {
  readonly #connection: HttpConnection;
  readonly #outgoing: Outgoing;
  readonly #events: HttpEvents;
  #to: Endpoint;
  #request: HttpRequest | undefined;
  #refusals = 0;
  #redirects = 0;
  #isDestroyed = false;
  #authorization: string | undefined;

  constructor(connection: HttpConnection, outgoing: Outgoing, events: HttpEvents) {
    this.#connection = connection;
    this.#outgoing = outgoing;
    this.#events = events;
    this.#to = outgoing.to ?? connection.endpoint;
    this.#send();
  }

  /** False if it is certain that no server received the whole request. */
  get mayHaveArrived(): boolean {
    return this.#request?.mayHaveArrived ?? false;
  }

  get isRefusedByProxy(): boolean {
    return this.#request?.proxyStatus !== undefined;
  }

  /** The observer of the current attempt. */
  get seen(): ExchangeObserver | undefined {
    return this.#request?.seen;
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#request?.destroy();
  }

  response(response: IncomingMessage): void {
    const status = response.statusCode!;
    if (status < 300 || this.#isDestroyed) return this.#events.response(response);
    if (status === 401 || status === 403) return this.#refused(response);
    if (status === 307 || status === 308) return this.#redirected(response);
    this.#events.response(response);
  }

  failed(error: Error): void {
    if (!this.#isDestroyed) this.#events.failed(error);
  }

  #send(): void {
    const header = this.#connection.authorizer?.header();
    if (!isThenable(header)) return this.#open(header);
    header.then(
      (value) => this.#open(value as string | undefined),
      (error) => this.failed(toError(error)),
    );
  }

  #open(authorization: string | undefined): void {
    if (this.#isDestroyed) return;
    this.#authorization = authorization;
    this.#connection.authorization = authorization;
    const { method, body } = this.#outgoing;
    const { observed, connector } = this.#connection;
    try {
      const headers = this.#outgoing.headers(authorization);
      this.#request = connector.open(this.#to, { method, headers, body, observed, repeats: this.seen }, this);
    } catch (error) {
      // A header value is invalid.
      queueMicrotask(() => this.failed(toError(error)));
    }
  }

  #refused(response: IncomingMessage): void {
    const { authorizer } = this.#connection;
    const refusal = refusalOf(response, this.#authorization);
    if (!authorizer || !refusal || this.#refusals++ >= MOST_REFUSALS) return this.#events.response(response);
    const renewal = async () => authorizer.refused(refusal); // `async` turns a synchronous exception into a rejection
    renewal().then(
      (again) => {
        if (this.#isDestroyed) return;
        if (!again) return this.#events.response(response);
        response.destroy();
        this.#send();
      },
      (error) => {
        response.destroy();
        this.#request = undefined; // the refused attempt did not run
        this.failed(toError(error));
      },
    );
  }

  #redirected(response: IncomingMessage): void {
    const { location } = response.headers;
    const from = this.#to.url;
    const to = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    if (!to || !isSafeRedirect(from, to) || this.#redirects++ >= MOST_REDIRECTS) return this.#events.response(response);
    response.destroy();
    this.#connection.connector.endpoint(to).then(
      (endpoint) => {
        if (this.#outgoing.to === undefined) this.#connection.endpoint = endpoint;
        this.#to = endpoint;
        this.#send();
      },
      (error) => this.failed(toError(error)),
    );
  }
}
