// A question of a legacy server while it is open, how long it may be, and why it may be refused.

import { RpcCode, RpcError } from '../../../base/errors.ts';
import type { Caller } from '../../service.ts';
import type { ClientKey, OwnerRequest } from './gated-request.ts';

/** How long a question is held at most. */
export const HELD_MS = 30_000;
/**
 * If there is a question for each request, so that none may end by itself, all but the oldest question are refused after this
 * time. So is one that is unclear only because of requests that were given up: a server that obeys a cancellation does not
 * answer them.
 */
export const TIE_MS = 3_000;

/** How long a client may take to answer while requests of other clients of its principal wait for the end of its own. */
export const ANSWER_MS = 60_000;

/** How many questions of one client, and of one principal, may be unanswered. Further ones are refused at once. */
export const MOST_OF_CLIENT = 16;
export const MOST_OF_PRINCIPAL = 128;
/** How many questions are held while it is unclear whom they belong to. */
export const MOST_HELD = 256;

export class AskedQuestion {
  readonly method: string;
  readonly askedMs: number;
  /** Only requests with a smaller id may own it. */
  readonly beforeId: number;
  /** Resolves when its owner is known, rejects when it is refused. */
  readonly decided: Promise<Caller | undefined>;
  /** Its caller, once that is known: undefined if it belongs to no request. */
  owner: { caller: Caller | undefined } | undefined;
  /** Once it is routed: since when, and to which client. */
  routedMs = 0;
  client: ClientKey | undefined;
  identity: string | undefined;
  principal: string | undefined;
  /** Aborts when its answer is no longer waited for. */
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

/** How many names of calls a message has at most. */
const MOST_SHOWN = 5;

/** The calls that an unclear question may belong to, for the operator. */
export function namesOf(open: readonly OwnerRequest[]): string {
  const names = new Set<string>();
  for (const { shownName } of open) {
    names.add(JSON.stringify(shownName));
    if (names.size > MOST_SHOWN) break;
  }
  const shown = [...names].slice(0, MOST_SHOWN).join(', ');
  return ` Open calls: ${shown}${names.size > MOST_SHOWN ? ' and others' : ''}.`;
}

/** Without the names of the calls: servers pass the text on to the client that asked, and the calls are of others as well. */
export function unclear(method: string): RpcError {
  return new RpcError(
    RpcCode.serverBusy,
    `Several clients have calls open at this server, and ${method} does not name the call that it belongs to. ` +
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

/** Why a question is refused although its owner is known. `owner`: undefined for the handlers of the host. */
export function refusalOf(
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
