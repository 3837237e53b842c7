// One request to a server of the fleet until it is answered or lost. It may be sent several times, each time with its own reply
// subject, and only if the previous attempt certainly has not run and will not run.

import { PeerError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import type { RoutedClient } from '../../jsonrpc/channel.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Payload } from '../payload.ts';
import type { Instance } from './routing-table.ts';

/** Receives the outcome of a call. Only `received` may be called several times for one attempt. */
export interface CallOwner {
  /** A JSON-RPC notification, or the answer. `data`: its bytes, if it arrived over NATS. */
  received(call: Call, text: string, data: Uint8Array | undefined): void;
  /** The attempt has not run and will not run. */
  notRun(call: Call, why: string): void;
  /** The attempt has not run, because the instance has reached its limits. */
  busy(call: Call, why: string): void;
  /** The answer will not arrive, and the call may have run. */
  lost(call: Call, why: string): void;
  /** A message could not be read or used. */
  failed(call: Call, error: Error): void;
}

/** After this time without an answer, the node of a call is asked. */
export const FIRST_INQUIRY_MS = 1_000;
/** A long-lived stream, which is not counted as work of its instance. */
export const LISTEN = 'subscriptions/listen';

export class Call {
  readonly owner: CallOwner;
  readonly id: RequestId;
  readonly method: string;
  /** Kept until it is answered, because it may have to be sent again. */
  readonly payload: Payload;
  readonly sender: RoutedClient | undefined;
  /** The only instance that can answer it. */
  readonly only: string | undefined;
  readonly maxAnswerBytes: number;
  /** Fields of the current attempt. */
  reply = '';
  instance: Instance | undefined;
  sending: Promise<void> | undefined;
  isTraced = false;
  /** Time of the next inquiry to its node, and the interval after it. */
  askAtMs = 0;
  askEveryMs = 0;
  /** Replicas that did not run it, while others may. */
  refusedBy: Set<string> | undefined;
  /** Time since which no instance could be found for it. */
  waitsSinceMs: number | undefined;

  constructor(
    owner: CallOwner,
    {
      id,
      method,
      payload,
      sender,
      only,
      maxAnswerBytes,
    }: Omit<CallContent, 'only'> & Partial<Pick<CallContent, 'only'>>,
  ) {
    this.owner = owner;
    this.id = id;
    this.method = method;
    this.payload = payload;
    this.sender = sender;
    this.only = only;
    this.maxAnswerBytes = maxAnswerBytes;
  }
}

type CallContent = Pick<Call, 'id' | 'method' | 'payload' | 'sender' | 'only' | 'maxAnswerBytes'>;

export function notSent({ method }: Call, server: string, why: string): PeerError {
  return new PeerError('NOT_SENT', `${method} of "${server}" was not run: ${why}`, {
    hint: `It did not run; sending it again is safe. \`${ownCommand} ls --fleet\` shows where servers run.`,
    evidence: { phase: 'running' },
  });
}

/** The call waited for its client in an instance that has ended. */
export function parkedCallLost(call: Call, why: string): PeerError {
  return unknown(
    call,
    `${call.method} had begun to run and waited for answers of its client, where it has ended: ${why}`,
  );
}

export function outcomeUnknown(call: Call, why: string): PeerError {
  return unknown(call, `${why} — ${call.method} had been sent there and may have run`);
}

function unknown({ instance }: Call, message: string): PeerError {
  const hint = 'Check whether it took effect before you send it again.';
  const error = new PeerError('OUTCOME_UNKNOWN', message, { hint, evidence: { phase: 'running' } });
  if (!instance) return error;
  const { server, node, generation } = instance;
  error.ran = { server, pid: null, generation: 0, node, ...(generation !== undefined && { claim: generation }) };
  return error;
}
