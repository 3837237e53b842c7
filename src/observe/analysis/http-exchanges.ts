// Groups events by HTTP request to a server. Bounded: the oldest requests are forgotten.

import type { FlowEvent } from '../flow/event.ts';
import { keepNewest } from './keep-newest.ts';

export interface HttpTrace {
  /** The event with the response headers. Absent until the response begins or fails. */
  beganSeq?: number;
  /** The event that ends a stream. */
  endedSeq?: number;
  /** Sequence numbers of the first messages. */
  readonly frames: number[];
  frameCount: number;
}

const MOST_EXCHANGES = 20_000;
const MOST_FRAMES = 50;

export class HttpExchanges {
  readonly #traces = new Map<string, HttpTrace>();

  see(event: FlowEvent): void {
    const key = keyOf(event);
    if (key === undefined) return;
    let trace = this.#traces.get(key);
    if (!trace) {
      trace = { frames: [], frameCount: 0 };
      this.#traces.set(key, trace);
      keepNewest(this.#traces, MOST_EXCHANGES);
    }
    if (event.kind === 'http') {
      if (event.state === 'ended') trace.endedSeq = event.seq;
      else trace.beganSeq = event.seq;
      return;
    }
    trace.frameCount++;
    if (trace.frames.length < MOST_FRAMES) trace.frames.push(event.seq);
  }

  /** The HTTP request that the event belongs to, if any. */
  of(event: FlowEvent): HttpTrace | undefined {
    const key = keyOf(event);
    return key === undefined ? undefined : this.#traces.get(key);
  }
}

function keyOf(event: FlowEvent): string | undefined {
  const { server, life } = event;
  if (event.kind === 'http') return `${life} ${event.exchange} ${server}`;
  if (event.kind !== 'frame' || !event.http) return undefined;
  const isOfServer = event.direction === 'toServer' || event.direction === 'fromServer';
  return isOfServer ? `${life} ${event.http.exchange} ${server}` : undefined;
}
