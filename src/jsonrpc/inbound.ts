// Requests of the other end: run at most so many at a time, keep a bounded queue, answer each exactly once, and let
// urgent ones (ping) and cancellations overtake whatever waits. Bounded in bytes too: a request is kept until it was
// answered, and what a few long ones take is as much as many short ones. While too many answers wait to be read (`hold`),
// nothing more is started.

import { RpcCode, RpcError, toError } from '../base/errors.ts';
import { isThenable } from '../base/thenable.ts';
import { InFlight } from './in-flight.ts';
import { jsonSize } from './json-size.ts';
import type { JsonRpcErrorResponse, JsonRpcRequest, JsonRpcResponse, RequestId } from './message.ts';

/** Four of the longest messages that are read unless said otherwise. */
export const DEFAULT_MAX_INBOUND_BYTES = 256 * 1024 * 1024;

/** The longest message there can be. */
const LARGEST_SIZE = 2 ** 29;

const CANCELLED = 'The request was cancelled';

export type Params = Record<string, unknown>;
/** Parameters that were left out are an empty object. */
export type RequestHandler<P extends object = Params> = (params: P, call: InboundCall) => unknown;

export interface HandlerOptions {
  /** Runs at once, outside the concurrency limit and ahead of the queue. */
  urgent?: boolean;
  /** It is a question: the other end may need the answer before it can answer a request of ours. */
  asks?: boolean;
}

export interface InboundOptions {
  maxConcurrent: number;
  maxQueued: number;
  /** What may run and wait in all. A single request is let in whatever its size. */
  maxInboundBytes: number;
  /** Sends an answer. `undefined` ends the request without one: it was cancelled. */
  answer: (request: JsonRpcRequest, answer: JsonRpcResponse | undefined) => void;
  onHandlerError: (error: Error) => void;
  /** What is answered where a handler returns nothing. */
  emptyResult?: null | 'object';
  /** A cancelled request is still answered: with what its handler returns, or with an error of this code. */
  cancelledCode?: number | undefined;
}

/** One request while its handler works on it. */
export class InboundCall {
  readonly request: JsonRpcRequest;
  /** What `Inbound` counts for it while it runs or waits. */
  heldBytes = 0;
  /** It was answered, or has ended without an answer. */
  settled = false;
  #whenSettled: Promise<void> | undefined;
  #markSettled: (() => void) | undefined;
  #bytes: number | undefined;
  #abort: AbortController | undefined;
  #cancelled: { reason: unknown } | undefined;

  /** `bytes`: what it had on the wire, where that is known. */
  constructor(request: JsonRpcRequest, bytes?: number) {
    this.request = request;
    this.#bytes = bytes;
  }

  /** What it takes to keep this request, about. */
  get bytes(): number {
    this.#bytes ??= jsonSize(this.request, LARGEST_SIZE);
    return this.#bytes;
  }

  get id(): RequestId {
    return this.request.id;
  }

  get cancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Aborts when the other end cancels, or goes away. Made on first use: most handlers never look. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#cancelled) this.#abort.abort(this.#cancelled.reason);
    }
    return this.#abort.signal;
  }

  /** Resolves when its answer was handed to the transport. Made on first use. */
  get whenSettled(): Promise<void> {
    this.#whenSettled ??= this.settled
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#markSettled = resolve;
        });
    return this.#whenSettled;
  }

  /** After the answer. */
  ended(): void {
    this.#markSettled?.();
  }

  cancel(reason: unknown): void {
    this.#cancelled = { reason };
    this.#abort?.abort(reason);
  }
}

interface Registered {
  run: RequestHandler<never>;
  urgent: boolean;
}

export class Inbound {
  #options: InboundOptions;
  #handlers = new Map<string, Registered>();
  #fallback: RequestHandler<never> | undefined;
  #running = new InFlight<InboundCall>();
  #queued = new InFlight<{ call: InboundCall; run: RequestHandler<never> }>();
  #counted = 0;
  /** Of the requests that are counted, and of those that wait. */
  #heldBytes = 0;
  #held = false;
  #pumping = false;

  constructor(options: InboundOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Requests that will be answered: running or waiting, and not cancelled. */
  get unanswered(): number {
    let cancelled = 0;
    if (this.#options.cancelledCode === undefined) {
      for (const call of this.#running.values()) if (call.cancelled) cancelled++;
    }
    return this.#running.size + this.#queued.size - cancelled;
  }

  get queued(): number {
    return this.#queued.size;
  }

  handle(method: string, run: RequestHandler<never>, options: HandlerOptions = {}): void {
    this.#handlers.set(method, { run, urgent: options.urgent ?? false });
  }

  handleOthers(run: RequestHandler): void {
    this.#fallback = run;
  }

  /** `bytes`: what the request had on the wire. Where that is unknown, it is found out for requests that have to wait. */
  accept(request: JsonRpcRequest, bytes?: number): void {
    const { id, method } = request;
    const handler = this.#handlers.get(method);
    const run = handler?.run ?? this.#fallback;
    if (!run) return this.#refuse(request, RpcCode.methodNotFound, `Method not found: ${method}`);
    if (this.#running.has(id) || this.#queued.has(id)) {
      return this.#refuse(
        request,
        RpcCode.invalidRequest,
        `A request with id ${JSON.stringify(id)} is already running`,
      );
    }
    const call = new InboundCall(request, bytes);
    if (handler?.urgent) return this.#run(call, run, false);
    const { maxConcurrent, maxQueued } = this.#options;
    const waits = this.#held || this.#counted >= maxConcurrent;
    if (waits && this.#queued.size >= maxQueued) {
      const message = `Too many requests: ${this.#counted} running and ${maxQueued} waiting; send it again later`;
      return this.#refuse(request, RpcCode.serverBusy, message, { maxConcurrent, maxQueued });
    }
    const size = bytes ?? (waits ? call.bytes : 0);
    if (this.#heldBytes > 0 && this.#heldBytes + size > this.#options.maxInboundBytes) {
      return this.#refuseLength(request, size);
    }
    call.heldBytes = size;
    this.#heldBytes += size;
    if (waits) this.#queued.add(id, { call, run });
    else this.#run(call, run, true);
  }

  /** What runs may end, and what is urgent still runs; the rest waits until this is taken back. */
  hold(on: boolean): void {
    this.#held = on;
    if (!on) this.#runQueued();
  }

  cancel(id: RequestId, reason: unknown): void {
    const call = this.#queued.get(id)?.call ?? this.#running.get(id);
    if (!call || call.cancelled) return;
    const wasQueued = this.#queued.take(id) !== undefined;
    if (wasQueued) this.#heldBytes -= call.heldBytes;
    call.cancel(reason);
    const { cancelledCode } = this.#options;
    if (cancelledCode !== undefined) {
      if (wasQueued) this.#refuse(call.request, cancelledCode, CANCELLED);
      return;
    }
    // No answer will come, however long the handler goes on. Its place is free only when it has ended.
    this.#options.answer(call.request, undefined);
  }

  /** The other end is gone: nothing that waits will run, and what runs is told. */
  cancelAll(reason: unknown): void {
    for (const { call } of this.#queued.takeAll()) this.#heldBytes -= call.heldBytes;
    for (const call of this.#running.values()) call.cancel(reason);
  }

  #run(call: InboundCall, run: RequestHandler<never>, counts: boolean): void {
    if (counts) this.#counted++;
    let outcome: unknown;
    try {
      outcome = run((call.request.params ?? {}) as never, call);
    } catch (error) {
      return this.#settle(call, counts, undefined, error ?? new Error('Handler threw nothing'));
    }
    if (isThenable(outcome)) {
      // Only what goes on after this turn can be cancelled.
      this.#running.add(call.id, call);
      outcome.then(
        (result) => this.#settle(call, counts, result, undefined),
        (error) => this.#settle(call, counts, undefined, error ?? new Error('Handler threw nothing')),
      );
    } else {
      this.#settle(call, counts, outcome, undefined);
    }
  }

  #settle(call: InboundCall, counted: boolean, result: unknown, error: unknown): void {
    const { request, id } = call;
    call.settled = true;
    this.#running.delete(id);
    const { cancelledCode } = this.#options;
    if (call.cancelled && cancelledCode === undefined) {
      // Answered for good when it was cancelled.
    } else if (error === undefined) {
      const empty = this.#options.emptyResult === null ? null : {};
      this.#options.answer(request, { jsonrpc: '2.0', id, result: (result ?? empty) as Record<string, unknown> });
    } else if (call.cancelled && !(error instanceof RpcError)) {
      this.#refuse(request, cancelledCode!, CANCELLED);
    } else {
      if (!(error instanceof RpcError)) this.#options.onHandlerError(toError(error));
      this.#options.answer(request, errorAnswer(id, error));
    }
    call.ended();
    if (counted) {
      this.#counted--;
      this.#heldBytes -= call.heldBytes;
      this.#runQueued();
    }
  }

  /** A loop, not a recursion: handlers that answer at once must not pile up on the stack. */
  #runQueued(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    while (!this.#held && this.#counted < this.#options.maxConcurrent && this.#queued.size > 0) {
      const next = this.#queued.values().next().value!;
      this.#queued.delete(next.call.id);
      this.#run(next.call, next.run, true);
    }
    this.#pumping = false;
  }

  #refuseLength(request: JsonRpcRequest, bytes: number): void {
    const { maxInboundBytes } = this.#options;
    const held = `those that run or wait have ${this.#heldBytes} bytes, this one ${bytes}, and ${maxInboundBytes} may be held`;
    this.#refuse(request, RpcCode.serverBusy, `Requests too long: ${held}; send it again later`, { maxInboundBytes });
  }

  #refuse(request: JsonRpcRequest, rpcCode: number, message: string, data?: unknown): void {
    this.#options.answer(request, refusalAnswer(request.id, { rpcCode, message, data }));
  }
}

/** What an `RpcError` says, without the stack that costs more than all the rest. */
export interface Refusal {
  rpcCode: number;
  message: string;
  data?: unknown;
}

/** Only the message of an error crosses the wire, never its stack. An id that could not be read is left out, as in MCP. */
export function errorAnswer(id: RequestId | undefined, error: unknown): JsonRpcErrorResponse {
  return refusalAnswer(
    id,
    error instanceof RpcError ? error : { rpcCode: RpcCode.internalError, message: toError(error).message },
  );
}

export function refusalAnswer(id: RequestId | undefined, { rpcCode, message, data }: Refusal): JsonRpcErrorResponse {
  const body = data === undefined ? { code: rpcCode, message } : { code: rpcCode, message, data };
  return id === undefined ? { jsonrpc: '2.0', error: body } : { jsonrpc: '2.0', id, error: body };
}
