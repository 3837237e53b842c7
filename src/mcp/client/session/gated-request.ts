// A request to a legacy server, while it waits to be sent and while it is pending: what is known about its questions.

import type { RequestOptions } from '../../../jsonrpc/outbound.ts';
import { mayAsk, methodsOfMcp } from '../../methods.ts';
import type { Caller, Params, WireName } from '../../service.ts';
import { SentRequest } from './session.ts';

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
    this.isAskable = !caller.asksInResult || methodsOfMcp.get(method)?.asks === true;
    this.#method = method;
    this.#params = params;
  }

  get tool(): string | undefined {
    return toolOf(this.#method, this.#params);
  }

  /** For messages. */
  get shownName(): string {
    return this.tool ?? 'a call with a name that no tool has';
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
  readonly shownName: string;

  constructor(method: string) {
    this.tool = this.shownName = method;
  }
}

/** A request that a question may belong to. */
export type OwnerRequest = GatedRequest | UnaskedRequest;

export function isOwner(options: RequestOptions | undefined): options is OwnerRequest {
  return options instanceof GatedRequest || options instanceof UnaskedRequest;
}

/** The most characters of the name of a tool or prompt by the specification. Clients can send names of any length. */
export const LONGEST_NAME = 128;
/** Requests with a `name`. In others it is a member that MCP does not define. */
const named = new Set(['tools/call', 'prompts/get']);

/** What `AskingTools` knows a request by. Undefined if its name cannot be that of a tool: such a request is never remembered. */
export function toolOf(method: string, { name }: Params): string | undefined {
  if (!named.has(method)) return method.length <= LONGEST_NAME ? method : undefined;
  if (typeof name !== 'string' || name.length > LONGEST_NAME) return undefined;
  return method === 'tools/call' ? name : `${method} ${name}`;
}
