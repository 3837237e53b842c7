// The channel to one server of the fleet, used by the client of this node's host: structurally a transport. Requests go to the
// instance chosen for their client. A request that did not run is sent again as soon as the table names an instance; one that may
// have run is lost with that fact. The channel ends when no node has run the server for a time.

import { type Evidence, PeerError, RpcCode, RpcError, UsageError } from '../../base/errors.ts';
import { isStopped, SHOW_FLEET } from '../../host/supervision/server-errors.ts';
import type { RoutedClient, SendOptions } from '../../jsonrpc/channel.ts';
import type { JsonRpcErrorResponse, JsonRpcMessage, JsonRpcRequest, RequestId } from '../../jsonrpc/message.ts';
import { messageText, OwnRequest, SharingRequest } from '../../jsonrpc/message-text.ts';
import type { ClientChannel } from '../../mcp/client/options.ts';
import { handle, readHandle } from '../../mcp/handles.ts';
import { InFlight } from '../../requests/in-flight.ts';
import { SENT } from '../../requests/pending-requests.ts';
import type { ObservedHop } from '../../transport/wire.ts';
import { toInstance } from '../call-protocol.ts';
import { payloadOf } from '../payload.ts';
import { Call, type CallOwner, LISTEN, notSent, outcomeUnknown } from './call.ts';
import type { Calls } from './calls.ts';
import { InstanceChooser } from './choose-instance.ts';
import type { ChannelSettings } from './fleet-channels.ts';
import { instanceFor, isRefusedByAll } from './instance-for-call.ts';
import { ListenEverywhere } from './listen-everywhere.ts';
import { ObservedChannel } from './observed-channel.ts';
import { AnswerReader, ownError, wrongId } from './read-answer.ts';
import type { Instance } from './routing-table.ts';
import { isReachable, untilReachable } from './until-reachable.ts';
import { WaitingCalls } from './waiting-calls.ts';

export class FleetChannel implements ClientChannel, CallOwner {
  onmessage?: ((message: never, extra?: never, frameBytes?: number) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  onlost?: ((id: RequestId, error: Error) => void) | undefined;
  closeError: Error | undefined;
  receivedFor: RequestId | undefined;
  readonly writesText = true;
  readonly carriesCaller = true;
  readonly server: string;
  readonly calls: Calls;
  readonly reader: AnswerReader;
  readonly #url: string;
  readonly #observed: ObservedChannel;
  readonly #chooser: InstanceChooser;
  readonly #byId = new InFlight<RequestId, Call | ListenEverywhere>();
  readonly #waiting: WaitingCalls;
  #state: 'new' | 'open' | 'closed' = 'new';
  #stopListening: (() => void) | undefined;
  readonly #onEnd: () => void;

  constructor(calls: Calls, server: string, settings: ChannelSettings, onEnd: () => void) {
    this.calls = calls;
    this.server = server;
    this.reader = new AnswerReader(settings.maxFrameBytes, settings.maxFrameValues);
    this.#url = `nats://${calls.fabric.fleet}/${encodeURIComponent(server)}`;
    this.#observed = new ObservedChannel(settings.observer, calls.clock, (error) => this.onerror?.(error));
    this.#chooser = new InstanceChooser(calls.self, settings.share ?? 'all');
    this.#waiting = new WaitingCalls(calls, server, {
      send: (call) => this.#byId.get(call.id) === call && this.#dispatch(call),
      lose: (call, error) => this.#lose(call, error),
      end: (why) => this.#end(`No node answers for "${server}": ${why}`),
    });
    this.#onEnd = onEnd;
  }

  /** Fails if no node runs the server for a time: the host shows why, and tries again when that changes. */
  async start(): Promise<void> {
    if (this.#state !== 'new') throw new UsageError('ALREADY_STARTED', 'The channel was started before');
    const { calls, server } = this;
    const { table } = calls;
    if (!isReachable(calls, server)) {
      await untilReachable(calls, server, calls.openWaitMs, () => this.#state === 'closed' || calls.isOver);
    }
    if (this.#state !== 'new') throw this.#notOpen();
    if (!isReachable(calls, server)) {
      throw new PeerError('NOT_SENT', `No node answers for "${server}": ${table.whyNone(server)}`, {
        hint: SHOW_FLEET,
      });
    }
    this.#state = 'open';
    this.#stopListening = table.listen(this.server, () => this.#instancesChanged());
    this.#observed.connected(this.#url);
  }

  send(message: JsonRpcMessage, options?: object): Promise<void> {
    if (this.#state !== 'open') return Promise.reject(this.#notOpen());
    // In 2026-07-28 a client does not send responses.
    if (!('method' in message)) return SENT;
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') this.#cancel(message.params?.requestId as RequestId);
      return SENT;
    }
    return this.#request(message, (options as SendOptions | undefined)?.sender);
  }

  gone(client: RoutedClient): void {
    const instance = this.#chooser.forget(this.instances, client);
    if (instance && !this.isStateless) this.calls.tell(instance, toInstance.gone + client.id);
  }

  reconnected(): void {
    this.#waiting.retry();
  }

  /** Requests in flight are cancelled, because their client has closed its connection. */
  async close(): Promise<void> {
    const wasOpen = this.#state === 'open';
    for (const call of this.#takeAll()) {
      if (call instanceof ListenEverywhere) call.cancel();
      else this.calls.cancel(call);
    }
    this.#close();
    if (wasOpen) this.onclose?.();
  }

  evidence(): Evidence {
    return { phase: this.#state === 'new' ? 'startup' : 'running', url: this.#url };
  }

  get instances(): readonly Instance[] {
    return this.calls.table.instancesOf(this.server);
  }

  get isStateless(): boolean {
    return this.calls.table.recordOf(this.server)?.place?.stateless === true;
  }

  /** The instance for requests unrelated to a client. */
  anyInstance(): Instance | undefined {
    return this.#chooser.choose(this.instances, this.isStateless, undefined);
  }

  received(call: Call, text: string, data: Uint8Array | undefined): void {
    const message = this.read(call, text, data);
    if (!message) return;
    const bytes = data?.length ?? text.length;
    if ('method' in message) return this.deliver(call.id, message, bytes);
    message.id ??= call.id; // the gateway could not read the id
    if (message.id !== call.id) return this.failed(call, wrongId(call.method));
    if ('error' in message && message.error) return this.#refused(call, message, bytes);
    const result = (message as { result: Record<string, unknown> }).result;
    if (result.resultType === 'input_required' && typeof result.requestState === 'string') {
      result.requestState = handle(call.instance!.id, result.requestState);
    }
    this.#settle(call);
    this.#waiting.answered();
    this.deliver(call.id, message, bytes);
  }

  notRun(call: Call, why: string): void {
    if (isRefusedByAll(call, this)) this.#waiting.add(call, why);
    else this.#dispatch(call);
  }

  busy(call: Call, why: string): void {
    if (!isRefusedByAll(call, this)) return void this.#dispatch(call);
    this.#lose(call, new RpcError(RpcCode.serverBusy, `Node "${call.instance!.node}" is busy: ${why}`));
  }

  lost(call: Call, why: string): void {
    if (call.method === 'server/discover') return this.notRun(call, why); // it changes nothing, so it may be repeated
    this.#lose(call, outcomeUnknown(call, why));
  }

  failed(call: Call, error: Error): void {
    if (this.calls.close(call, 'failed')) this.#lose(call, error);
    else this.onerror?.(error);
  }

  /** Undefined if the text is not a valid message; the call has then failed. */
  read(call: Call, text: string, data: Uint8Array | undefined): JsonRpcMessage | undefined {
    this.#observed.received(text, data);
    const message = this.reader.read(call.method, text, data?.length ?? text.length);
    if (!(message instanceof PeerError)) return message;
    call.owner.failed(call, message);
    return undefined;
  }

  /** Delivers a message to the client as part of this request. */
  deliver(id: RequestId, message: JsonRpcMessage, bytes: number): void {
    this.receivedFor = id;
    try {
      this.onmessage?.(message as never, undefined, bytes);
    } finally {
      this.receivedFor = undefined;
    }
  }

  /** The request with this id was answered. */
  settled(id: RequestId): void {
    this.#byId.delete(id);
  }

  hop(hop: ObservedHop): void {
    this.#observed.hop(hop);
  }

  #request(message: JsonRpcRequest, sender: RoutedClient | undefined): Promise<void> {
    const params = message instanceof SharingRequest ? message.own : message.params;
    const parked = readHandle(params?.requestState);
    const { id, method } = message;
    const own = parked && new OwnRequest(id, method, { ...message.params, requestState: parked.id });
    const text = messageText(own ?? message);
    if (typeof text !== 'string') return Promise.reject(text);
    const payload = payloadOf(text);
    this.#observed.sent(payload);
    if (method === LISTEN) {
      const listen = new ListenEverywhere(this, id, payload);
      this.#byId.add(id, listen);
      listen.update();
      return SENT;
    }
    const only = parked?.owner;
    const call = new Call(this, { id, method, payload, sender, only, maxAnswerBytes: this.reader.maxFrameBytes });
    const refused = this.calls.hold(call);
    if (refused) return Promise.reject(refused);
    this.#byId.add(id, call);
    return this.#dispatch(call) ?? SENT;
  }

  #dispatch(call: Call): Promise<void> | undefined {
    const instance = instanceFor(call, this, this.#chooser);
    if (!instance || !this.calls.canReach(instance)) {
      this.#waiting.add(call, this.calls.table.whyNone(this.server));
      return undefined;
    }
    return this.calls.send(call, instance, this.#observed.mayTrace());
  }

  #refused(call: Call, message: JsonRpcErrorResponse, bytes: number): void {
    const error = ownError(message);
    // Its owner was about to give the server up: the request did not run.
    if (isStopped(error) && call.instance!.generation !== undefined) {
      this.calls.close(call, 'not_run');
      return this.notRun(call, error!.message);
    }
    this.#settle(call);
    if (error) this.onlost?.(call.id, error);
    else this.deliver(call.id, message, bytes);
  }

  #cancel(id: RequestId): void {
    const call = this.#byId.take(id);
    if (call instanceof ListenEverywhere) return call.cancel();
    if (!call) return;
    this.calls.release(call);
    this.#waiting.delete(call);
    this.calls.cancel(call);
  }

  #settle(call: Call): void {
    this.calls.close(call);
    this.calls.release(call);
    this.#byId.delete(call.id);
  }

  #lose(call: Call, error: Error): void {
    this.#settle(call);
    this.onlost?.(call.id, error);
  }

  #instancesChanged(): void {
    for (const call of [...this.#byId.values()]) if (call instanceof ListenEverywhere) call.update();
    this.#waiting.instancesChanged();
    this.calls.instancesChanged();
  }

  /** No node has run the server for a time. */
  #end(why: string): void {
    for (const call of this.#takeAll()) {
      if (call instanceof ListenEverywhere) call.cancel();
      else if (this.calls.close(call, 'lost')) this.onlost?.(call.id, outcomeUnknown(call, why));
      else this.onlost?.(call.id, notSent(call, this.server, why));
    }
    this.closeError = new PeerError('CONNECTION_CLOSED', why);
    this.#close(why);
    this.onclose?.();
  }

  #takeAll(): (Call | ListenEverywhere)[] {
    const open = [...this.#byId.values()];
    for (const call of open) {
      this.#byId.delete(call.id);
      if (call instanceof Call) this.calls.release(call);
    }
    return open;
  }

  #close(reason?: string): void {
    if (this.#state === 'open') this.#observed.disconnected(reason);
    this.#state = 'closed';
    this.#stopListening?.();
    this.#waiting.end();
    this.#onEnd();
  }

  #notOpen(): UsageError {
    if (this.#state === 'new') return new UsageError('NOT_STARTED', 'The channel was not started');
    return new UsageError('TRANSPORT_CLOSED', 'The channel is closed');
  }
}
