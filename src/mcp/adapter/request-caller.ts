// The caller of a request that arrived as a message. Everything that is sent back to the client on behalf of the
// request passes through it, in the form of the client's revision. The era decides how a question is sent.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import type { JsonRpcRequest } from '../../wire/jsonrpc/message.ts';
import { type CallLimits, reaches } from '../meta.ts';
import { missingFor } from '../missing-capability.ts';
import { missingCapability } from '../protocol-errors.ts';
import { has } from '../revisions.ts';
import type { Caller, ClientFacts, Params, RequestLink, WireName } from '../service.ts';
import type { InputRequest, InputResponse, RequestId } from '../types.ts';
import type { ClientObserver } from './client-observer.ts';
import type { Notifier } from './notifier.ts';

export abstract class RequestCaller implements Caller {
  /** The message that began the call. Services listen to its signal. */
  readonly first: InboundCall;
  client: ClientFacts;
  /** The notifier of the connection on which the last message arrived. */
  notifier: Notifier;
  readonly options: CallLimits | undefined;
  protected inbound: InboundCall;
  protected lastProgress = Number.NEGATIVE_INFINITY;
  #link: ObservedLink | undefined;
  #continues = false;

  constructor(
    inbound: InboundCall,
    client: ClientFacts,
    notifier: Notifier,
    options: CallLimits | undefined,
    observer: ClientObserver | undefined,
  ) {
    this.first = inbound;
    this.inbound = inbound;
    this.client = client;
    this.notifier = notifier;
    this.options = options;
    this.#link = observer && new ObservedLink(observer, inbound.id);
  }

  get request(): JsonRpcRequest {
    return this.inbound.request;
  }

  get requestBytes(): number {
    return this.inbound.bytes;
  }

  get signal(): CancelSignal {
    return this.first;
  }

  get wantsProgress(): boolean {
    return this.#token !== undefined;
  }

  continues(): void {
    this.#continues = true;
  }

  /** MCP forbids progress values that do not increase, and progress after the end of the work: those are not sent. */
  progress(params: Params): void {
    const progressToken = this.#token;
    const { cancelled, settled } = this.inbound;
    const progress = params.progress as number;
    const isOver = cancelled || (settled && !this.#continues);
    if (progressToken === undefined || isOver || !(progress > this.lastProgress)) return;
    this.lastProgress = progress;
    const sent: Params = { ...params, progressToken };
    if (!has(this.client.revision, 'progressMessage')) delete sent.message;
    this.notifier.progress(this.inbound, sent);
  }

  /** Sends the message only if the client wants messages of its level. */
  log(params: Params): void {
    const wanted = this.client.logLevel;
    if (wanted === undefined || !reaches(params.level, wanted) || this.inbound.cancelled) return;
    this.notifier.log(params, this.inbound);
  }

  ask(question: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse> {
    const missing = missingFor(question, this.client);
    return missing ? Promise.reject(missingCapability(missing)) : this.put(question, name, signal);
  }

  get link(): RequestLink | undefined {
    return this.#link;
  }

  /** Links the request that runs on a server to the message that continues the call as well. */
  protected linkAgain(observer: ClientObserver | undefined): void {
    this.#link = observer && new ObservedLink(observer, this.inbound.id, this.#link);
  }

  protected abstract put(question: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse>;

  get #token(): unknown {
    return (this.inbound.request.params?._meta as Params | undefined)?.progressToken;
  }
}

/** Does not hold the caller: a task outlives its request. */
class ObservedLink implements RequestLink {
  readonly #observer: ClientObserver;
  readonly #request: RequestId;
  /** The last request that was sent to a server. */
  last: { wire: WireName; id: RequestId } | undefined;

  constructor(observer: ClientObserver, request: RequestId, earlier?: ObservedLink) {
    this.#observer = observer;
    this.#request = request;
    if (earlier?.last) this.sent(earlier.last.wire, earlier.last.id);
  }

  sent(wire: WireName, id: RequestId): void {
    this.#observer.linked(this.#request, wire, 'toServer', id);
    this.last = { wire, id };
  }

  askedBy(id: RequestId): void {
    if (this.last) this.#observer.linked(this.#request, this.last.wire, 'fromServer', id);
  }
}

type SendQuestion = (question: InputRequest, call: InboundCall, signal: CancelSignal) => Promise<InputResponse>;

/** Before 2026-07-28 a question is a request to the client. */
export class LegacyCaller extends RequestCaller {
  readonly #send: SendQuestion;

  constructor(
    inbound: InboundCall,
    client: ClientFacts,
    notifier: Notifier,
    options: CallLimits | undefined,
    observer: ClientObserver | undefined,
    send: SendQuestion,
  ) {
    super(inbound, client, notifier, options, observer);
    this.#send = send;
  }

  protected put(question: InputRequest, _name?: string, signal?: AbortSignal): Promise<InputResponse> {
    return this.#send(question, this.inbound, signal ? AbortSignal.any([this.first.signal, signal]) : this.signal);
  }
}
