// A request and its outcome.

import type { RequestId } from '../../wire/jsonrpc/message.ts';
import type { FlowDirection, HopFact } from '../flow/event.ts';

/**
 * `tool-error`: answered, and the tool reports a failure. `cancelled`: the side that asked gave up. `lost`: the process
 * ended first; an answer that was still in the pipe corrects that.
 */
export type ExchangeOutcome = 'pending' | 'ok' | 'error' | 'tool-error' | 'cancelled' | 'lost';

export interface Exchange {
  readonly server: string;
  readonly life: number;
  /** Of the request. */
  readonly direction: FlowDirection;
  readonly id: RequestId;
  readonly method: string;
  /** Of `tools/call`. */
  readonly tool: string | undefined;
  readonly progressToken: RequestId | undefined;
  /** Over HTTP: the number of the request that brought it. */
  readonly http: number | undefined;
  readonly requestSeq: number;
  readonly requestBytes: number;
  readonly startMs: number;
  outcome: ExchangeOutcome;
  /** When the outcome was known. */
  endMs?: number;
  answerSeq?: number;
  answerBytes?: number;
  error?: { code: number; message: string };
  cancelSeq?: number;
  /** How many came, and the newest of them. */
  progressCount: number;
  lastProgressSeq?: number;
  /** Of a request to a server of a fleet: the node that answered it. */
  hop?: HopFact;
  /** Of a request of a client: the requests to servers on its behalf, and the questions during it. */
  links?: Exchange[];
  /** Of those: the requests of clients that they belong to. */
  causes?: Exchange[];
}

export function latencyMs(exchange: Exchange): number | undefined {
  return exchange.answerSeq === undefined ? undefined : exchange.endMs! - exchange.startMs;
}

/** A server of an older revision answers `server/discover` with an error, and gets `initialize` then. */
export function isRefusedProbe({ method, outcome }: Exchange): boolean {
  return method === 'server/discover' && outcome === 'error';
}

export function isFailure(exchange: Exchange): boolean {
  const { outcome } = exchange;
  return outcome !== 'ok' && outcome !== 'pending' && outcome !== 'cancelled' && !isRefusedProbe(exchange);
}

/** About what an exchange costs beside its texts. */
const EXCHANGE_BYTES = 300;

/** What it holds in memory, about. */
export function weightOf({ server, method, tool, id, progressToken, error }: Exchange): number {
  const chars = server.length + method.length + (tool?.length ?? 0) + (error?.message.length ?? 0);
  return EXCHANGE_BYTES + chars + lengthOf(id) + lengthOf(progressToken);
}

function lengthOf(id: RequestId | undefined): number {
  return typeof id === 'string' ? id.length : 0;
}
