// A request and its outcome.

import type { RequestId } from '../../wire/jsonrpc/message.ts';
import type { FlowDirection, HopFact } from '../flow/event.ts';

/**
 * `tool-error`: answered with `isError`. `cancelled`: the sender cancelled the request. `lost`: the process exited first. A response
 * that was still in the pipe replaces `lost`.
 */
export type ExchangeOutcome = 'pending' | 'ok' | 'error' | 'tool-error' | 'cancelled' | 'lost';

export interface Exchange {
  readonly server: string;
  readonly life: number;
  /** The direction of the request. */
  readonly direction: FlowDirection;
  readonly id: RequestId;
  readonly method: string;
  /** The tool name in `tools/call`. */
  readonly tool: string | undefined;
  readonly progressToken: RequestId | undefined;
  /** Over HTTP: the number of the HTTP request that carried it. */
  readonly http: number | undefined;
  readonly requestSeq: number;
  readonly requestBytes: number;
  readonly startMs: number;
  outcome: ExchangeOutcome;
  /** The time at which the outcome was known. */
  endMs?: number;
  answerSeq?: number;
  answerBytes?: number;
  error?: { code: number; message: string };
  cancelSeq?: number;
  /** The number of progress notifications. */
  progressCount: number;
  lastProgressSeq?: number;
  /** The node that answered, for a request to a server of a fleet. */
  hop?: HopFact;
  /** For a client request: the requests to servers on its behalf, and the questions during it. */
  links?: Exchange[];
  /** The inverse of `links`: the client requests that this request belongs to. */
  causes?: Exchange[];
}

export function latencyMs(exchange: Exchange): number | undefined {
  return exchange.answerSeq === undefined ? undefined : exchange.endMs! - exchange.startMs;
}

/** A server of an older revision answers `server/discover` with an error. The client then sends `initialize`. */
export function isRefusedProbe({ method, outcome }: Exchange): boolean {
  return method === 'server/discover' && outcome === 'error';
}

export function isFailure(exchange: Exchange): boolean {
  const { outcome } = exchange;
  return outcome !== 'ok' && outcome !== 'pending' && outcome !== 'cancelled' && !isRefusedProbe(exchange);
}

/** Approximate memory of an exchange without its strings. */
const EXCHANGE_BYTES = 300;

/** Approximate memory of an exchange, in bytes. */
export function weightOf({ server, method, tool, id, progressToken, error }: Exchange): number {
  const chars = server.length + method.length + (tool?.length ?? 0) + (error?.message.length ?? 0);
  return EXCHANGE_BYTES + chars + lengthOf(id) + lengthOf(progressToken);
}

function lengthOf(id: RequestId | undefined): number {
  return typeof id === 'string' ? id.length : 0;
}
