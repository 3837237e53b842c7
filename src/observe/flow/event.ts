// The record of everything that servers, their pipes and processes, and the clients of a host did, in order, on one clock.
// Events are plain facts. The meaning of a frame (a request, stray output, half a message) is determined when it is displayed
// (analysis/describe-frame.ts) and never at capture, so that capture does not slow the traffic down.

import type { FrameFaultCode } from '../../wire/framing/framing.ts';
import type { HttpBody, HttpEnd } from '../../wire/wire.ts';

/** Between a host and a server. */
export type ServerDirection = 'toServer' | 'fromServer';
/** Also between a client and the host. */
export type FlowDirection = ServerDirection | 'fromClient' | 'toClient';

export interface FlowStamp {
  /** Counts from 1 within one store without gaps. A gap means that events were dropped. */
  readonly seq: number;
  /** Milliseconds since the store began (`FlowStore.startedAt`), by a monotonic clock. */
  readonly atMs: number;
  /** The name of the server. For an event of a client, the name of the client: `client 3`. */
  readonly server: string;
  /**
   * Number of the process run or connection of this server, from 1. For a stateless client, the number of the request.
   */
  readonly life: number;
}

export interface SpawnFact {
  readonly kind: 'spawn';
  /** The command for display. */
  readonly command: string;
  readonly pid: number;
}

/** One frame as it was on the pipe, without its delimiter. */
export interface FrameFact {
  readonly kind: 'frame';
  readonly direction: FlowDirection;
  /** The raw bytes; only the first ones if `cut`; with secrets replaced if `redacted`. */
  readonly payload: Uint8Array;
  /** Original number of bytes on the pipe. */
  readonly length: number;
  /** Offset of the first byte in the stream. Absent if messages were observed instead of the stream. */
  readonly offset?: number | undefined;
  /** True if the frame is too long to store: `payload` is its beginning and `tail` its end. */
  readonly cut?: true | undefined;
  readonly tail?: Uint8Array | undefined;
  readonly redacted?: true | undefined;
  /** Set for a message over HTTP. */
  readonly http?: HttpPlace | undefined;
}

export interface HttpPlace {
  /**
   * Number of the HTTP request of this client or to this server that carried the message or is answered with it, from
   * 1.
   */
  readonly exchange: number;
  /** Status of the response. */
  readonly status?: number | undefined;
}

/** Bytes that did not form a frame. */
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
  /** Original number of bytes written. */
  readonly length: number;
  readonly redacted?: true | undefined;
}

export interface StateFact {
  readonly kind: 'state';
  readonly from: string;
  readonly to: string;
  readonly reason?: string | undefined;
}

/** A signal that was sent or forwarded to the server. */
export interface SignalFact {
  readonly kind: 'signal';
  readonly signal: string;
}

export interface ExitFact {
  readonly kind: 'exit';
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** All processes of the server are gone. `rung`: the stop rung that was needed. */
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

/** A client of a host has connected, described itself or disconnected. Each event has all known facts. */
export interface ClientFact {
  readonly kind: 'client';
  readonly state: 'opened' | 'known' | 'closed';
  /** The gateway of the client: `socket`, `http`, `http+sse`. */
  readonly door: string;
  /** The verified principal, if any. */
  readonly principal?: string | undefined;
  /** The name that the client gives itself. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly revision?: string | undefined;
  /**
   * True if each request is independent (2026-07-28 over HTTP). The client then stands for all requests with the same
   * name and principal.
   */
  readonly stateless?: true | undefined;
}

/** A request on another wire belongs to a request of this client: it was sent on its behalf, or is a question during it. */
export interface LinkFact {
  readonly kind: 'link';
  /** The id of the client's request. */
  readonly request: string | number;
  /** The wire of the other request: a server and its process run, or the client itself. */
  readonly wire: string;
  readonly wireLife: number;
  readonly direction: FlowDirection;
  readonly id: string | number;
}

/** A remote server was connected, described or disconnected. Each event has all known facts. */
export interface RemoteFact {
  readonly kind: 'remote';
  readonly state: 'connected' | 'known' | 'disconnected';
  /** URL without credentials. */
  readonly url: string;
  /** `http`, or `http+sse` of 2024-11-05. */
  readonly transport?: string | undefined;
  readonly revision?: string | undefined;
  /** Shortened session id. */
  readonly session?: string | undefined;
  /** Why the connection was lost. Absent if this side closed it. */
  readonly reason?: string | undefined;
}

/**
 * One HTTP request to a server: its response began (`answered`), there was none (`failed`), or the response body is over (`ended`; for a
 * non-stream body only if it was cut). URL and headers are masked at capture.
 */
export interface HttpFact {
  readonly kind: 'http';
  readonly state: 'answered' | 'failed' | 'ended';
  /** Number of the request within this process run, from 1. Its frames carry the same number. */
  readonly exchange: number;
  readonly method: string;
  readonly url: string;
  /** One line per header. Absent in `ended`, like all members up to `body`. */
  readonly requestHeaders?: string | undefined;
  /** The request with the same message that this one repeats after a redirect or with another credential. */
  readonly repeats?: number | undefined;
  readonly status?: number | undefined;
  readonly responseHeaders?: string | undefined;
  /** Time from the request to the response headers. */
  readonly waitMs?: number | undefined;
  readonly body?: HttpBody | undefined;
  /** Set for `failed` and `ended`. */
  readonly end?: HttpEnd | undefined;
  readonly reason?: string | undefined;
}

/** Timing of a request at another node of a fleet, in milliseconds of that node's wall clock. Only differences are exact. */
export interface ObservedHop {
  /** Id of the request. */
  readonly id: string | number;
  readonly node: string;
  readonly generation?: number | undefined;
  /** Pid of the server process on that node. */
  readonly pid?: number | undefined;
  readonly receivedMs: number;
  readonly answeredMs: number;
  /** Measured offset of that node's clock ahead of ours, and its uncertainty. */
  readonly offsetMs?: number | undefined;
  readonly uncertaintyMs?: number | undefined;
}

/** Another node answered a request to a server of a fleet. Precedes the answer. */
export interface HopFact extends ObservedHop {
  readonly kind: 'hop';
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
  | NoteFact
  | ClientFact
  | LinkFact
  | RemoteFact
  | HttpFact
  | HopFact;

export type FlowKind = FlowFact['kind'];
export type FlowEvent = FlowStamp & FlowFact;
export type FrameEvent = FlowStamp & FrameFact;

/** True for an event of a client rather than a server. */
export function isOfClient(event: FlowFact): boolean {
  switch (event.kind) {
    case 'frame':
    case 'fault':
      return event.direction === 'fromClient' || event.direction === 'toClient';
    default:
      return event.kind === 'client' || event.kind === 'link';
  }
}
