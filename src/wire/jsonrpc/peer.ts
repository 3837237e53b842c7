// One end of a JSON-RPC connection, symmetrical and over any transport: both ends may send requests, answers and
// notifications at the same time. The rules for cancellation, progress and ping are in the `Conventions` of a protocol
// (default: MCP). Must not know about the methods of a protocol, which belong to the layers above.

import { type Clock, systemClock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { lostRequest } from '../requests/lost-request.ts';
import type { RequestWatcher } from '../requests/pending-requests.ts';
import { DEFAULT_MAX_INBOUND_BYTES } from '../requests/request-queue.ts';
import { Answers } from './answers.ts';
import type { Channel, InboundFault, SendOptions } from './channel.ts';
import { type Conventions, mcp } from './conventions.ts';
import { type HandlerOptions, Inbound, type Params, type RequestHandler, refusalAnswer } from './inbound.ts';
import type { JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from './message.ts';
import { type NotificationHandler, NotificationListeners } from './notification-listeners.ts';
import { Outbound, type PendingCall, type RequestOptions, unexpectedAnswer } from './outbound.ts';

export interface PeerOptions {
  /** The conventions of the protocol: `mcp`, `lsp`, `plainJsonRpc`, or a custom object. */
  conventions?: Conventions;
  /** The default timeout of a request. Default: 60 s. */
  requestTimeoutMs?: number;
  /** The maximum number of incoming requests that run at a time. Default: 256. */
  maxConcurrent?: number;
  /** The maximum number of incoming requests that wait; more are refused with SERVER_BUSY. Default: 4096. */
  maxQueued?: number;
  /** The maximum bytes of running and waiting incoming requests together; more are refused with SERVER_BUSY. */
  maxInboundBytes?: number;
  /** Whether unreadable messages are answered with an error. */
  answerFaults?: boolean;
  clock?: Clock;
}

const NEVER_REFUSE: SendOptions = { neverRefuse: true };

export class Peer {
  /** Called once, when the connection has ended for any reason. */
  onclose: ((cause: Error | undefined) => void) | undefined;
  /** Called when the other end has stopped sending; answers in flight can still be sent. */
  onending: (() => void) | undefined;
  /** Called with true when too many answers are unread by the other end, and with false when it has caught up. */
  onfull: ((isFull: boolean) => void) | undefined;
  /** Called for errors that are unrelated to a request. The connection stays open. */
  onerror: ((error: Error) => void) | undefined;
  /** Called once, when the other end first answers with an id as text ("1" for 1), which is accepted. */
  onTextId: ((id: string) => void) | undefined;
  /** If set, incoming requests are not answered; it is called with their method instead. */
  onIgnoredRequest: ((method: string) => void) | undefined;
  answerFaults: boolean;
  readonly channel: Channel;
  #outbound: Outbound;
  #inbound: Inbound;
  #conventions: Conventions;
  #answers: Answers;
  #notifications = new NotificationListeners((error) => this.onerror?.(error));
  #closedByUs = false;

  constructor(channel: Channel, options: PeerOptions = {}) {
    this.channel = channel;
    this.answerFaults = options.answerFaults ?? true;
    const { cancel, progress, ping, emptyResult } = options.conventions ?? mcp;
    this.#conventions = options.conventions ?? mcp;
    this.#answers = new Answers(channel, (error) => this.onerror?.(error));
    this.#outbound = new Outbound(channel, {
      clock: options.clock ?? systemClock,
      requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
      progress,
      sendCancel: (id, reason) => {
        if (cancel) this.#answers.reportFailure(this.notify(cancel.method, cancel.write(id, reason), NEVER_REFUSE));
      },
      onTextId: (id) => this.onTextId?.(id),
    });
    this.#inbound = new Inbound({
      maxConcurrent: options.maxConcurrent ?? 256,
      maxQueued: options.maxQueued ?? 4096,
      maxInboundBytes: options.maxInboundBytes ?? DEFAULT_MAX_INBOUND_BYTES,
      answer: (request, answer) => this.#answers.send(request, answer),
      onHandlerError: (error) => this.onerror?.(error),
      emptyResult,
      cancelledCode: cancel?.answerCode,
    });
    if (ping !== undefined) this.handle(ping, () => undefined, { urgent: true });
  }

  /** The number of our requests that are not answered yet. */
  get inFlight(): number {
    return this.#outbound.pending.size;
  }

  /** The requests that are not answered yet, in the order in which they were sent. */
  get requests(): Iterable<PendingCall> {
    return this.#outbound.pending.values();
  }

  pendingRequest(id: RequestId): PendingCall | undefined {
    return typeof id === 'number' ? this.#outbound.pending.get(id) : undefined;
  }

  /** The id of our next request. Ids only increase. */
  get nextId(): number {
    return this.#outbound.pending.nextId;
  }

  /** Observes our requests. */
  set requestWatcher(watcher: RequestWatcher<PendingCall> | undefined) {
    this.#outbound.pending.watcher = watcher;
  }

  /** The number of running and waiting incoming requests. */
  get serving(): number {
    return this.#inbound.size;
  }

  /** Whether the other end waits for the answer to a question. */
  get isAsked(): boolean {
    return this.#outbound.isAsked;
  }

  get lateAnswers(): number {
    return this.#outbound.pending.lateAnswers;
  }

  async start(): Promise<void> {
    const { channel } = this;
    channel.onmessage = this.#receive;
    channel.onbatch = (messages, faults, frameBytes) => this.#receiveBatch(messages, faults, frameBytes);
    channel.onfault = (fault) => this.#receiveFault(fault);
    channel.onlost = (id, error) => this.#outbound.lost(id, error);
    channel.onerror = (error) => this.onerror?.(error);
    channel.unanswered = () => this.#inbound.unanswered;
    channel.onfull = (isFull) => this.#full(isFull);
    channel.onending = () => this.onending?.();
    channel.onclose = () => this.#finish();
    const { arrayParams, batches } = this.#conventions;
    if (arrayParams || batches) channel.allow?.({ arrayParams, batches });
    await channel.start();
  }

  request<T = unknown>(method: string, params?: Params | readonly unknown[], options?: RequestOptions): Promise<T> {
    return this.#outbound.pending.open(method, params as Params, options) as Promise<T>;
  }

  notify(method: string, params?: Params | readonly unknown[], options?: SendOptions): Promise<void> {
    const message = params ? { jsonrpc: '2.0', method, params: params as Params } : { jsonrpc: '2.0', method };
    return this.channel.send(message as JsonRpcNotification, options);
  }

  /** `P` is the expected type of the parameters. It is not checked. */
  handle<P extends object = Params>(method: string, handler: RequestHandler<P>, options?: HandlerOptions): void {
    const run = handler as RequestHandler<never>;
    this.#inbound.handle(method, options?.asks ? this.#answering(run) : run, options);
  }

  /** Handles every request without a handler of its own. */
  handleOthers(handler: RequestHandler): void {
    this.#inbound.handleOthers(handler);
  }

  /** Adds a listener; a method may have several. Returns a function that removes this listener. */
  onNotification(method: string, handler: NotificationHandler): () => void {
    return this.#notifications.add(method, handler);
  }

  /** Sets the handler for methods without a listener. */
  onOtherNotification(handler: NotificationHandler): void {
    this.#notifications.others = handler;
  }

  /** The error of a request that had been sent when the connection ended. */
  lost(method: string): PeerError {
    const cause = this.channel.closeError;
    return lostRequest(method, { closedByUs: this.#closedByUs, cause, evidence: this.channel.evidence?.() });
  }

  /** Call this when the other end has dropped its requests: their handlers are aborted, and none is answered. */
  forgetRequests(reason: Error): void {
    this.#inbound.cancelAll(reason);
  }

  async close(): Promise<void> {
    this.#closedByUs = true;
    await this.channel.close();
    this.#finish();
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #answering(handler: RequestHandler<never>): RequestHandler<never> {
    return async (params, call) => {
      this.#outbound.asked(call);
      try {
        return await handler(params, call);
      } finally {
        this.#outbound.answered(call);
      }
    };
  }

  #receive = (message: JsonRpcMessage, _extra?: unknown, frameBytes?: number): void => {
    if ('method' in message) {
      if (!('id' in message)) this.#notified(message);
      else if (this.onIgnoredRequest) this.onIgnoredRequest(message.method);
      else this.#inbound.accept(message, frameBytes);
    } else if (!this.#outbound.answer(message)) {
      this.onerror?.(unexpectedAnswer(message));
    }
  };

  #notified(notification: JsonRpcNotification): void {
    const { method, params } = notification;
    const { cancel, progress } = this.#conventions;
    if (method === cancel?.method) {
      const { id, reason } = cancel.read(params ?? {});
      this.#inbound.cancel(id as RequestId, reason);
    } else if (method === progress?.method) {
      const step = progress.read(params ?? {});
      this.#outbound.progress(step.id, step.progress);
    }
    this.#notifications.notify(notification);
  }

  #receiveBatch(messages: JsonRpcMessage[], faults: InboundFault[], frameBytes: number | undefined): void {
    const requests = messages.filter((message): message is JsonRpcRequest => 'method' in message && 'id' in message);
    const answers = faults.flatMap((fault) => this.#answerToFault(fault) ?? []);
    this.#answers.openBatch(requests, answers);
    const bytesOfEach = frameBytes === undefined ? undefined : Math.ceil(frameBytes / messages.length);
    for (const message of messages) this.#receive(message, undefined, bytesOfEach);
  }

  #receiveFault(fault: InboundFault): void {
    const answer = this.#answerToFault(fault);
    if (answer) this.#answers.reportFailure(this.channel.send(answer));
  }

  #answerToFault(fault: InboundFault): JsonRpcResponse | undefined {
    if ((fault.isResponse || fault.id !== undefined) && this.#outbound.answerUnreadable(fault)) return undefined;
    this.onerror?.(
      new PeerError(fault.code, `${fault.message} (at byte ${fault.offset})`, { evidence: this.channel.evidence?.() }),
    );
    if (!this.answerFaults || fault.isResponse) return undefined;
    const answer = refusalAnswer(fault.id, { rpcCode: fault.rpcCode, message: fault.message });
    const hasNullId = fault.id === undefined && this.#conventions.unreadableId === null;
    return hasNullId ? { ...answer, id: null as unknown as undefined } : answer;
  }

  #full(isFull: boolean): void {
    if (!this.channel.servesWhenFull) this.#inbound.hold(isFull);
    this.onfull?.(isFull);
  }

  #finish(): void {
    if (this.#answers.closed) return;
    this.#answers.closed = true;
    const cause = this.channel.closeError;
    this.#outbound.pending.failAll(this.#closedByUs, cause);
    this.#inbound.cancelAll(cause ?? new PeerError('CONNECTION_CLOSED', 'The connection closed'));
    this.onclose?.(cause);
  }
}
