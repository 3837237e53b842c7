// One server of this node as other nodes reach it: reads their messages, and passes requests to the service if this node may act for
// it. Never throws for a message. A refused request has not run and will not run.

import type { Clock } from '../../base/clock.ts';
import { SHARED_MAX_FRAME_VALUES } from '../../base/count-json-values.ts';
import { decodeText } from '../../base/decode-text.ts';
import { toRpcError } from '../../base/error-json.ts';
import { RpcCode, RpcError, StandpipeError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { within } from '../../base/wait.ts';
import { errorAnswer } from '../../jsonrpc/inbound.ts';
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../jsonrpc/message.ts';
import { MessageFault, parseMessage } from '../../jsonrpc/parse.ts';
import { readEnvelope } from '../../mcp/front/envelope.ts';
import { DEFAULT_ASK_TIMEOUT_MS, Fronts } from '../../mcp/front/fronts.ts';
import { invalidParams } from '../../mcp/protocol-errors.ts';
import type { ClientFacts, ClientIdentity, Service } from '../../mcp/service.ts';
import { CALLER, type CallerRecord, type Refusal, toCaller, toInstance } from '../call-protocol.ts';
import type { Message } from '../fabric.ts';
import { isPart } from '../parts.ts';
import type { Payload } from '../payload.ts';
import { wallMs } from '../wall-clock.ts';
import type { CallingNode } from './calling-nodes.ts';
import type { DoorCalls } from './door-calls.ts';
import { type CallOwner, NodeCall } from './node-call.ts';

export interface ServedInstance {
  /** Last token of its subject. */
  id: string;
  /** Name of the server in the fleet. */
  server: string;
  service: Service;
  /** Generation of the claim. Undefined for a server of this node's own config. */
  generation: number | undefined;
  /** Whether this node may act for the server now: it has its lease, or the server is its own. */
  mayAct: () => boolean;
}

export interface OpenInstance {
  /**
   * Number of calls without an answer, and of calls that wait for an answer of their client. Subscriptions do not count: they end
   * with the instance.
   */
  readonly inFlight: number;
  /** Refuses new calls as moved. Resolves when none is in flight and all answers were sent, or after `ms`. */
  drain(ms: number): Promise<void>;
  /** Cancels calls in flight, which fail with OUTCOME_UNKNOWN. Resolves when that was sent. */
  close(): Promise<void>;
}

/** Accepts the same messages without NATS. Answers are passed to `onLocal`, possibly before `send` returns. */
export interface LocalInstance {
  send(text: string, reply: string): void;
}

const BRACE = 123;
const parsing = { batches: false, arrayParams: false, maxFrameValues: SHARED_MAX_FRAME_VALUES };

export class DoorInstance implements CallOwner, LocalInstance {
  readonly node: string;
  readonly generation: number | undefined;
  readonly #served: ServedInstance;
  readonly #calls: DoorCalls;
  readonly #fronts: Fronts;
  readonly #clock: Clock;
  #inFlight = 0;
  #refuses = false;
  #isClosed = false;
  readonly #drains = new Set<() => void>();

  constructor(node: string, served: ServedInstance, calls: DoorCalls, clock: Clock) {
    this.node = node;
    this.generation = served.generation;
    this.#served = served;
    this.#calls = calls;
    this.#clock = clock;
    // A call outlives the request that sent the question to its client: the next request brings the client's answer.
    const options = { clock, orphanedMs: DEFAULT_ASK_TIMEOUT_MS, exposeErrors: true, isOfNodes: true };
    this.#fronts = new Fronts(served.service, options);
  }

  get inFlight(): number {
    return this.#inFlight + this.#fronts.suspended.size;
  }

  readonly receive = ({ data, reply }: Message): void => {
    if (data[0] !== BRACE && isPart(data)) this.#receivePart(data, reply);
    else this.#take(decodeText(data), data.length, reply, false);
  };

  send(text: string, reply: string): void {
    this.#take(text, text.length, reply, true);
  }

  async drain(ms: number): Promise<void> {
    this.#refuses = true;
    if (this.inFlight === 0) return;
    await within(this.#clock, ms, new Promise<void>((resolve) => this.#drains.add(resolve)));
  }

  async close(): Promise<void> {
    this.#refuses = true;
    this.#isClosed = true;
    await this.#fronts.close();
    this.#left();
  }

  clientEnded(client: ClientIdentity): void {
    this.#fronts.suspended.clientEnded(client.id);
    this.#served.service.gone?.(client);
    this.#left();
  }

  sendTo({ reply, isLocal }: NodeCall, payload: Payload): Promise<void> | undefined {
    return this.#calls.send(reply, payload, isLocal);
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
      const whole = this.#calls.assembler.add(reply, data, this.#calls.limits.maxMessageBytes);
      if (whole) this.#take(decodeText(whole), whole.length, reply, false);
    } catch (error) {
      const isLost = error instanceof StandpipeError && error.code === 'FRAME_TRUNCATED';
      const isFull = error instanceof RpcError && error.rpcCode === RpcCode.serverBusy;
      // The request did not arrive completely, and is sent again.
      if (isLost) this.#refuse(reply, 'moved', error.message, false);
      else if (isFull) this.#refuse(reply, 'busy', error.message, false);
      else this.#fail(reply, undefined, error, false);
    }
  }

  #take(text: string, bytes: number, reply: string | undefined, isLocal: boolean): void {
    if (text.charCodeAt(0) === BRACE) this.#request(text, bytes, reply, isLocal, undefined);
    else if (text.startsWith(toInstance.traced)) {
      this.#request(text.slice(toInstance.traced.length), bytes, reply, isLocal, wallMs());
    } else if (text.startsWith(toInstance.cancel)) {
      this.#calls.running.get(text.slice(toInstance.cancel.length))?.cancel();
    } else if (text.startsWith(toInstance.gone)) this.#gone(text.slice(toInstance.gone.length), reply, isLocal);
    else if (reply !== undefined && (isLocal || this.#calls.nodes.of(reply))) {
      this.#fail(reply, undefined, notAMessage(), isLocal);
    }
  }

  #request(
    text: string,
    bytes: number,
    reply: string | undefined,
    isLocal: boolean,
    receivedMs: number | undefined,
  ): void {
    if (reply === undefined) return; // its sender does not expect an answer
    const caller = isLocal ? this.#calls.local : this.#calls.nodes.of(reply);
    const number = caller && !isLocal ? caller.numberOf(reply) : Number.NaN;
    // The sender may not be permitted to publish at any other subject, and this node would do so on its behalf.
    if (!caller || (Number.isNaN(number) && !isLocal)) return;
    if (this.#calls.isKnown(caller, number, reply)) return;
    if (this.#isClosed) return this.#refuse(reply, 'moved', 'The instance has ended', isLocal);
    const busy = this.#calls.whyBusy(caller, bytes);
    if (busy !== undefined) return this.#refuse(reply, 'busy', busy, isLocal);
    const message = parseMessage(text, parsing) as JsonRpcMessage | MessageFault;
    if (message instanceof MessageFault)
      return this.#fail(reply, message.id, new RpcError(message.rpcCode, message.message), isLocal);
    if (!('method' in message && 'id' in message)) return this.#fail(reply, undefined, notAMessage(), isLocal);
    const client = clientOf(caller, message);
    if (client instanceof RpcError) return this.#fail(reply, message.id, client, isLocal);
    // Calls that wait for their client continue here, because other instances do not know them.
    if (this.#refuses && !this.#fronts.suspended.has(message.params?.requestState)) {
      return this.#refuse(reply, 'moved', 'The instance is being handed over', isLocal);
    }
    if (!this.#served.mayAct()) return this.#refuse(reply, 'moved', 'Its node has lost its lease', isLocal);
    const call = new NodeCall(this, caller, { reply, number, bytes, isLocal }, message, receivedMs);
    this.#calls.begun(call);
    if (!call.listens) this.#inFlight++;
    this.#fronts.serve(message, bytes, client, call);
  }

  /** The client may have used other instances too: they are informed as well. */
  #gone(client: string, reply = '', isLocal: boolean): void {
    const caller = isLocal ? this.#calls.local : this.#calls.nodes.of(reply);
    const identity = caller?.takeClient(client);
    if (identity) this.#calls.onClientEnded(identity);
  }

  #refuse(reply: string, reason: Refusal, text: string, isLocal: boolean): void {
    void this.#calls.send(reply, `${toCaller.refused}${reason} ${text}`, isLocal);
  }

  #fail(reply: string, id: RequestId | undefined, error: unknown, isLocal: boolean): void {
    void this.#calls.send(reply, JSON.stringify(errorAnswer(id, toRpcError(error))), isLocal);
  }
}

/** The sender of a request, as described by its node, or why the request is refused. */
function clientOf(node: CallingNode, { params }: JsonRpcRequest): ClientFacts | RpcError {
  const meta = params?._meta;
  if (!isObject(meta)) return invalidParams('A request between nodes needs "_meta", an object');
  const caller = meta[CALLER];
  if (caller !== undefined && !isCaller(caller)) {
    return invalidParams(`"${CALLER}" needs "id" and "affinity", and may have "principal": all are strings`);
  }
  const client = readEnvelope(meta, node.identityOf(caller));
  return caller?.watchesLogs && !(client instanceof RpcError) ? { ...client, watchesLogs: true } : client;
}

function isCaller(value: unknown): value is CallerRecord {
  if (!isObject(value)) return false;
  const { id, affinity, principal } = value;
  const isNamed = principal === undefined || typeof principal === 'string';
  return typeof id === 'string' && typeof affinity === 'string' && isNamed;
}

function notAMessage(): RpcError {
  return new RpcError(RpcCode.invalidRequest, 'Not a message from a node to an instance');
}
