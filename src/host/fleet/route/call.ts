// One request to a server of the fleet until it is answered or lost. It may be sent several times, each time with its own reply
// subject, and only if the previous attempt certainly has not run and will not run.

import { PeerError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { Caller, Params } from '../../../mcp/service.ts';
import type { Payload } from '../payload.ts';
import type { RoutedInstance } from './routing-table.ts';

/** Receives the outcome of a call at another node. Only `received` may be called several times for one attempt. */
export interface FleetCallOwner {
  /** A JSON-RPC notification, or the answer. */
  received(call: FleetCall, text: string, data: Uint8Array): void;
  /** The attempt has not run and will not run. */
  notRun(call: FleetCall, why: string): void;
  /** The attempt has not run, because the instance has reached its limits. */
  busy(call: FleetCall, why: string): void;
  /** The answer will not arrive, and the call may have run. */
  lost(call: FleetCall, why: string): void;
  /** A message could not be read or used. */
  failed(call: FleetCall, error: Error): void;
}

/** After this time without an answer, the node of a call is asked. */
export const FIRST_INQUIRY_MS = 1_000;
/** A long-lived stream, which is not counted as work of its instance. */
export const LISTEN = 'subscriptions/listen';
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

export interface CallContent {
  id: number;
  method: string;
  params: Params;
  /** Undefined for requests of the host itself. */
  caller: Caller | undefined;
  /** The only instance that can answer it. */
  only?: string | undefined;
  maxAnswerBytes: number;
}

export class FleetCall implements CallContent {
  readonly owner: FleetCallOwner;
  readonly id: number;
  readonly method: string;
  readonly params: Params;
  readonly caller: Caller | undefined;
  readonly only: string | undefined;
  readonly maxAnswerBytes: number;
  /** The message for another node, made when it is first sent to one and kept until it is answered. */
  payload: Payload | undefined;
  /** Fields of the current attempt. */
  reply = '';
  instance: RoutedInstance | undefined;
  sending: Promise<void> | undefined;
  isTraced = false;
  /** Time of the next inquiry to its node, and the interval after it. Infinite for a call on this node. */
  askAtMs = 0;
  askEveryMs = 0;
  /** Replicas that did not run it, while others may. */
  refusedBy: Set<string> | undefined;
  /** Time since which no instance could be found for it. */
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
    hint: `It did not run; sending it again is safe. \`${ownCommand} ls --fleet\` shows where servers run.`,
    evidence: { phase: 'running' },
  });
}

/** The call waited for its client in an instance that has ended. */
export function parkedCallLost(call: FleetCall, why: string): PeerError {
  return unknown(
    call,
    `${call.method} had begun to run and waited for answers of its client, where it has ended: ${why}`,
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
