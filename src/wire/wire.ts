// A wire carries text frames to one other end: a child, our parent, a socket. It handles bytes, processes and closing;
// the protocol on top (JSON-RPC, LiteMCP) interprets the frames. Types only: pure code may import them.

import type { Clock } from '../base/clock.ts';
import type { Evidence, Phase } from '../base/errors.ts';
import type { Symptoms } from './diagnosis/symptoms.ts';
import type { FrameObserver } from './framing/delivery.ts';
import type { FrameSink, Framing } from './framing/framing.ts';
import type { SendBudget } from './send-budget.ts';

/** Callbacks of the protocol on top of a wire. */
export interface WireEvents {
  readonly frames: FrameSink;
  /** A failure that does not end the wire. */
  error(error: Error): void;
  /** True when too many answers are queued for the other end, false when it has caught up. Reading pauses in the meantime. */
  full?(isFull: boolean): void;
  /** The other end has closed its sending side but may still read. */
  ending?(): void;
  /** Number of pending requests that will still be answered. A wire whose input has ended waits for these answers. */
  unanswered?(): number;
  /** The wire is closed. Called once, after the last frame. */
  closed(error: Error | undefined): void;
}

export interface Wire {
  /** Phase of the connection. The protocol sets `running` at its first real message. */
  phase: Phase;
  /** The first input that the protocol rejected as a message. Part of error evidence. */
  firstNoise: string | undefined;
  /** Maximum size of an inbound frame. */
  readonly maxFrameBytes: number;
  /** The error that closed the wire, if any. */
  readonly closeError: Error | undefined;
  start(events: WireEvents): Promise<void>;
  /**
   * Resolves when the text is handed on: with `SENT` itself if that was possible immediately. `neverRefuse` is for
   * answers: they are queued regardless of the queue size.
   */
  send(text: string, neverRefuse?: boolean, together?: boolean): Promise<void>;
  /** Reads no further input until the promise has resolved. Frames that have been read are still delivered. */
  holdInput?(until: Promise<void>): void;
  /** Number of writes begun. A text that was not followed by a write was certainly never sent. */
  readonly writes: number;
  close(): Promise<void>;
  evidence(): Evidence;
  /** Input for the diagnosis of a failed start. Only wires to a child process provide it. */
  symptoms?(): Symptoms | undefined;
  /** Masks the values of the child's `env`. */
  mask?(text: string): string;
}

/** Observes everything that happens on a wire without changing it. */
export interface WireObserver extends FrameObserver {
  spawned?(pid: number, command: string): void;
  /** Called for each written message. */
  sent?(text: string): void;
  /** Replaces `sent` for messages written together. `places` holds start and end of each message in `chunk`. */
  sentSpans?(chunk: Uint8Array, places: number[]): void;
  stderr?(chunk: Uint8Array): void;
  exited?(exitCode: number | null, signal: string | null): void;
  /** All processes that the child started have exited. `rung`: the stop rung that was needed. */
  stopped?(rung: string): void;
  /** Called for a remote server instead of `spawned`. */
  connected?(url: string): void;
  /** Called when facts about the remote server become known. */
  learned?(facts: RemoteFacts): void;
  /**
   * Called for a remote server instead of `exited`. `reason`: why the connection was lost; absent if this end closed
   * it.
   */
  disconnected?(reason?: string): void;
  /** An HTTP request begins. Its messages are reported to the returned observer instead of `sent` and `received`. */
  exchange?(request: ObservedRequest): ExchangeObserver;
}

/** Facts about the connection to a remote server. */
export interface RemoteFacts {
  readonly transport?: 'http' | 'http+sse' | undefined;
  readonly revision?: string | undefined;
  /** The session id, shortened for display, because the complete id gives access to the session. */
  readonly session?: string | undefined;
}

/** A request without credentials, with bounded size (secrets/mask-http.ts). */
export interface ObservedRequest {
  readonly method: string;
  readonly url: string;
  /** One line per header. */
  readonly headers: string;
  /** Number of the first request with the same message, if this one repeats it after a redirect or with another credential. */
  readonly repeats?: number | undefined;
}

/** `other`: neither JSON nor events. */
export type HttpBody = 'json' | 'stream' | 'none' | 'other';

/** `cut`: the other end or the network ended the exchange. `aborted`: this end ended it. */
export type HttpEnd = 'complete' | 'cut' | 'aborted';

/** Observes one HTTP request and its response. */
export interface ExchangeObserver {
  /** The request's number, or the number of the request that it repeats. */
  readonly first: number;
  /** The message in the request body. */
  sent(text: string): void;
  /** `headers`: one masked line per header. */
  answered(status: number, headers: string, body: HttpBody): void;
  /** A message in the response: chunk[start, end). */
  received(chunk: Uint8Array, start: number, end: number): void;
  /** A message in the response exceeded the limit and was not read. */
  tooLong?(bytes: number): void;
  /** Called once. */
  ended(end: HttpEnd, reason?: string): void;
}

export interface WireOptions {
  /** Message framing. Default: newlines, as in MCP. */
  framing?: Framing;
  /** Maximum bytes of an inbound message. A longer one fails alone. */
  maxFrameBytes?: number;
  /** Maximum JSON values (objects, arrays, strings, numbers) in an inbound message. One with more fails alone. */
  maxFrameValues?: number;
  /**
   * Maximum characters of JSON queued for a peer that does not read. Beyond that, `send` is refused; answers are not,
   * but reading stops until the peer has taken half of them.
   */
  maxQueuedChars?: number;
  /** Limit for the data queued on several wires together. */
  budget?: SendBudget;
  /** The clock for all timeouts. */
  clock?: Clock;
  observer?: WireObserver;
}
