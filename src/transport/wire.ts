// A wire carries frames of text to one other end: a child, our own parent, a socket. It knows bytes, processes and the
// end of things; what the frames say is for the protocol on top (JSON-RPC, LiteMCP). Types only: pure code may use them.

import type { Clock } from '../base/clock.ts';
import type { Evidence, Phase } from '../base/errors.ts';
import type { Symptoms } from '../diagnosis/symptoms.ts';
import type { FrameObserver } from '../framing/delivery.ts';
import type { FrameSink, Framing } from '../framing/framing.ts';
import type { SendBudget } from './send-budget.ts';

/** The protocol on top of a wire. */
export interface WireEvents {
  readonly frames: FrameSink;
  /** Something failed; the wire goes on as far as it can. */
  error(error: Error): void;
  /** More answers wait than the other end has taken; false when it has caught up. Nothing is read meanwhile. */
  full?(isFull: boolean): void;
  /** The other end has stopped talking, but may still listen. */
  ending?(): void;
  /** How many requests will still be answered. A wire whose other end has stopped talking waits for the answers. */
  unanswered?(): number;
  /** The wire is over, for whatever reason. Called once, after the last frame. */
  closed(error: Error | undefined): void;
}

export interface Wire {
  /** How far things have come. The protocol sets `running` at its first real message. */
  phase: Phase;
  /** The first input that the protocol did not accept as a message; part of the evidence of errors. */
  firstNoise: string | undefined;
  /** The most bytes that an inbound frame may have. */
  readonly maxFrameBytes: number;
  /** Why the wire closed, once it has. */
  readonly closeError: Error | undefined;
  start(events: WireEvents): Promise<void>;
  /**
   * Resolves once the text is handed on: with `SENT` itself when that was possible at once. `neverRefuse` is for answers:
   * they wait, however much waits already.
   */
  send(text: string, neverRefuse?: boolean, together?: boolean): Promise<void>;
  /** How many writes were begun. A text that no write has followed was certainly never sent. */
  readonly writes: number;
  close(): Promise<void>;
  evidence(): Evidence;
  /** What a diagnosis of a failed start looks at; a child has it. */
  symptoms?(): Symptoms | undefined;
  /** Hides the values of the child's `env`. */
  mask?(text: string): string;
}

/** Sees everything that happens on a wire, as it happens, and changes nothing. */
export interface WireObserver extends FrameObserver {
  spawned?(pid: number, command: string): void;
  /** One message that is written. */
  sent?(text: string): void;
  /** Instead of `sent`, all that is written together: each is chunk[start, end), and `places` has start and end of each. */
  sentSpans?(chunk: Uint8Array, places: number[]): void;
  stderr?(chunk: Uint8Array): void;
  exited?(exitCode: number | null, signal: string | null): void;
  /** Everything that the child had started is gone; what that took. */
  stopped?(rung: string): void;
  /** Of a remote server, instead of `spawned`. */
  connected?(url: string): void;
  /** What has become known of it since. */
  learned?(facts: RemoteFacts): void;
  /** Instead of `exited`. `reason`: why the connection was lost; absent where this end closed it. */
  disconnected?(reason?: string): void;
  /** An HTTP request begins. Its messages are reported to what is returned, and not by `sent` and `received`. */
  exchange?(request: ObservedRequest): ExchangeObserver;
  /** Another node of a fleet has answered a request. Reported before its answer. */
  hop?(hop: ObservedHop): void;
}

/** How a request went at another node. Its times are milliseconds of that node's wall clock, and only their distance is exact. */
export interface ObservedHop {
  /** Of the request. */
  readonly id: string | number;
  readonly node: string;
  readonly generation?: number | undefined;
  /** The process of the server there. */
  readonly pid?: number | undefined;
  readonly receivedMs: number;
  readonly answeredMs: number;
  /** How far that clock is ahead of this node's, as measured, and how far that may be wrong. */
  readonly offsetMs?: number | undefined;
  readonly uncertaintyMs?: number | undefined;
}

/** How a remote server is spoken to. */
export interface RemoteFacts {
  readonly transport?: 'http' | 'http+sse' | undefined;
  readonly revision?: string | undefined;
  /** Shortened where it is shown: the whole id gives access to the session. */
  readonly session?: string | undefined;
}

/** Without credentials, and bounded (secrets/mask-http.ts). */
export interface ObservedRequest {
  readonly method: string;
  readonly url: string;
  /** A line for each. */
  readonly headers: string;
  /** The number of the first request with the same message, if this one repeats it: after a redirect, or with another credential. */
  readonly repeats?: number | undefined;
}

/** `other`: neither JSON nor events. */
export type HttpBody = 'json' | 'stream' | 'none' | 'other';

/** `cut`: the other end or the network ended it. `aborted`: this end did. */
export type HttpEnd = 'complete' | 'cut' | 'aborted';

/** One HTTP request and its response. */
export interface ExchangeObserver {
  /** Its number, or that of the request that it repeats. */
  readonly first: number;
  /** The message in its body. */
  sent(text: string): void;
  /** `headers`: a line for each, masked. */
  answered(status: number, headers: string, body: HttpBody): void;
  /** A message in the response: chunk[start, end). */
  received(chunk: Uint8Array, start: number, end: number): void;
  /** A message in the response was longer than allowed, and was not read. */
  tooLong?(bytes: number): void;
  /** Called once. */
  ended(end: HttpEnd, reason?: string): void;
}

export interface WireOptions {
  /** Message framing on the pipe. Default: newlines, as in MCP. */
  framing?: Framing;
  /** The most bytes one inbound message may have; a longer one fails alone. */
  maxFrameBytes?: number;
  /** The most JSON values (objects, arrays, strings, numbers) one inbound message may hold; one with more fails alone. */
  maxFrameValues?: number;
  /**
   * How much may wait for an end that does not read, in characters of JSON. Beyond that `send` is refused; answers are
   * not, but nothing more is read before the other end has taken half of them.
   */
  maxQueuedChars?: number;
  /** What waits for the other ends of several wires together. */
  budget?: SendBudget;
  /** The clock that all waits are measured by. */
  clock?: Clock;
  observer?: WireObserver;
}
