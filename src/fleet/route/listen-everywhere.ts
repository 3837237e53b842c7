// One `subscriptions/listen` of a client at every instance of its server, for as long as the client listens. It is acknowledged once.
// Changes that an instance may have announced before the stream began are reported as changed, so that they are read again.

import type { Timer } from '../../base/clock.ts';
import type { JsonRpcMessage, RequestId } from '../../jsonrpc/message.ts';
import { SUBSCRIPTION_ID } from '../../mcp/meta.ts';
import type { SubscriptionFilter } from '../../mcp/types.ts';
import { listKinds } from '../../mcp/watchers.ts';
import type { Payload } from '../payload.ts';
import { Call, type CallOwner, LISTEN } from './call.ts';
import type { FleetChannel } from './fleet-channel.ts';
import type { Instance } from './routing-table.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const AGAIN_MS = 250;

export class ListenEverywhere implements CallOwner {
  readonly id: RequestId;
  readonly #channel: FleetChannel;
  readonly #payload: Payload;
  /** By instance id. */
  readonly #streams = new Map<string, Call>();
  #isAcknowledged = false;
  #isOver = false;
  #again: Timer | undefined;

  constructor(channel: FleetChannel, id: RequestId, payload: Payload) {
    this.#channel = channel;
    this.id = id;
    this.#payload = payload;
  }

  /** Listens at the current instances. */
  update(): void {
    if (this.#isOver) return;
    const wanted = this.#wanted();
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [id, call] of [...this.#streams]) {
      if (ids.has(id)) continue;
      this.#streams.delete(id);
      this.#channel.calls.cancel(call);
    }
    for (const instance of wanted) if (!this.#streams.has(instance.id)) this.#open(instance);
  }

  cancel(): void {
    this.#isOver = true;
    this.#again?.cancel();
    for (const call of this.#streams.values()) this.#channel.calls.cancel(call);
    this.#streams.clear();
  }

  received(call: Call, text: string, data: Uint8Array | undefined): void {
    const message = this.#channel.read(call, text, data);
    if (!message) return;
    const bytes = data?.length ?? text.length;
    if (!('method' in message)) return this.#ended(call, message, bytes);
    if (message.method !== ACKNOWLEDGED) return this.#channel.deliver(this.id, message, bytes);
    if (this.#isAcknowledged) return this.#missed(message.params?.notifications as SubscriptionFilter | undefined);
    this.#isAcknowledged = true;
    this.#channel.deliver(this.id, message, bytes);
  }

  notRun(call: Call): void {
    this.#openLater(call);
  }

  busy(call: Call): void {
    this.#openLater(call);
  }

  lost(call: Call): void {
    this.#openLater(call);
  }

  failed(call: Call, error: Error): void {
    this.#channel.calls.close(call);
    this.#channel.onerror?.(error);
    this.#openLater(call);
  }

  #wanted(): readonly Instance[] {
    const { instances, isStateless } = this.#channel;
    if (!isStateless || instances.length <= 1) return instances;
    // All instances announce the same changes. The current stream is kept.
    const kept = instances.find(({ id }) => this.#streams.has(id)) ?? this.#channel.anyInstance();
    return kept ? [kept] : [];
  }

  #open(instance: Instance): void {
    const { calls, reader } = this.#channel;
    if (!calls.canReach(instance)) return this.#updateLater();
    const { id } = this;
    const content = {
      id,
      method: LISTEN,
      payload: this.#payload,
      sender: undefined,
      maxAnswerBytes: reader.maxFrameBytes,
    };
    const call = new Call(this, content);
    this.#streams.set(instance.id, call);
    void calls.send(call, instance, false);
  }

  /**
   * A refusal is passed on as the answer until the request is acknowledged. A stream that ends is opened again at the current
   * instance.
   */
  #ended(call: Call, message: JsonRpcMessage, bytes: number): void {
    this.#channel.calls.close(call);
    const isRefused = 'error' in message && !this.#isAcknowledged && this.#streams.size === 1;
    if (!isRefused) return this.#openLater(call);
    this.cancel();
    this.#channel.settled(this.id);
    this.#channel.deliver(this.id, message, bytes);
  }

  #openLater(call: Call): void {
    const { id } = call.instance!;
    if (this.#streams.get(id) === call) this.#streams.delete(id);
    this.#updateLater();
  }

  #updateLater(): void {
    if (this.#isOver || this.#again) return;
    this.#again = this.#channel.calls.clock.after(AGAIN_MS, () => {
      this.#again = undefined;
      this.update();
    });
    this.#again.keepAlive(false);
  }

  #missed(filter: SubscriptionFilter = {}): void {
    const _meta = { [SUBSCRIPTION_ID]: this.id };
    const notify = (method: string, params: object) =>
      this.#channel.deliver(this.id, { jsonrpc: '2.0', method, params: { ...params, _meta } }, 0);
    for (const kind of listKinds) if (filter[`${kind}ListChanged`]) notify(`notifications/${kind}/list_changed`, {});
    for (const uri of filter.resourceSubscriptions ?? []) notify('notifications/resources/updated', { uri });
  }
}
