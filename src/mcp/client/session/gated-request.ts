// A request to a legacy server, from the time it waits to be sent until it is answered, with the state of its questions.

import type { RequestOptions } from '../../../wire/jsonrpc/outbound.ts';
import { idParameter } from '../../extensions/assigned-ids.ts';
import { mayAsk, methodsOfMcp } from '../../methods.ts';
import type { Caller, Params, WireName } from '../../service.ts';
import { SentRequest } from './session.ts';

/** The identity of a client, or a unique number for a request whose result carries its questions. */
export type ClientKey = string | number;

let lastRequest = 0;

export function clientKeyOf({ asksInResult, client }: Caller): ClientKey {
  return asksInResult ? ++lastRequest : client.identity.id;
}

export class GatedRequest extends SentRequest {
  /** Whether the request is known to ask questions, or may do so. */
  asks = false;
  /** Whether the request was sent ahead of waiting requests because its client had a question to answer. */
  nested = false;
  /** Whether a question arrived that belongs to the request, or may belong to it. */
  asked = false;
  /** Whether a cancellation is sent at once when the request is given up. */
  cancellable = true;
  readonly principal: string | undefined;
  /**
   * The identity at the time of sending: a caller of 2026-07-28 continues under the identity of the request that
   * brought an answer.
   */
  readonly identity: string;
  /** Questions of requests with the same key may go to any of them. */
  readonly client: ClientKey;
  /**
   * Whether the client of the request can be asked: a result of 2026-07-28 carries questions only for methods that the
   * specification allows.
   */
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

  /** The name for messages. */
  get shownName(): string {
    return this.tool ?? 'a call with an invalid tool name';
  }

  /** Whether a request of this method may cause questions. */
  get mayAsk(): boolean {
    return mayAsk(this.#method);
  }

  /** Whether the request is about the id that a question names. */
  isAbout(id: string): boolean {
    const parameter = this.mayAsk ? idParameter(this.#method) : undefined;
    return parameter !== undefined && this.#params[parameter] === id;
  }

  get usesId(): boolean {
    return usesId(this.#method, this.#params);
  }

  /** Deducts the time that the request waited from its timeouts. */
  waited(ms: number, defaultTimeoutMs: number): void {
    this.timeoutMs = Math.max(1, (this.timeoutMs ?? defaultTimeoutMs) - ms);
    if (this.totalTimeoutMs !== undefined) this.totalTimeoutMs = Math.max(1, this.totalTimeoutMs - ms);
  }
}

/** A request that the session sends for watchers of several clients. A question that belongs to it is refused. */
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

/**
 * Whether the request is about an id of the server, or creates one (2025-11-25: `task`). Only the process that assigned the id
 * knows it, and questions name it.
 */
export function usesId(method: string, { task }: Params): boolean {
  return task !== undefined || idParameter(method) !== undefined;
}

/** The maximum length of the name of a tool or prompt in the specification. Clients can send names of any length. */
const LONGEST_TOOL_NAME = 128;
/** Methods with a parameter `name`. In other methods, MCP does not define that parameter. */
const named = new Set(['tools/call', 'prompts/get']);

/** The key of a request in `AskingTools`. Undefined if the name cannot be that of a tool: such a request is never remembered. */
export function toolOf(method: string, { name }: Params): string | undefined {
  if (!named.has(method)) return method.length <= LONGEST_TOOL_NAME ? method : undefined;
  if (typeof name !== 'string' || name.length > LONGEST_TOOL_NAME) return undefined;
  return method === 'tools/call' ? name : `${method} ${name}`;
}
