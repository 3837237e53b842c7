// The one record of what happened: everything that a server, its pipe and its process did, in order, on one clock.
// Events are plain facts. What a frame means (a request, noise, half a message) is determined when it is displayed
// (analysis/describe-frame.ts) and never at capture, so that capture does not slow the traffic down.

import type { FrameFaultCode } from '../framing/framing.ts';

export type FlowDirection = 'toServer' | 'fromServer';

export interface FlowStamp {
  /** Counts from 1 within one store. None is left out: a gap means that events were dropped. */
  readonly seq: number;
  /** Milliseconds since the store began (`FlowStore.startedAt`), by a clock that never goes back. */
  readonly atMs: number;
  readonly server: string;
  /** Which process of this server, from 1. */
  readonly life: number;
}

export interface SpawnFact {
  readonly kind: 'spawn';
  /** For display. */
  readonly command: string;
  readonly pid: number;
}

/** One frame as it was on the pipe, without its delimiter. */
export interface FrameFact {
  readonly kind: 'frame';
  readonly direction: FlowDirection;
  /** Its raw bytes; the first of them where `cut`; with secrets replaced where `redacted`. */
  readonly payload: Uint8Array;
  /** How many bytes it had on the pipe, whatever is kept of it. */
  readonly length: number;
  /** The place of its first byte in the stream. Absent where messages were seen and not the stream. */
  readonly offset?: number | undefined;
  /** Too long to be kept: `payload` is its beginning and `tail` its end. */
  readonly cut?: true | undefined;
  readonly tail?: Uint8Array | undefined;
  readonly redacted?: true | undefined;
}

/** Bytes that became no frame. */
export interface FaultFact {
  readonly kind: 'fault';
  readonly direction: FlowDirection;
  readonly code: FrameFaultCode;
  readonly offset: number;
  readonly length: number;
  readonly prefix: Uint8Array;
  readonly redacted?: true | undefined;
}

export interface StderrFact {
  readonly kind: 'stderr';
  readonly payload: Uint8Array;
  /** How many bytes were written, whatever is kept of them. */
  readonly length: number;
  readonly redacted?: true | undefined;
}

export interface StateFact {
  readonly kind: 'state';
  readonly from: string;
  readonly to: string;
  readonly reason?: string | undefined;
}

/** A signal that was sent to the server, or passed on to it. */
export interface SignalFact {
  readonly kind: 'signal';
  readonly signal: string;
}

export interface ExitFact {
  readonly kind: 'exit';
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Everything that the server had started is gone; what that took. */
export interface StopFact {
  readonly kind: 'stop';
  readonly rung: string;
}

export interface ErrorFact {
  readonly kind: 'error';
  readonly code: string;
  readonly message: string;
}

export interface NoteFact {
  readonly kind: 'note';
  readonly text: string;
}

export type FlowFact =
  | SpawnFact
  | FrameFact
  | FaultFact
  | StderrFact
  | StateFact
  | SignalFact
  | ExitFact
  | StopFact
  | ErrorFact
  | NoteFact;

export type FlowKind = FlowFact['kind'];
export type FlowEvent = FlowStamp & FlowFact;
export type FrameEvent = FlowStamp & FrameFact;

/** What an event holds that has no fixed size: bytes of a pipe, and texts. */
export function partsOf(event: FlowFact): (Uint8Array | string)[] {
  switch (event.kind) {
    case 'frame':
      return event.tail ? [event.payload, event.tail] : [event.payload];
    case 'stderr':
      return [event.payload];
    case 'fault':
      return [event.code, event.prefix];
    case 'spawn':
      return [event.command];
    case 'state':
      return [event.from, event.to, event.reason ?? ''];
    case 'error':
      return [event.code, event.message];
    case 'note':
      return [event.text];
    case 'signal':
      return [event.signal];
    case 'exit':
      return [event.signal ?? ''];
    case 'stop':
      return [event.rung];
  }
}
