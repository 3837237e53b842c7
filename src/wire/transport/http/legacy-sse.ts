// HTTP+SSE of 2024-11-05: one server stream, whose first event names the URL for POSTs. The connection ends with the stream.

import type { IncomingMessage } from 'node:http';
import { PeerError } from '../../../base/errors.ts';
import { type Endpoint, urlText } from './endpoint.ts';
import { EventReader } from './event-reader.ts';
import { HttpCall } from './http-call.ts';
import type { HttpConnection } from './http-connection.ts';
import { contentType } from './response-body.ts';

export interface LegacySseEvents {
  message(chunk: Uint8Array, start: number, end: number): void;
  tooLong(bytes: number): void;
  /** Called when the stream ends after it was opened. */
  ended(error: Error): void;
}

/** Time limit for the first event. */
const ENDPOINT_TIMEOUT_MS = 10_000;

export class LegacySse {
  /** The endpoint for POSTs, set by the server's first event. */
  to: Endpoint | undefined;
  readonly #connection: HttpConnection;
  readonly #events: LegacySseEvents;
  #call: HttpCall | undefined;
  /** Settles `open` while the stream is opening. */
  #settle: ((error?: Error) => void) | undefined;

  constructor(connection: HttpConnection, events: LegacySseEvents) {
    this.#connection = connection;
    this.#events = events;
  }

  /** Resolves when the server has named the endpoint for POSTs. */
  open(): Promise<void> {
    const { clock, head } = this.#connection;
    return new Promise((resolve, reject) => {
      const timer = clock.after(ENDPOINT_TIMEOUT_MS, () => {
        this.#fail(new Error(`No endpoint event arrived within ${ENDPOINT_TIMEOUT_MS} ms`));
      });
      this.#settle = (error) => {
        timer.cancel();
        this.#settle = undefined;
        if (error) reject(error);
        else resolve();
      };
      this.#call = new HttpCall(
        this.#connection,
        { method: 'GET', headers: (authorization) => head.get(undefined, authorization) },
        { response: (response) => this.#response(response), failed: (error) => this.#fail(error) },
      );
    });
  }

  close(): void {
    this.#call?.destroy();
    this.#settle?.(new PeerError('CONNECTION_CLOSED', 'Closed by this side'));
  }

  #response(response: IncomingMessage): void {
    const status = response.statusCode!;
    const type = contentType(response);
    if (status !== 200 || type !== 'text/event-stream') {
      response.destroy();
      const said = status === 200 ? `a response of the type ${type}` : `HTTP status ${status}`;
      return this.#fail(new Error(`GET was answered with ${said} instead of a stream of events`));
    }
    const reader = new EventReader(this.#connection, {
      message: (chunk, start, end) => this.#events.message(chunk, start, end),
      tooLong: (bytes) => this.#events.tooLong(bytes),
      event: (event, data) => {
        if (event === 'endpoint' && !this.to) this.#endpoint(data);
      },
    });
    reader.read(response, this.#call?.seen, (error) => this.#fail(error ?? new Error('The server ended the stream')));
  }

  /** All messages are posted to this URL. Another origin is refused because it would receive our headers. */
  #endpoint(data: string): void {
    const from = this.#connection.endpoint.url;
    const url = URL.canParse(data, from.href) ? new URL(data, from) : undefined;
    if (!url || url.origin !== from.origin) {
      const where = url ? urlText(url) : JSON.stringify(data.slice(0, 200));
      return this.#fail(new Error(`The server names an endpoint of another origin: ${where}`));
    }
    this.#connection.connector.endpoint(url).then(
      (endpoint) => {
        this.to = endpoint;
        this.#settle?.();
      },
      (error) => this.#fail(error),
    );
  }

  #fail(error: Error): void {
    this.#call?.destroy();
    if (this.#settle) this.#settle(error);
    else this.#events.ended(error);
  }
}
