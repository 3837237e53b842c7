// Requests of the other end: run at most so many at a time, keep a bounded queue, answer each exactly once, and let
// urgent ones (ping) and cancellations overtake whatever waits.

import { RpcCode, RpcError, toError } from '../base/errors.ts';
import { isThenable } from '../base/thenable.ts';
import { InFlight } from './in-flight.ts';
import type { JsonRpcErrorResponse, JsonRpcRequest, JsonRpcResponse, RequestId } from './message.ts';

export type Params = Record<string, unknown>;
/** Parameters that were left out are an empty object. */
export type RequestHandler<P extends object = Params> = (params: P, call: InboundCall) => unknown;

export interface HandlerOptions {
  /** Runs at once, outside the concurrency limit and ahead of the queue. */
  urgent?: boolean;
}

export interface InboundOptions {
  maxConcurrent: number;
  maxQueued: number;
  /** Sends an answer. `undefined` ends the request without one: it was cancelled. */
  answer: (request: JsonRpcRequest, answer: JsonRpcResponse | undefined) => void;
  onHandlerError: (error: Error) => void;
}

/** One request while its handler works on it. */
export class InboundCall {
  readonly request: JsonRpcRequest;
  #abort: AbortController | undefined;
  #cancelled: { reason: unknown } | undefined;

  constructor(request: JsonRpcRequest) {
    this.request = request;
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
    for (const call of this.#running.values()) if (call.cancelled) cancelled++;
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

  accept(request: JsonRpcRequest): void {
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
    const call = new InboundCall(request);
    if (handler?.urgent) return this.#run(call, run, false);
    if (this.#counted < this.#options.maxConcurrent) return this.#run(call, run, true);
    if (this.#queued.size < this.#options.maxQueued) {
      this.#queued.add(id, { call, run });
      return;
    }
    const { maxConcurrent, maxQueued } = this.#options;
    this.#refuse(
      request,
      RpcCode.serverBusy,
      `Too many requests: ${maxConcurrent} running and ${maxQueued} waiting; send it again later`,
      { maxConcurrent, maxQueued },
    );
  }

  cancel(id: RequestId, reason: unknown): void {
    const call = this.#queued.get(id)?.call ?? this.#running.get(id);
    if (!call || call.cancelled) return;
    this.#queued.delete(id);
    call.cancel(reason);
    // No answer will come, however long the handler goes on. Its place is free only when it has ended.
    this.#options.answer(call.request, undefined);
  }

  /** The other end is gone: nothing that waits will run, and what runs is told. */
  cancelAll(reason: unknown): void {
    this.#queued.takeAll();
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
    this.#running.delete(id);
    if (call.cancelled) {
      // Answered for good when it was cancelled.
    } else if (error === undefined) {
      this.#options.answer(request, { jsonrpc: '2.0', id, result: (result ?? {}) as Record<string, unknown> });
    } else {
      if (!(error instanceof RpcError)) this.#options.onHandlerError(toError(error));
      this.#options.answer(request, errorAnswer(id, error));
    }
    if (counted) {
      this.#counted--;
      this.#runQueued();
    }
  }

  /** A loop, not a recursion: handlers that answer at once must not pile up on the stack. */
  #runQueued(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#counted < this.#options.maxConcurrent && this.#queued.size > 0) {
      const next = this.#queued.values().next().value!;
      this.#queued.delete(next.call.id);
      this.#run(next.call, next.run, true);
    }
    this.#pumping = false;
  }

  #refuse(request: JsonRpcRequest, rpcCode: number, message: string, data?: unknown): void {
    this.#options.answer(request, errorAnswer(request.id, new RpcError(rpcCode, message, data)));
  }
}

/** Only the message of an error crosses the wire, never its stack. An id that could not be read is left out, as in MCP. */
export function errorAnswer(id: RequestId | undefined, error: unknown): JsonRpcErrorResponse {
  const { rpcCode, message, data } =
    error instanceof RpcError
      ? error
      : { rpcCode: RpcCode.internalError, message: toError(error).message, data: undefined };
  const body = data === undefined ? { code: rpcCode, message } : { code: rpcCode, message, data };
  return id === undefined ? { jsonrpc: '2.0', error: body } : { jsonrpc: '2.0', id, error: body };
}
