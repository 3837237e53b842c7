// A pending question of a legacy server, the limits for questions, and the errors that refuse them.

import { RpcCode, RpcError } from '../../../base/errors.ts';
import type { Caller } from '../../service.ts';
import type { ClientKey, OwnerRequest } from './gated-request.ts';

/** The maximum time for which a question is held. */
export const HELD_MS = 30_000;
/**
 * If at least as many questions are held as requests are pending, none of the requests may end without an answer. Then
 * all questions but the oldest are refused after this time. The same holds for a question that is ambiguous only
 * because of requests that were given up: a server that honours a cancellation does not answer them.
 */
export const TIE_MS = 3_000;

/** The maximum time for a client to answer while other clients of its principal wait for its request to end. */
export const ANSWER_MS = 60_000;

/** The maximum number of unanswered questions of one client and of one principal. More are refused at once. */
export const MOST_OF_CLIENT = 16;
export const MOST_OF_PRINCIPAL = 128;
/** The maximum number of questions that are held because their owner is ambiguous. */
export const MOST_HELD = 256;

export class AskedQuestion {
  readonly method: string;
  readonly askedMs: number;
  /** Only requests with a smaller id may own the question. */
  readonly beforeId: number;
  /** Resolves when the owner is known; rejects when the question is refused. */
  readonly decided: Promise<Caller | undefined>;
  /** The caller, once known. `caller` is undefined if the question is unrelated to a request. */
  owner: { caller: Caller | undefined } | undefined;
  /** Set when the question is routed: the time and the client. */
  routedMs = 0;
  client: ClientKey | undefined;
  identity: string | undefined;
  principal: string | undefined;
  /** Aborts when the answer is no longer needed. */
  readonly ended = new AbortController();
  refuse!: (error: RpcError) => void;
  #resolve!: (caller: Caller | undefined) => void;

  constructor(method: string, askedMs: number, beforeId: number) {
    this.method = method;
    this.askedMs = askedMs;
    this.beforeId = beforeId;
    this.decided = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.refuse = reject;
    });
  }

  decide(caller: Caller | undefined): void {
    this.owner = { caller };
    this.#resolve(caller);
  }
}

/** The maximum number of call names in a message. */
const MOST_SHOWN = 5;

/** The calls that an ambiguous question may belong to, for the operator. */
export function namesOf(open: readonly OwnerRequest[]): string {
  const names = new Set<string>();
  for (const { shownName } of open) {
    names.add(JSON.stringify(shownName));
    if (names.size > MOST_SHOWN) break;
  }
  const shown = [...names].slice(0, MOST_SHOWN).join(', ');
  return ` Open calls: ${shown}${names.size > MOST_SHOWN ? ' and others' : ''}.`;
}

/** Leaves out the names of the calls: servers pass the text on to a client, and some of the calls belong to other clients. */
export function unclear(method: string): RpcError {
  return new RpcError(
    RpcCode.serverBusy,
    `Several clients have pending calls at this server, and ${method} does not name the call that it belongs to. ` +
      'No client was asked. Call it again: from now on it runs in a process of its own while others use this one. ' +
      'Or give each client its own process: "share": "client" in the config.',
  );
}

export function tooManyHeld(method: string): RpcError {
  return new RpcError(
    RpcCode.serverBusy,
    `${method} was refused: ${MOST_HELD} questions are held until it is clear which calls they belong to. No client was asked.`,
  );
}

function notAskable(method: string, name: string): RpcError {
  return new RpcError(
    RpcCode.serverBusy,
    `${method} belongs to ${JSON.stringify(name)}, whose client cannot be asked during it`,
  );
}

function tooMany(method: string): RpcError {
  const most = `${MOST_OF_CLIENT} questions of a client and ${MOST_OF_PRINCIPAL} of a principal`;
  return new RpcError(RpcCode.serverBusy, `${method} was refused: at most ${most} may be unanswered`);
}

/** The reason to refuse a question although its owner is known. `owner` is undefined for the handlers of the host. */
export function questionRefusal(
  { method }: AskedQuestion,
  owner: OwnerRequest | undefined,
  routed: Iterable<AskedQuestion>,
): RpcError | undefined {
  if (owner && !owner.isAskable && method !== 'roots/list') return notAskable(method, owner.shownName);
  return isFull(routed, owner) ? tooMany(method) : undefined;
}

function isFull(routed: Iterable<AskedQuestion>, to: Pick<AskedQuestion, 'client' | 'principal'> | undefined): boolean {
  let [ofClient, ofPrincipal] = [0, 0];
  for (const { client, principal } of routed) {
    if (client === to?.client) ofClient++;
    if (principal === to?.principal) ofPrincipal++;
  }
  return ofClient >= MOST_OF_CLIENT || ofPrincipal >= MOST_OF_PRINCIPAL;
}

export function givenUp(method: string): RpcError {
  return new RpcError(RpcCode.serverBusy, `The client of the call that ${method} belongs to has given up the call`);
}

export function perhapsGivenUp(method: string): RpcError {
  return new RpcError(
    RpcCode.serverBusy,
    `${method} may belong to a call that its client gave up and that the server has not answered. No client was asked. ` +
      'Call it again in a moment, or give each client its own process: "share": "client" in the config.',
  );
}

export function notAnswered(method: string): RpcError {
  const message = `The client did not answer ${method} within ${ANSWER_MS} ms while calls of other clients waited`;
  return new RpcError(RpcCode.serverBusy, message);
}
