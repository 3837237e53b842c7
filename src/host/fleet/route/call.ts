// One request to a server of the fleet until it is answered or lost. It may be sent several times, each time with its own reply
// subject, and only if the previous attempt certainly has not run and will not run.

import { PeerError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { Caller, Params } from '../../../mcp/service.ts';
import type { Payload } from '../parts.ts';
import type { RoutedInstance } from './routing-table.ts';

/** Receives the outcome of a call at another node. Only `received` may be called several times for one attempt. */
export interface FleetCallOwner {
  /** A JSON-RPC notification, or the answer. */
  received(call: FleetCall, text: string, data: Uint8Array): void;
  unanswered(call: FleetCall, outcome: Unanswered, why: string): void;
  /** A message could not be read or used. */
  failed(call: FleetCall, error: Error): void;
}

/**
 * End of an attempt. `not_run`: it did not run and will not run. `busy`: not run because of a limit of the instance. `lost`: it may have run.
 */
export type Unanswered = 'not_run' | 'busy' | 'lost';

/** After this time without an answer, the node of a call is asked. */
export const FIRST_INQUIRY_MS = 1_000;
/** A long-lived stream, which is not counted as work of its instance. */
export const LISTEN = 'subscriptions/listen';
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

type CallContent = Pick<FleetCall, 'id' | 'method' | 'params' | 'caller' | 'maxAnswerBytes'> & { only?: string };

export class FleetCall {
  readonly owner: FleetCallOwner;
  readonly id: number;
  readonly method: string;
  readonly params: Params;
  /** The caller; undefined for requests from the host itself. */
  readonly caller: Caller | undefined;
  readonly only: string | undefined;
  readonly maxAnswerBytes: number;
  /** The message for another node, made when it is first sent to one and kept until it is answered. */
  payload: Payload | undefined;
  /** The fields below describe the current attempt. */
  reply = '';
  instance: RoutedInstance | undefined;
  sending: Promise<void> | undefined;
  isTraced = false;
  /** Time of the next inquiry to its node, and the interval after it. Infinite for a call on this node. */
  askAtMs = 0;
  askEveryMs = 0;
  /** Replicas that did not run the call. Other replicas may still run it. */
  refusedBy: Set<string> | undefined;
  /** Time since which no instance could be found for the call. */
  waitsSinceMs: number | undefined;

  constructor(owner: FleetCallOwner, { id, method, params, caller, only, maxAnswerBytes }: CallContent) {
    this.owner = owner;
    this.id = id;
    this.method = method;
    this.params = params;
    this.caller = caller;
    this.only = only;
    this.maxAnswerBytes = maxAnswerBytes;
  }
}

export function notSent({ method }: FleetCall, server: string, why: string): PeerError {
  return new PeerError('NOT_SENT', `${method} of "${server}" was not run: ${why}`, {
    hint: `The request did not run; sending it again is safe. \`${ownCommand} ls --fleet\` shows where servers run.`,
    evidence: { phase: 'running' },
  });
}

/** Error of a call that waited for its client in an instance that has ended. */
export function parkedCallLost(call: FleetCall, why: string): PeerError {
  return unknown(
    call,
    `${call.method} had begun to run and waited for its client in an instance that has ended: ${why}`,
  );
}

export function outcomeUnknown(call: FleetCall, why: string): PeerError {
  return unknown(call, `${why} — ${call.method} had been sent there and may have run`);
}

function unknown({ instance }: FleetCall, message: string): PeerError {
  const hint = 'Check whether it took effect before you send it again.';
  const error = new PeerError('OUTCOME_UNKNOWN', message, { hint, evidence: { phase: 'running' } });
  if (!instance) return error;
  const { server, node, generation } = instance;
  error.ran = { server, pid: null, generation: 0, node, ...(generation !== undefined && { claim: generation }) };
  return error;
}

/** Outcome of one attempt. `failed`: its answer could not be read. */
export type CallOutcome = 'answered' | Unanswered | 'failed' | 'cancelled';

/** Counts the outcomes of this node's calls, by the nodes that they were sent to: for metrics. */
export class CallCounts {
  inquiries = 0;
  readonly #byNode = new Map<string, Map<CallOutcome, number>>();

  add(node: string, outcome: CallOutcome): void {
    let counts = this.#byNode.get(node);
    if (!counts) {
      counts = new Map();
      this.#byNode.set(node, counts);
    }
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  *values(): Iterable<{ node: string; outcome: CallOutcome; count: number }> {
    for (const [node, counts] of this.#byNode) {
      for (const [outcome, count] of counts) yield { node, outcome, count };
    }
  }
}
