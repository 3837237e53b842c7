// One request to a server of the fleet until it is answered or lost. It may be sent several times, each time with a reply subject of
// its own, and only when it is certain that the attempt before did not run and will not.

import { PeerError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import type { RoutedClient } from '../../jsonrpc/channel.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Payload } from '../payload.ts';
import type { Instance } from './routing-table.ts';

/** What becomes of a call. Of these, only `received` may be called several times for one attempt. */
export interface CallOwner {
  /** A message of JSON-RPC: a notification, or the answer. `data`: its bytes, if it came by NATS. */
  received(call: Call, text: string, data: Uint8Array | undefined): void;
  /** The attempt did not run, and will not. */
  notRun(call: Call, why: string): void;
  /** It did not run, because the instance has too much to do. */
  busy(call: Call, why: string): void;
  /** No answer will come, and it may have run. */
  lost(call: Call, why: string): void;
  /** Something could not be read or used. */
  failed(call: Call, error: Error): void;
}

/** After this time without an answer, the node of a call is asked. */
export const FIRST_INQUIRY_MS = 1_000;
/** A stream that lasts, and no work for its instance. */
export const LISTEN = 'subscriptions/listen';

export class Call {
  readonly owner: CallOwner;
  readonly id: RequestId;
  readonly method: string;
  /** Kept until it is answered: it may have to be sent again. */
  readonly payload: Payload;
  readonly sender: RoutedClient | undefined;
  /** The only instance that can answer it. */
  readonly only: string | undefined;
  readonly maxAnswerBytes: number;
  /** Of the attempt that is under way. */
  reply = '';
  instance: Instance | undefined;
  sending: Promise<void> | undefined;
  isTraced = false;
  /** When its node is asked about it next, and how long after that again. */
  askAtMs = 0;
  askEveryMs = 0;
  /** Replicas that did not run it, while others may. */
  refusedBy: Set<string> | undefined;
  /** Since when no instance could be found for it. */
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

/** It waited for its client in an instance that has ended. */
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
