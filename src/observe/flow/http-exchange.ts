// Records one HTTP request to a server and its response as events of a store.

import type { ExchangeObserver, HttpBody, HttpEnd, ObservedRequest } from '../../wire/wire.ts';
import { encodeOnce } from './encode-once.ts';
import type { HttpPlace } from './event.ts';
import type { FlowStore } from './store.ts';

export class FlowHttpExchange implements ExchangeObserver {
  readonly first: number;
  readonly #number: number;
  readonly #store: FlowStore;
  readonly #server: string;
  readonly #life: number;
  readonly #request: ObservedRequest;
  readonly #beganMs: number;
  #place: HttpPlace;
  #body: HttpBody | undefined;

  constructor(store: FlowStore, server: string, life: number, number: number, request: ObservedRequest) {
    this.#store = store;
    this.#server = server;
    this.#life = life;
    this.#number = number;
    this.first = request.repeats ?? number;
    this.#request = request;
    this.#place = { exchange: number };
    this.#beganMs = store.clock.nowMs();
  }

  sent(text: string): void {
    const place = { exchange: this.#number };
    this.#store.appendFrame(this.#server, this.#life, 'toServer', encodeOnce(text), undefined, place);
  }

  answered(status: number, responseHeaders: string, body: HttpBody): void {
    this.#place = { exchange: this.#number, status };
    this.#body = body;
    const waitMs = this.#waitedMs();
    this.#add('answered', { ...this.#described(), status, responseHeaders, waitMs, body });
  }

  received(chunk: Uint8Array, start: number, end: number): void {
    const bytes = chunk.subarray(start, end);
    this.#store.appendFrame(this.#server, this.#life, 'fromServer', bytes, undefined, this.#place);
  }

  tooLong(length: number): void {
    const fact = { kind: 'fault', direction: 'fromServer', code: 'FRAME_TOO_LONG', offset: 0, length } as const;
    this.#store.append(this.#server, this.#life, { ...fact, prefix: new Uint8Array(0) });
  }

  ended(end: HttpEnd, reason?: string): void {
    if (this.#body === undefined) {
      this.#add('failed', { ...this.#described(), waitMs: this.#waitedMs(), end, reason });
    } else if (this.#body === 'stream' || end === 'cut') {
      this.#add('ended', { status: this.#place.status, body: this.#body, end, reason });
    }
  }

  #described() {
    const { headers: requestHeaders, repeats } = this.#request;
    return { requestHeaders, repeats };
  }

  #waitedMs(): number {
    return this.#store.clock.nowMs() - this.#beganMs;
  }

  #add(state: 'answered' | 'failed' | 'ended', rest: object): void {
    const { method, url } = this.#request;
    this.#store.append(this.#server, this.#life, { kind: 'http', state, exchange: this.#number, method, url, ...rest });
  }
}
