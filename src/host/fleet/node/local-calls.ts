// The calls of this node to one of its own instances. They stay in this process: the service gets the parameters and the caller of
// the call itself. Only a call whose questions are part of its result is served by the adapter for 2026-07-28, as objects: it is
// suspended in the instance, where every node finds it again.

import { extendRan, fromRpcError, toRpcError } from '../../../base/error-json.ts';
import { type ProcessIdentity, RpcError } from '../../../base/errors.ts';
import { isObject, metaOf } from '../../../base/json-object.ts';
import type { ClientAdapters } from '../../../mcp/adapter/client-adapters.ts';
import type { SingleReply } from '../../../mcp/adapter/single-request.ts';
import { overlay } from '../../../mcp/layers/layer.ts';
import { CALL_OPTIONS, isLogLevel, RAN, SERVER_INFO } from '../../../mcp/meta.ts';
import { mayAsk } from '../../../mcp/methods.ts';
import { invalidParams } from '../../../mcp/protocol-errors.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher } from '../../../mcp/service.ts';
import type { Meta } from '../../../mcp/types.ts';
import { LOG_METHOD, type LogsFilter } from '../../../mcp/watchers.ts';
import { unanswered } from '../../../wire/jsonrpc/inbound.ts';
import type { JsonRpcNotification, JsonRpcResponse } from '../../../wire/jsonrpc/message.ts';
import { SharingResult } from '../../../wire/jsonrpc/message-text.ts';
import { LOGS, type NodeFilter } from '../call-protocol.ts';

export type Where = Pick<ProcessIdentity, 'node' | 'claim'>;

export class LocalCalls {
  readonly #service: Service;
  readonly #adapters: ClientAdapters;
  readonly #where: Where;
  readonly #over: () => void;
  readonly #running = new Set<(error: Error) => void>();
  #last = 0;

  constructor(service: Service, adapters: ClientAdapters, where: Where, over: () => void) {
    this.#service = service;
    this.#adapters = adapters;
    this.#where = where;
    this.#over = over;
  }

  get size(): number {
    return this.#running.size;
  }

  request(method: string, params: Params, caller: Caller): Promise<Result> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(this.#outcome(error));
      this.#running.add(fail);
      const over = () => {
        if (this.#running.delete(fail)) this.#over();
      };
      Promise.resolve(this.#run(method, params, caller)).then(
        (result) => {
          resolve(this.#named(result));
          over();
        },
        (error: unknown) => {
          fail(error);
          over();
        },
      );
    });
  }

  /** Fails the calls: the processes of the instance are about to end. */
  close(): void {
    for (const fail of this.#running) fail(unanswered());
    this.#running.clear();
  }

  #run(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    if (method === 'server/discover') return this.#described();
    const asksInResult = caller.asksInResult === true || params.requestState !== undefined;
    if (asksInResult && mayAsk(method)) return this.#suspendable(method, params, caller);
    return this.#service.request(method, params, caller);
  }

  async #described(): Promise<Result> {
    const { info, ...facts }: ServiceFacts = await this.#service.describe();
    return { ...facts, _meta: { [SERVER_INFO]: info } };
  }

  #suspendable(method: string, params: Params, caller: Caller): Promise<Result> {
    const id = ++this.#last;
    const _meta: Meta = { ...metaOf(params), progressToken: undefined };
    if (caller.wantsProgress) _meta.progressToken = id;
    if (caller.options) _meta[CALL_OPTIONS] = caller.options;
    const request = { jsonrpc: '2.0' as const, id, method, params: { ...params, _meta } };
    return new Promise((resolve, reject) => {
      const reply = new LocalReply(caller, resolve, reject);
      this.#adapters.serve(request, caller.requestBytes ?? 0, caller.client, reply);
    });
  }

  /** Adds this node to the identity of the process, which the result has only if the caller asked for it. */
  #named(result: Result): Result {
    const meta = metaOf(result);
    if (!meta?.[RAN]) return result;
    return { ...result, _meta: { ...meta, [RAN]: { ...(meta[RAN] as ProcessIdentity), ...this.#where } } };
  }

  /** Converts the error to what a caller on another node would get. */
  #outcome(error: unknown): unknown {
    const sent = toRpcError(error);
    extendRan(sent.data, this.#where);
    return fromRpcError(sent);
  }
}

class LocalReply implements SingleReply {
  onfull: ((isFull: boolean) => void) | undefined;
  onclose: (() => void) | undefined;
  readonly clientStays = true;
  readonly #caller: Caller;
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;
  readonly #cancel = () => this.onclose?.();

  constructor(caller: Caller, resolve: (result: Result) => void, reject: (error: unknown) => void) {
    this.#caller = caller;
    this.#resolve = resolve;
    this.#reject = reject;
    caller.signal?.addEventListener('abort', this.#cancel);
  }

  notify({ method, params = {} }: JsonRpcNotification): boolean {
    if (method === LOG_METHOD) this.#caller.log(params);
    else this.#caller.progress(params);
    return true;
  }

  answer(message: JsonRpcResponse): undefined {
    this.#caller.signal?.removeEventListener('abort', this.#cancel);
    if ('error' in message) {
      const { code, message: text, data } = message.error;
      return this.#reject(fromRpcError(new RpcError(code, text, data))) as undefined;
    }
    const result: unknown = message.result;
    return this.#resolve((result instanceof SharingResult ? result.toJSON() : result) as Result) as undefined;
  }

  end(): void {
    this.onclose?.();
  }
}

/**
 * Adds log messages to the subscriptions of nodes, for clients of earlier revisions: `subscriptions/listen` of 2026-07-28 offers
 * none.
 */
export class LogWatches {
  /** The service, with the log messages that were requested with `want`. */
  readonly service: Service;
  readonly #wanted = new WeakMap<ClientFacts, LogsFilter>();

  constructor(service: Service) {
    this.service = overlay(service, {
      watch: (watcher) => {
        const logs = watcher.client && this.#wanted.get(watcher.client);
        return logs ? watchWithLogs(service, watcher, logs) : service.watch(watcher);
      },
    });
  }

  want(client: ClientFacts, logs: LogsFilter): void {
    this.#wanted.set(client, logs);
  }
}

/** `chosen` needs a second watch: it sets the level of a server that has one level for all clients. */
export async function watchWithLogs(
  service: Service,
  { filter, client, notified, ended }: Watcher,
  { level, chosen }: LogsFilter,
): Promise<() => void> {
  const stop = await service.watch({ filter: { ...filter, logs: level }, client, notified, ended });
  if (!chosen) return stop;
  try {
    const release = await service.watch({
      filter: { logs: chosen, choosesLogs: true },
      client,
      notified: () => undefined,
    });
    return () => {
      stop();
      release();
    };
  } catch (error) {
    stop();
    throw error;
  }
}

export function readLogs(filter: unknown): LogsFilter | undefined {
  const logs = isObject(filter) ? (filter as NodeFilter)[LOGS] : undefined;
  if (logs === undefined) return undefined;
  const { level, chosen } = isObject(logs) ? (logs as Partial<LogsFilter>) : {};
  if (isLogLevel(level) && (chosen === undefined || isLogLevel(chosen))) return { level, ...(chosen && { chosen }) };
  throw invalidParams(`"${LOGS}" needs "level", and may have "chosen": both are log levels`);
}
