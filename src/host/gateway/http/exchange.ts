// One HTTP request and its response, independent of the library that received it: `http` of Node.js, or Web `Request`
// and `Response`.

import type { ObservedClient } from '../../../mcp/adapter/client-observer.ts';
import type { Admission } from '../admission.ts';
import type { Principal } from '../principal.ts';

export interface EventWriter {
  write(text: string): void;
  end(): void;
  /** Closes the connection immediately and drops pending data. */
  abort(): void;
  /** Number of bytes that the client has not read yet. */
  readonly waiting: number;
  /** Called when the client has read all pending data. */
  ondrain: (() => void) | undefined;
}

export interface HttpExchange {
  /** The verified sender, if known. */
  principal: Principal | undefined;
  readonly method: string;
  /** Path of the URL, without the query. */
  readonly path: string;
  /** Undefined if the URL has no query. */
  readonly query: URLSearchParams | undefined;
  /** `name` must be lower case. */
  header(name: string): string | undefined;
  /** The admission of the request, held until it is over. */
  admission: Admission | undefined;
  /**
   * The body as text. Undefined if it is longer than `maxBytes`, or if `mayHold` refused the given number of additional
   * bytes.
   */
  text(maxBytes: number, mayHold?: (bytes: number) => boolean): Promise<string | undefined>;
  /** Sets a header for any later response. */
  setHeader(name: string, value: string): void;
  answer(status: number, headers: Readonly<Record<string, string>>, body?: string): void;
  /** Starts a response that is written in pieces. */
  stream(headers: Readonly<Record<string, string>>): EventWriter;
  /** True if `onclose` was called, or would have been. */
  readonly isClosed: boolean;
  /**
   * Called once: with true when the response is written completely, or with false if the client disconnected earlier.
   */
  onclose: ((isComplete: boolean) => void) | undefined;
  /** Tells observers which client sent the request. */
  belongsTo?(client: ObservedClient | undefined): void;
}
