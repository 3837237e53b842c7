// A request to a legacy server, while it waits to be sent and while it is pending: what is known about its questions.

import { textOf } from '../../../base/text-of.ts';
import type { RequestOptions } from '../../../jsonrpc/outbound.ts';
import type { Caller, Params, WireName } from '../../service.ts';
import { mayAskForInput, SentRequest } from './session.ts';

/** Requests that never wait because of questions, and are never kept apart. A question may belong to them all the same. */
const asksNothing = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'completion/complete',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function mayAsk(method: string): boolean {
  return !asksNothing.has(method);
}

/** The identity of a client, or the number of a request that alone can carry its questions. */
export type ClientKey = string | number;

let lastRequest = 0;

export function clientKeyOf({ asksInResult, client }: Caller): ClientKey {
  return asksInResult ? ++lastRequest : client.identity.id;
}

export class GatedRequest extends SentRequest {
  /** It is known to ask, or may be. */
  asks = false;
  /** Sent although others waited, because its client was being asked. */
  nested = false;
  /** A question came that was its own, or may have been. */
  asked = false;
  /** Whether a cancellation is sent at once when it is given up. */
  cancellable = true;
  readonly principal: string | undefined;
  /** As it was sent: a caller of 2026-07-28 goes on under the identity of the request that brought an answer. */
  readonly identity: string;
  /** Questions of requests with the same one may go to any of them. */
  readonly client: ClientKey;
  /** A result of 2026-07-28 carries questions only where the specification allows it. */
  readonly isAskable: boolean;
  readonly #method: string;
  readonly #params: Params;

  constructor(caller: Caller, wire: WireName | undefined, method: string, params: Params) {
    super(caller, wire);
    this.identity = caller.client.identity.id;
    this.principal = caller.client.identity.principal;
    this.client = clientKeyOf(caller);
    this.isAskable = !caller.asksInResult || mayAskForInput.has(method);
    this.#method = method;
    this.#params = params;
  }

  get tool(): string {
    return toolOf(this.#method, this.#params);
  }

  /** Whether it may be told apart from others by whether it asks. */
  get mayAsk(): boolean {
    return mayAsk(this.#method);
  }

  /** The time that it waited counts. */
  waited(ms: number, defaultTimeoutMs: number): void {
    this.timeoutMs = Math.max(1, (this.timeoutMs ?? defaultTimeoutMs) - ms);
    if (this.totalTimeoutMs !== undefined) this.totalTimeoutMs = Math.max(1, this.totalTimeoutMs - ms);
  }
}

/** A request that the session sends for watchers of several clients: a question that belongs to it is refused. */
export class UnaskedRequest implements RequestOptions {
  asks = false;
  asked = false;
  readonly isAskable = false;
  readonly mayAsk = false;
  readonly client: ClientKey = 'unasked';
  readonly principal = undefined;
  readonly identity = undefined;
  readonly caller = undefined;
  readonly signal = undefined;
  readonly tool: string;

  constructor(method: string) {
    this.tool = method;
  }
}

/** A request that a question may belong to. */
export type OwnerRequest = GatedRequest | UnaskedRequest;

export function isOwner(options: RequestOptions | undefined): options is OwnerRequest {
  return options instanceof GatedRequest || options instanceof UnaskedRequest;
}

/** What `AskingTools` knows a request by. */
export function toolOf(method: string, { name }: Params): string {
  if (method === 'tools/call') return textOf(name);
  return name === undefined ? method : `${method} ${textOf(name)}`;
}
