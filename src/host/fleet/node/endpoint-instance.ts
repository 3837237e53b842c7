// One server of this node as the nodes of the fleet reach it: passes their requests to the service if this node may act for it. Other
// nodes send messages; this node calls it directly. Never throws for a message. A refused request has not run and will not run.

import type { Clock } from '../../../base/clock.ts';
import { SHARED_MAX_FRAME_VALUES } from '../../../base/count-json-values.ts';
import { decodeText } from '../../../base/decode-text.ts';
import { toRpcError } from '../../../base/error-json.ts';
import { RpcCode, RpcError, StandpipeError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { within } from '../../../base/wait.ts';
import { ClientAdapters, DEFAULT_ASK_TIMEOUT_MS } from '../../../mcp/adapter/client-adapters.ts';
import { readEnvelope } from '../../../mcp/adapter/envelope.ts';
import { offered } from '../../../mcp/adapter/modern-subscriptions.ts';
import { isOfMcp } from '../../../mcp/methods.ts';
import { invalidParams } from '../../../mcp/protocol-errors.ts';
import { isLegacyRevision } from '../../../mcp/revisions.ts';
import type { Caller, ClientFacts, ClientIdentity, Params, Result, Service, Watcher } from '../../../mcp/service.ts';
import type { SubscriptionFilter } from '../../../mcp/types.ts';
import { errorAnswer } from '../../../wire/jsonrpc/inbound.ts';
import type { JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, RequestId } from '../../../wire/jsonrpc/message.ts';
import { MessageFault, parseMessage } from '../../../wire/jsonrpc/parse.ts';
import {
  CALLER,
  type CallerRecord,
  type CallRefusal,
  LOGS,
  type NodeFilter,
  toCaller,
  toInstance,
  wallMs,
} from '../call-protocol.ts';
import type { NodeMessage } from '../cluster-network.ts';
import { isPart, type Payload } from '../parts.ts';
import type { CallingNode } from './calling-nodes.ts';
import type { EndpointCalls } from './endpoint-calls.ts';
import { LocalCalls, LogWatches, readLogs, type Where, watchWithLogs } from './local-calls.ts';
import { NodeCall, type NodeCallOwner } from './node-call.ts';

export interface ServedInstance {
  id: string;
  server: string;
  service: Service;
  /** Generation of the claim. Undefined for a server of this node's own config. */
  generation: number | undefined;
  /** Whether this node may act for the server now: it has its lease, or the server is its own. */
  mayAct: () => boolean;
}

export interface OpenInstance {
  /** Calls without an answer, and calls that wait for their client. Subscriptions do not count: they end with the instance. */
  readonly inFlight: number;
  /** Refuses new calls as moved. Resolves when none is in flight and all answers were sent, or after `ms`. */
  drain(ms: number): Promise<void>;
  /** Cancels calls in flight, which fail with OUTCOME_UNKNOWN. Resolves when that was sent. */
  close(): Promise<void>;
}

/** An instance for callers on the same node. Nothing is serialized. */
export interface LocalInstance {
  whyRefused(params: Params): string | undefined;
  /** Must follow `whyRefused` at once. `server/discover` describes the service. */
  request(method: string, params: Params, caller: Caller): Promise<Result>;
  notify(method: string, params: Params | undefined, client: ClientFacts): void | Promise<void>;
  /** Resolves with the notifications that will arrive, and a function that stops them. `ended` is called at the end of the instance. */
  watch(
    wanted: NodeFilter,
    watcher: Omit<Watcher, 'filter'>,
  ): Promise<{ offered: SubscriptionFilter; stop: () => void }>;
}

const BRACE = 123;
const parsing = { batches: false, arrayParams: false, maxFrameValues: SHARED_MAX_FRAME_VALUES };

export class EndpointInstance implements NodeCallOwner, LocalInstance, OpenInstance {
  onClose: (() => void) | undefined;
  readonly where: Where;
  readonly #served: ServedInstance;
  readonly #calls: EndpointCalls;
  readonly #adapters: ClientAdapters;
  readonly #clock: Clock;
  readonly #flush: () => Promise<void>;
  readonly #logs: LogWatches;
  readonly #local: LocalCalls;
  readonly #watches = new Set<Pick<Watcher, 'ended'>>();
  #inFlight = 0;
  #refuses = false;
  #isClosed = false;
  readonly #drains = new Set<() => void>();

  /** `flush` resolves when everything sent so far has reached NATS. */
  constructor(node: string, served: ServedInstance, calls: EndpointCalls, clock: Clock, flush: () => Promise<void>) {
    this.where = served.generation === undefined ? { node } : { node, claim: served.generation };
    this.#flush = flush;
    this.#served = served;
    this.#calls = calls;
    this.#clock = clock;
    // A call outlives the request that sent the question to its client: the next request brings the client's answer.
    const options = { clock, orphanedMs: DEFAULT_ASK_TIMEOUT_MS, exposeErrors: true };
    this.#logs = new LogWatches(served.service);
    this.#adapters = new ClientAdapters(this.#logs.service, options);
    this.#local = new LocalCalls(served.service, this.#adapters, this.where, () => this.#left());
  }

  get inFlight(): number {
    return this.#inFlight + this.#local.size + this.#adapters.suspended.size;
  }

  readonly receive = ({ data, reply }: NodeMessage): void => {
    if (data[0] !== BRACE && isPart(data)) this.#receivePart(data, reply);
    else this.#take(decodeText(data), data.length, reply);
  };

  whyRefused({ requestState }: Params): string | undefined {
    if (this.#isClosed) return 'The instance has ended';
    // Calls that wait for their client continue here, because other instances do not know them.
    if (this.#refuses && !this.#adapters.suspended.has(requestState)) return 'The instance is being handed over';
    return this.#served.mayAct() ? undefined : 'Its node has lost its lease';
  }

  request(method: string, params: Params, caller: Caller): Promise<Result> {
    return this.#local.request(method, params, caller);
  }

  notify(method: string, params: Params | undefined, client: ClientFacts): void | Promise<void> {
    return this.whyRefused({}) === undefined ? this.#served.service.notify(method, params, client) : undefined;
  }

  async watch(wanted: NodeFilter, watcher: Omit<Watcher, 'filter'>) {
    const { service } = this.#served;
    const filter = offered(wanted, (await service.describe()).capabilities);
    const watch = { ...watcher, filter: wanted.further ? { ...filter, further: wanted.further } : filter };
    const logs = wanted[LOGS];
    const end = logs ? await watchWithLogs(service, watch, logs) : await service.watch(watch);
    this.#watches.add(watch);
    const stop = () => {
      this.#watches.delete(watch);
      end();
    };
    return { offered: filter, stop };
  }

  async drain(ms: number): Promise<void> {
    this.#refuses = true;
    if (this.inFlight > 0) await within(this.#clock, ms, new Promise<void>((resolve) => this.#drains.add(resolve)));
    await this.#flush();
  }

  async close(): Promise<void> {
    this.#refuses = true;
    this.#isClosed = true;
    this.onClose?.();
    this.#local.close();
    for (const watch of this.#watches) watch.ended?.();
    this.#watches.clear();
    await this.#adapters.close();
    this.#left();
    await this.#flush();
  }

  clientEnded(client: ClientIdentity): void {
    this.#adapters.suspended.clientEnded(client.id);
    this.#served.service.gone?.(client);
    this.#left();
  }

  sendTo({ reply }: NodeCall, payload: Payload): Promise<void> | undefined {
    return this.#calls.send(reply, payload);
  }

  over(call: NodeCall, answer: Payload | undefined): void {
    this.#calls.over(call, answer);
    if (call.listens) return;
    this.#inFlight--;
    this.#left();
  }

  #left(): void {
    if (this.#drains.size === 0 || (this.inFlight > 0 && !this.#isClosed)) return;
    for (const resolve of this.#drains) resolve();
    this.#drains.clear();
  }

  #receivePart(data: Uint8Array, reply: string | undefined): void {
    const caller = reply === undefined ? undefined : this.#calls.nodes.of(reply);
    if (reply === undefined || !caller) return;
    if (this.#calls.isKnown(caller, caller.numberOf(reply), reply)) return;
    try {
      const whole = this.#calls.assembler.add(reply, data, this.#calls.limits.maxMessageBytes, caller.name);
      if (whole) this.#take(decodeText(whole), whole.length, reply);
    } catch (error) {
      const isLost = error instanceof StandpipeError && error.code === 'FRAME_TRUNCATED';
      const isFull = error instanceof RpcError && error.rpcCode === RpcCode.serverBusy;
      // The request did not arrive completely, and is sent again.
      if (isLost) this.#refuse(reply, 'moved', error.message);
      else if (isFull) this.#refuse(reply, 'busy', error.message);
      else this.#fail(reply, undefined, error);
    }
  }

  #take(text: string, bytes: number, reply: string | undefined): void {
    if (text.charCodeAt(0) === BRACE) this.#request(text, bytes, reply, undefined);
    else if (text.startsWith(toInstance.traced)) {
      this.#request(text.slice(toInstance.traced.length), bytes, reply, wallMs());
    } else if (text.startsWith(toInstance.cancel)) {
      this.#calls.running.get(text.slice(toInstance.cancel.length))?.cancel();
    } else if (text.startsWith(toInstance.gone)) this.#gone(text.slice(toInstance.gone.length), reply);
    else if (reply !== undefined && this.#calls.nodes.of(reply)) this.#fail(reply, undefined, notAMessage());
  }

  #request(text: string, bytes: number, reply: string | undefined, receivedMs: number | undefined): void {
    if (reply === undefined) return; // the sender of the message does not expect an answer
    const caller = this.#calls.nodes.of(reply);
    const number = caller ? caller.numberOf(reply) : Number.NaN;
    // Any other reply subject is ignored: a sender could use this node to publish where NATS does not permit it to.
    if (!caller || Number.isNaN(number)) return;
    if (this.#calls.isKnown(caller, number, reply)) return;
    if (this.#isClosed) return this.#refuse(reply, 'moved', this.whyRefused({})!);
    const busy = this.#calls.whyBusy(caller, bytes);
    if (busy !== undefined) return this.#refuse(reply, 'busy', busy);
    const message = parseMessage(text, parsing) as JsonRpcMessage | MessageFault;
    if (message instanceof MessageFault)
      return this.#fail(reply, message.id, new RpcError(message.rpcCode, message.message));
    if (!('method' in message)) return this.#fail(reply, undefined, notAMessage());
    const client = clientOf(caller, message);
    if (!('id' in message)) {
      if (client instanceof RpcError || isOfMcp(message.method)) return this.#fail(reply, undefined, notAMessage());
      return void this.notify(message.method, message.params, client);
    }
    if (client instanceof RpcError) return this.#fail(reply, message.id, client);
    const refused = this.whyRefused(message.params!);
    if (refused !== undefined) return this.#refuse(reply, 'moved', refused);
    const call = new NodeCall(this, caller, { reply, number, bytes }, message, receivedMs);
    if (call.listens) {
      try {
        const { notifications } = message.params!;
        const logs = readLogs(notifications);
        if (logs) this.#logs.want(client, logs);
        if (logs) delete (notifications as NodeFilter)[LOGS]; // this member is handled here, and the server does not define it
      } catch (error) {
        return this.#fail(reply, message.id, error);
      }
    }
    this.#calls.begun(call);
    if (!call.listens) this.#inFlight++;
    this.#adapters.serve(message, bytes, client, call);
  }

  /**
   * Reports that a client has disconnected. The client may have used other instances too: they are informed as well.
   */
  #gone(client: string, reply = ''): void {
    const identity = this.#calls.nodes.of(reply)?.takeClient(client);
    if (identity) this.#calls.onClientEnded(identity);
  }

  #refuse(reply: string, reason: CallRefusal, text: string): void {
    void this.#calls.send(reply, `${toCaller.refused}${reason} ${text}`);
  }

  #fail(reply: string, id: RequestId | undefined, error: unknown): void {
    void this.#calls.send(reply, JSON.stringify(errorAnswer(id, toRpcError(error))));
  }
}

function clientOf(node: CallingNode, { params }: JsonRpcRequest | JsonRpcNotification): ClientFacts | RpcError {
  const meta = params?._meta;
  if (!isObject(meta)) return invalidParams('A request between nodes needs "_meta", an object');
  const caller = meta[CALLER];
  if (caller !== undefined && !isCaller(caller)) {
    return invalidParams(`"${CALLER}" needs "id" and "affinity", and may have "principal": all are strings`);
  }
  delete meta[CALLER]; // this member is not passed to the server
  const client = readEnvelope(meta, node.identityOf(caller));
  return caller?.revision && !(client instanceof RpcError) ? { ...client, revision: caller.revision } : client;
}

function isCaller(value: unknown): value is CallerRecord {
  if (!isObject(value)) return false;
  const { id, affinity, principal, revision } = value;
  const isNamed = principal === undefined || typeof principal === 'string';
  const isKnown = revision === undefined || isLegacyRevision(revision);
  return typeof id === 'string' && typeof affinity === 'string' && isNamed && isKnown;
}

function notAMessage(): RpcError {
  return new RpcError(RpcCode.invalidRequest, 'Not a message from a node to an instance');
}
