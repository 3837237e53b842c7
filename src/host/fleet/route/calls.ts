// This node's pending calls to instances of the fleet, by reply subject. One subscription serves all. An answer is delivered
// once. Messages for a call that has ended, or for an attempt that was given up, are dropped. Calls to instances on this
// node are counted here too, but their owner runs them.

import { type Clock, systemClock } from '../../../base/clock.ts';
import { decodeText } from '../../../base/decode-text.ts';
import { PeerError, RpcCode, RpcError, toError } from '../../../base/errors.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import { InFlight } from '../../../wire/requests/in-flight.ts';
import { type CallRefusal, type Hops, toCaller, toInstance } from '../call-protocol.ts';
import type { ClusterNetwork, NodeMessage, Subscription } from '../cluster-network.ts';
import type { LocalInstance, NodeEndpoint } from '../node/node-endpoint.ts';
import { isPart, PartsAssembler, type Payload, publishMessage, withWord } from '../parts.ts';
import { secretRun, subjectsOf } from '../subjects.ts';
import { CallCounts, type CallOutcome, FIRST_INQUIRY_MS, type FleetCall, LISTEN, type Unanswered } from './call.ts';
import { Inquiries } from './inquiries.ts';
import type { RoutedInstance, RoutingTable } from './routing-table.ts';

export interface CallsOptions {
  /** `runOf` this node. */
  run: string;
  /** The endpoint of this node, for calls to instances on it. */
  endpoint?: Pick<NodeEndpoint, 'local' | 'clientEnded'> | undefined;
  clock?: Clock | undefined;
  maxHeldChars?: number | undefined;
  /** Limit of all chunked answers together. Default: 256 MB. */
  maxArrivingBytes?: number | undefined;
  /** Limit of the wait for a server that no node runs. Default: two lifetimes of a lease, which a takeover may need. */
  openWaitMs?: number | undefined;
}

const BRACE = 123;
/** Time limit between two chunks of an answer. */
const PART_MS = 3_000;
const DEFAULT_MAX_HELD_CHARS = 64 * 1024 * 1024;

export class FleetCalls {
  readonly clock: Clock;
  readonly table: RoutingTable;
  readonly network: ClusterNetwork;
  readonly self: string;
  readonly counts = new CallCounts();
  onHops: ((call: FleetCall, hops: Hops) => void) | undefined;
  readonly #options: CallsOptions;
  readonly #byReply = new InFlight<string, FleetCall>();
  readonly #assembler: PartsAssembler;
  readonly #inquiries: Inquiries;
  readonly #subscription: Subscription;
  readonly #maxHeldChars: number;
  #heldChars = 0;
  #lostAtMs: number | undefined;
  #prefix: string;
  #last = 0;
  isOver = false;

  constructor(network: ClusterNetwork, table: RoutingTable, self: string, options: CallsOptions) {
    this.clock = options.clock ?? systemClock;
    this.network = network;
    this.table = table;
    this.self = self;
    this.#options = options;
    this.#maxHeldChars = options.maxHeldChars ?? DEFAULT_MAX_HELD_CHARS;
    this.#assembler = new PartsAssembler({ clock: this.clock, maxTotalBytes: options.maxArrivingBytes });
    this.#inquiries = new Inquiries(this);
    this.#prefix = this.#newPrefix();
    this.#subscription = network.subscribe(subjectsOf(network.fleet).replies(self), this.#received);
  }

  get size(): number {
    return this.#byReply.size;
  }

  values(): Iterable<FleetCall> {
    return this.#byReply.values();
  }

  isOpen(call: FleetCall): boolean {
    return this.#byReply.get(call.reply) === call;
  }

  /**
   * While the connection to NATS is lost, the wait is counted from the loss, so that each new service does not wait
   * again.
   */
  get openWaitMs(): number {
    const waitMs = this.#options.openWaitMs ?? 2 * this.network.leases.lifetimeMs;
    if (this.#lostAtMs === undefined) return waitMs;
    return Math.max(0, waitMs - (this.clock.nowMs() - this.#lostAtMs));
  }

  /** Keeps the message of a call until `release`, or returns why that is not possible. */
  hold(call: FleetCall, payload: Payload): PeerError | undefined {
    if (this.#heldChars > 0 && this.#heldChars + payload.length > this.#maxHeldChars) {
      const message = `${call.method} was not sent: unanswered requests to other nodes already have ${this.#heldChars} characters`;
      return new PeerError('SEND_QUEUE_FULL', message, { hint: 'Send it again when some of them are answered.' });
    }
    this.#heldChars += payload.length;
    call.payload = payload;
    return undefined;
  }

  release({ payload }: FleetCall): void {
    if (payload) this.#heldChars -= payload.length;
  }

  /** The instance itself, if it is on this node. */
  local({ node, id }: RoutedInstance): LocalInstance | undefined {
    return node === this.self ? this.#options.endpoint?.local(id) : undefined;
  }

  beginHere(call: FleetCall, instance: RoutedInstance): void {
    this.#begin(call, instance);
    call.askAtMs = Number.POSITIVE_INFINITY;
  }

  canReach({ node }: RoutedInstance): boolean {
    if (this.isOver) return false;
    return this.network.isConnected || (node === this.self && this.#options.endpoint !== undefined);
  }

  /** Returns a promise if the message has to wait until others are sent. */
  send(call: FleetCall, instance: RoutedInstance, isTraced: boolean): Promise<void> | undefined {
    const reply = this.#begin(call, instance);
    call.isTraced = isTraced;
    call.askEveryMs = FIRST_INQUIRY_MS;
    const payload = isTraced ? withWord(toInstance.traced, call.payload!) : call.payload!;
    call.askAtMs = this.clock.nowMs() + FIRST_INQUIRY_MS;
    this.#inquiries.begin();
    try {
      call.sending = publishMessage(this.network, instance.subject, payload, reply);
    } catch (error) {
      this.giveUp(call, 'not_run', toError(error).message);
    }
    if (!call.sending) return undefined;
    // Do not query the node while chunks are being sent: it would report the request as missing and refuse the
    // remaining chunks.
    call.askAtMs = Number.POSITIVE_INFINITY;
    call.sending = call.sending.then(
      () => {
        if (call.reply === reply) call.askAtMs = this.clock.nowMs() + FIRST_INQUIRY_MS;
      },
      (error: unknown) => {
        // The request does not run without its last chunk. The call may have been sent again in the meantime, with another `reply`.
        if (call.reply === reply) this.giveUp(call, 'not_run', toError(error).message);
      },
    );
    return call.sending;
  }

  /** Ends the attempt: later messages for it are dropped. Returns false if it had already ended. */
  close(call: FleetCall, outcome: CallOutcome = 'answered'): boolean {
    if (this.#byReply.get(call.reply) !== call) return false;
    this.#byReply.delete(call.reply);
    if (call.method !== LISTEN) call.instance!.inFlight--;
    this.counts.add(call.instance!.node, outcome);
    this.#assembler.forget(call.reply);
    return true;
  }

  giveUp(call: FleetCall, outcome: Unanswered, why: string): void {
    if (this.close(call, outcome)) call.owner.unanswered(call, outcome, why);
  }

  /** Cancels a call whose answer is no longer needed. */
  cancel(call: FleetCall): void {
    if (!this.close(call, 'cancelled')) return;
    const { instance, reply, sending } = call;
    const cancel = () => this.tell(instance!, toInstance.cancel + reply);
    // The cancellation follows a chunked message, which would otherwise begin to run after it.
    if (sending) void sending.then(cancel);
    else cancel();
  }

  gone(instance: RoutedInstance, client: ClientIdentity): void {
    if (this.local(instance)) this.#options.endpoint!.clientEnded(client);
    else void this.tell(instance, toInstance.gone + client.id);
  }

  /** Sends a message that is not answered. A call on this node is cancelled by the signal of its caller. */
  tell(instance: RoutedInstance, text: string): Promise<void> | undefined {
    if (!this.network.isConnected || this.local(instance)) return undefined;
    return this.network.publish(instance.subject, text, this.#nextReply());
  }

  /** Instances have changed: the nodes of calls to removed instances are asked at once. */
  instancesChanged(): void {
    this.#inquiries.hurry();
  }

  disconnected(): void {
    this.#lostAtMs ??= this.clock.nowMs();
  }

  reconnected(): void {
    this.#lostAtMs = undefined;
    this.#inquiries.askAll();
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.#inquiries.end();
    this.#assembler.clear();
    await this.#subscription.end().catch(() => undefined); // the connection is closed, and with it the subscription
  }

  #newPrefix(): string {
    const { network, self } = this;
    return subjectsOf(network.fleet).reply(self, secretRun(this.#options.run), '*').slice(0, -1);
  }

  #begin(call: FleetCall, instance: RoutedInstance): string {
    call.instance = instance;
    call.sending = undefined;
    call.reply = this.#nextReply();
    this.#byReply.add(call.reply, call);
    if (call.method !== LISTEN) instance.inFlight++;
    return call.reply;
  }

  #nextReply(): string {
    return `${this.#prefix}${++this.#last}`;
  }

  readonly #received = ({ subject, data, isUndeliverable }: NodeMessage): void => {
    const call = this.#byReply.get(subject);
    if (!call) return;
    if (isUndeliverable) return this.giveUp(call, 'not_run', `node "${call.instance!.node}" does not answer for it`);
    if (data[0] === BRACE) this.#deliver(call, decodeText(data), data);
    else if (isPart(data)) this.#receivedPart(call, data);
    else this.#receivedText(call, decodeText(data), data);
  };

  #receivedPart(call: FleetCall, data: Uint8Array): void {
    // An inquiry would make the node send the answer again after this one.
    call.askAtMs = this.clock.nowMs() + PART_MS;
    try {
      const whole = this.#assembler.add(call.reply, data, call.maxAnswerBytes);
      if (whole) this.#receivedText(call, decodeText(whole), whole);
    } catch (error) {
      // A chunk was lost with the connection, or the limit is reached. An inquiry makes the node send the answer again.
      const isLost = error instanceof PeerError && error.code === 'FRAME_TRUNCATED';
      const isFull = error instanceof RpcError && error.rpcCode === RpcCode.serverBusy;
      if (isLost || isFull) return;
      call.owner.failed(call, toError(error));
    }
  }

  #receivedText(call: FleetCall, text: string, data: Uint8Array): void {
    if (text.charCodeAt(0) === BRACE) return this.#deliver(call, text, data);
    if (text.startsWith(toCaller.refused)) return this.#refused(call, text.slice(toCaller.refused.length));
    if (text.startsWith(toCaller.hops)) this.#hops(call, text.slice(toCaller.hops.length));
  }

  #deliver(call: FleetCall, text: string, data: Uint8Array): void {
    try {
      call.owner.received(call, text, data);
    } catch (error) {
      call.owner.failed(call, toError(error));
    }
  }

  #refused(call: FleetCall, text: string): void {
    const at = text.indexOf(' ');
    const reason = (at < 0 ? text : text.slice(0, at)) as CallRefusal;
    const why = at < 0 ? `node "${call.instance!.node}" refused it` : text.slice(at + 1);
    // A node that refuses this number as too low may refuse all later ones. It accepts numbers with a new secret.
    if (reason === 'old' && call.reply.startsWith(this.#prefix)) this.#prefix = this.#newPrefix();
    this.giveUp(call, reason === 'busy' ? 'busy' : 'not_run', why);
  }

  #hops(call: FleetCall, text: string): void {
    try {
      this.onHops?.(call, JSON.parse(text) as Hops);
    } catch (error) {
      call.owner.failed(call, toError(error));
    }
  }
}
