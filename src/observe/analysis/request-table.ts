// Pending requests in one direction of one connection, by id, progress token and HTTP request.

import { numberInText, type RequestId } from '../../wire/jsonrpc/message.ts';

interface Sent {
  readonly id: RequestId;
  readonly progressToken: RequestId | undefined;
  /** Over HTTP: the number of the HTTP request that carried it. */
  readonly http: number | undefined;
}

export class RequestTable<T extends Sent> {
  readonly #byId = new Map<RequestId, T>();
  readonly #byToken = new Map<RequestId, T>();
  readonly #byHttp = new Map<number, T>();

  add(request: T): void {
    const { id, http, progressToken } = request;
    this.#byId.set(id, request);
    if (http !== undefined) this.#byHttp.set(http, request);
    if (progressToken !== undefined) this.#byToken.set(progressToken, request);
  }

  /** A newer request may use the same id, which then stays. */
  forget(request: T): void {
    const { id, http, progressToken } = request;
    if (this.#byId.get(id) === request) this.#byId.delete(id);
    if (http !== undefined && this.#byHttp.get(http) === request) this.#byHttp.delete(http);
    if (progressToken !== undefined && this.#byToken.get(progressToken) === request) {
      this.#byToken.delete(progressToken);
    }
  }

  get isEmpty(): boolean {
    return this.#byId.size + this.#byToken.size + this.#byHttp.size === 0;
  }

  /** The id "1" also finds the request with id 1, unless a request with id "1" exists. */
  withId(id: RequestId): T | undefined {
    return this.#byId.get(id) ?? this.#byId.get(numberInText(id) ?? id);
  }

  withToken(token: RequestId): T | undefined {
    return this.#byToken.get(token);
  }

  /** The request that this HTTP request carried. */
  withHttp(exchange: number): T | undefined {
    return this.#byHttp.get(exchange);
  }

  /** Several clients of a tap may use the same id at once. The HTTP request that is answered distinguishes them. */
  answered(id: RequestId, http: number | undefined): T | undefined {
    const posted = http === undefined ? undefined : this.#byHttp.get(http);
    return posted?.id === id ? posted : this.withId(id);
  }

  all(): Iterable<T> {
    return this.#byId.values();
  }
}
