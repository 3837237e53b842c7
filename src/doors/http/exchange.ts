// One HTTP request and the way to answer it, whatever library received it: Node's `http` or Web `Request` and `Response`.

import type { ObservedClient } from '../../mcp/front/client-observer.ts';
import type { Principal } from '../principal.ts';
import type { Ticket } from '../ticket.ts';

export interface EventSink {
  write(text: string): void;
  end(): void;
  /** Closes the connection at once: what waits for the client is dropped. */
  abort(): void;
  /** How many bytes wait for the client. */
  readonly waiting: number;
  /** The client has taken what waited. */
  ondrain: (() => void) | undefined;
}

export interface HttpExchange {
  /** Who sent it, where that was verified. */
  principal: Principal | undefined;
  readonly method: string;
  /** Of the URL, without the query. */
  readonly path: string;
  /** Undefined where the URL has none. */
  readonly query: URLSearchParams | undefined;
  /** `name` in lower case. */
  header(name: string): string | undefined;
  /** What it is counted as, until it is over. */
  ticket: Ticket | undefined;
  /** The body as text, or undefined where it is longer, or `mayHold` refused to hold as many bytes more. */
  text(maxBytes: number, mayHold?: (bytes: number) => boolean): Promise<string | undefined>;
  /** Sent with the answer, whatever that is. */
  setHeader(name: string, value: string): void;
  answer(status: number, headers: Readonly<Record<string, string>>, body?: string): void;
  /** Begins an answer that is written piece by piece. */
  stream(headers: Readonly<Record<string, string>>): EventSink;
  /** `onclose` has been called, or would have been. */
  readonly isClosed: boolean;
  /** The answer has been written whole, or (false) the client went away before. Called once. */
  onclose: ((isComplete: boolean) => void) | undefined;
  /** For observers: the client that sent it. */
  belongsTo?(client: ObservedClient | undefined): void;
}
