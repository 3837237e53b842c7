// Incoming JSON-RPC requests: each is passed to the handler of its method and answered exactly once. Urgent requests
// (ping) and cancellations bypass the queue.

import { outcomeData } from '../../base/error-json.ts';
import { PeerError, RpcCode, RpcError, toError } from '../../base/errors.ts';
import { firstChars } from '../../base/first-chars.ts';
import { QueuedRequest, type QueueLimits, RequestQueue } from '../requests/request-queue.ts';
import { jsonSize } from './json-size.ts';
import type { JsonRpcErrorResponse, JsonRpcRequest, JsonRpcResponse, RequestId } from './message.ts';
import { OwnResult } from './message-text.ts';

/** The upper limit for measuring a message. */
const LARGEST_SIZE = 2 ** 29;

const CANCELLED = 'The request was cancelled';
const REASON_CHARS = 1000;

export type Params = Record<string, unknown>;
/** Omitted parameters become an empty object. */
export type RequestHandler<P extends object = Params> = (params: P, call: InboundCall) => unknown;

export interface HandlerOptions {
  /** Runs the handler at once, outside the concurrency limit and ahead of the queue. */
  urgent?: boolean;
  /**
   * Marks a question: the other end may need the answer before it can answer a request of ours. It runs at once or is
   * refused, because the requests that it may belong to are known only when it arrives.
   */
  asks?: boolean;
}

export interface InboundOptions extends QueueLimits {
  /** Sends an answer. `undefined` ends a cancelled request without one. */
  answer: (request: JsonRpcRequest, answer: JsonRpcResponse | undefined) => void;
  onHandlerError: (error: Error) => void;
  /** The result that is sent if a handler returns nothing. */
  emptyResult?: null | 'object';
  /** If set, a cancelled request is still answered: with the result of its handler, or with an error of this code. */
  cancelledCode?: number | undefined;
}

/** One request while its handler runs. */
export class InboundCall extends QueuedRequest<RequestId> {
  readonly request: JsonRpcRequest;
  /** Whether the request was answered or ended without an answer. */
  settled = false;
  #handler: RequestHandler<never> | undefined;
  #whenSettled: Promise<void> | undefined;
  #markSettled: (() => void) | undefined;
  #bytes: number | undefined;

  /** `bytes` is the length on the wire, if known. */
  constructor(request: JsonRpcRequest, bytes?: number, handler?: RequestHandler<never>) {
    super();
    this.request = request;
    this.#bytes = bytes;
    this.#handler = handler;
  }

  get bytes(): number {
    this.#bytes ??= jsonSize(this.request, LARGEST_SIZE);
    return this.#bytes;
  }

  get id(): RequestId {
    return this.request.id;
  }

  run(): unknown {
    return this.#handler?.((this.request.params ?? {}) as never, this);
  }

  /** Resolves when the answer was passed to the transport. Created on first use. */
  get whenSettled(): Promise<void> {
    this.#whenSettled ??= this.settled
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#markSettled = resolve;
        });
    return this.#whenSettled;
  }

  /** Called after the answer was sent. */
  ended(): void {
    this.#markSettled?.();
  }
}

interface Registered {
  run: RequestHandler<never>;
  urgent: boolean;
  asks: boolean;
}

export class Inbound {
  #options: InboundOptions;
  #handlers = new Map<string, Registered>();
  #fallback: RequestHandler<never> | undefined;
  #queue: RequestQueue<RequestId, InboundCall>;

  constructor(options: InboundOptions) {
    this.#options = options;
    const { maxConcurrent, maxQueued, maxInboundBytes } = options;
    this.#queue = new RequestQueue({
      maxConcurrent,
      maxQueued,
      maxInboundBytes,
      settled: (call, result, error) => this.#settled(call, result, error),
    });
  }

  /** The number of running and waiting requests. */
  get size(): number {
    return this.#queue.size;
  }

  /** The number of requests that will be answered: running or waiting, and not cancelled. */
  get unanswered(): number {
    let cancelled = 0;
    if (this.#options.cancelledCode === undefined) {
      for (const call of this.#queue.running.values()) if (call.cancelled) cancelled++;
    }
    return this.size - cancelled;
  }

  handle(method: string, run: RequestHandler<never>, options: HandlerOptions = {}): void {
    this.#handlers.set(method, { run, urgent: options.urgent ?? false, asks: options.asks ?? false });
  }

  handleOthers(run: RequestHandler): void {
    this.#fallback = run;
  }

  /** `bytes` is the length of the request on the wire, if known. */
  accept(request: JsonRpcRequest, bytes?: number): void {
    const { id, method } = request;
    const handler = this.#handlers.get(method);
    const run = handler?.run ?? this.#fallback;
    if (!run) return this.#refuse(request, RpcCode.methodNotFound, `Method not found: ${method}`);
    if (this.#queue.get(id)) {
      const message = `A request with id ${JSON.stringify(id)} is already running`;
      return this.#refuse(request, RpcCode.invalidRequest, message);
    }
    const call = new InboundCall(request, bytes, run);
    if (handler?.urgent) return this.#queue.runNow(call);
    const refusal = this.#queue.add(call, bytes, handler?.asks);
    if (refusal) this.#refuse(request, RpcCode.serverBusy, refusal.message, refusal.limits);
  }

  /** While held, running requests may finish and urgent ones still run; all others wait. */
  hold(on: boolean): void {
    this.#queue.hold(on);
  }

  /** `reason` is unchecked input from the other end. */
  cancel(id: RequestId, reason: unknown): void {
    const call = this.#queue.get(id);
    if (!call || call.cancelled) return;
    const wasQueued = this.#queue.withdraw(call);
    call.cancel(typeof reason === 'string' ? firstChars(reason, REASON_CHARS) : 'cancelled by the other end');
    const { cancelledCode } = this.#options;
    if (cancelledCode !== undefined) {
      if (wasQueued) this.#refuse(call.request, cancelledCode, CANCELLED);
      return;
    }
    // The request is not answered, however long its handler runs. Its slot is free only when the handler has finished.
    this.#options.answer(call.request, undefined);
  }

  /** Call this when the other end has disconnected. */
  cancelAll(reason: unknown): void {
    this.#queue.cancelAll(reason);
  }

  #settled(call: InboundCall, result: unknown, error: unknown): void {
    const { request, id } = call;
    call.settled = true;
    const { cancelledCode } = this.#options;
    if (call.cancelled && cancelledCode === undefined) {
      // The request ended when it was cancelled.
    } else if (error === undefined) {
      const empty = this.#options.emptyResult === null ? null : {};
      this.#options.answer(request, new OwnResult(id, (result ?? empty) as Params));
    } else if (call.cancelled && !(error instanceof RpcError)) {
      this.#refuse(request, cancelledCode!, CANCELLED);
    } else {
      if (!(error instanceof RpcError)) this.#options.onHandlerError(toError(error));
      this.#options.answer(request, errorAnswer(id, error));
    }
    call.ended();
  }

  #refuse(request: JsonRpcRequest, rpcCode: number, message: string, data?: unknown): void {
    this.#options.answer(request, refusalAnswer(request.id, { rpcCode, message, data }));
  }
}

/** The error for a request whose connection this side closes. */
export function unanswered(): PeerError {
  return new PeerError(
    'OUTCOME_UNKNOWN',
    'The server closed the connection before the answer; the request may have run',
  );
}

/** The members of an `RpcError` without its stack, which costs more than the rest of a refusal. */
interface RpcRefusal {
  rpcCode: number;
  message: string;
  data?: unknown;
}

/**
 * Sends the message of an error, and for a lost call its process, but never the stack. An unreadable id is left out, as
 * in MCP.
 */
export function errorAnswer(id: RequestId | undefined, error: unknown): JsonRpcErrorResponse {
  return refusalAnswer(
    id,
    error instanceof RpcError
      ? error
      : { rpcCode: RpcCode.internalError, message: toError(error).message, data: outcomeData(error) },
  );
}

export function refusalAnswer(id: RequestId | undefined, { rpcCode, message, data }: RpcRefusal): JsonRpcErrorResponse {
  const body = data === undefined ? { code: rpcCode, message } : { code: rpcCode, message, data };
  return id === undefined ? { jsonrpc: '2.0', error: body } : { jsonrpc: '2.0', id, error: body };
}
