// The one record of what happened: everything that servers, their pipes and processes, and the clients of a host did, in order, on
// one clock.
// Events are plain facts. What a frame means (a request, noise, half a message) is determined when it is displayed
// (analysis/describe-frame.ts) and never at capture, so that capture does not slow the traffic down.

import type { FrameFaultCode } from '../framing/framing.ts';
import type { HttpBody, HttpEnd, ObservedHop } from '../transport/wire.ts';

/** Between a host and a server. */
export type ServerDirection = 'toServer' | 'fromServer';
/** Or between a client and the host. */
export type FlowDirection = ServerDirection | 'fromClient' | 'toClient';

export interface FlowStamp {
  /** Counts from 1 within one store. None is left out: a gap means that events were dropped. */
  readonly seq: number;
  /** Milliseconds since the store began (`FlowStore.startedAt`), by a clock that never goes back. */
  readonly atMs: number;
  /** The name of the server; of an event of a client, the name of the client: `client 3`. */
  readonly server: string;
  /** Which process of this server, or connection to it, from 1. Of a client whose requests come alone, which request. */
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
  /** Of a message that came or went over HTTP. */
  readonly http?: HttpPlace | undefined;
}

export interface HttpPlace {
  /** Which HTTP request of this client or to this server brought it, or is answered with it, from 1. */
  readonly exchange: number;
  /** Of the response. */
  readonly status?: number | undefined;
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

/** A client of a host has connected, has said who it is, or is gone. Each event has all that is known of it. */
export interface ClientFact {
  readonly kind: 'client';
  readonly state: 'opened' | 'known' | 'closed';
  /** How it reaches the host: `socket`, `http`, `http+sse`. */
  readonly door: string;
  /** Who is behind it, where its door has verified that. */
  readonly principal?: string | undefined;
  /** What it calls itself. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly revision?: string | undefined;
  /** Each of its requests comes alone (2026-07-28 over HTTP): this is everything with the same name and principal. */
  readonly stateless?: true | undefined;
}

/** A request on another wire belongs to a request of this client: it was sent on its behalf, or is a question during it. */
export interface LinkFact {
  readonly kind: 'link';
  /** The id of the client's request. */
  readonly request: string | number;
  /** The wire of the other request: a server and its process, or the client itself. */
  readonly wire: string;
  readonly wireLife: number;
  readonly direction: FlowDirection;
  readonly id: string | number;
}

/** A remote server: connected, known better, disconnected. Each event has all that is known of it. */
export interface RemoteFact {
  readonly kind: 'remote';
  readonly state: 'connected' | 'known' | 'disconnected';
  /** Without credentials. */
  readonly url: string;
  /** `http`, or `http+sse` of 2024-11-05. */
  readonly transport?: string | undefined;
  readonly revision?: string | undefined;
  /** Shortened. */
  readonly session?: string | undefined;
  /** Why it was lost. Absent where it was closed from here. */
  readonly reason?: string | undefined;
}

/**
 * One HTTP request to a server: its response began (`answered`), there was none (`failed`), or the body of the response is over
 * (`ended`; of a body that is not a stream only where it was cut). URL and headers are masked at capture.
 */
export interface HttpFact {
  readonly kind: 'http';
  readonly state: 'answered' | 'failed' | 'ended';
  /** Its number among the requests of this life, from 1. Frames have it too. */
  readonly exchange: number;
  readonly method: string;
  readonly url: string;
  /** A line for each. Not in `ended`, like all that follows up to `body`. */
  readonly requestHeaders?: string | undefined;
  /** The request with the same message that this one repeats: after a redirect, or with another credential. */
  readonly repeats?: number | undefined;
  readonly status?: number | undefined;
  readonly responseHeaders?: string | undefined;
  /** From the request to the headers of the response. */
  readonly waitMs?: number | undefined;
  readonly body?: HttpBody | undefined;
  /** Of `failed` and `ended`. */
  readonly end?: HttpEnd | undefined;
  readonly reason?: string | undefined;
}

/** A request to a server of a fleet was answered by another node. Comes before the answer. */
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

/** Whether it is an event of a client and not of a server. */
export function isOfClient(event: FlowFact): boolean {
  switch (event.kind) {
    case 'frame':
    case 'fault':
      return event.direction === 'fromClient' || event.direction === 'toClient';
    default:
      return event.kind === 'client' || event.kind === 'link';
  }
}

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
    case 'client':
      return textsIn(event.door, event.principal, event.name, event.version, event.revision);
    case 'link':
      return [String(event.request), event.wire, String(event.id)];
    case 'remote':
      return textsIn(event.url, event.transport, event.revision, event.session, event.reason);
    case 'http':
      return textsIn(event.method, event.url, event.requestHeaders, event.responseHeaders, event.reason);
    case 'hop':
      return [String(event.id), event.node];
  }
}

function textsIn(...texts: (string | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined);
}
