// One subscription of this node at every instance of a server, for as long as the node subscribes. It is acknowledged once. Changes
// that an instance may have announced before the stream began are reported as changed, so that they are read again.

import type { Timer } from '../../../base/clock.ts';
import { RpcError, toError } from '../../../base/errors.ts';
import { NEWEST_MODERN } from '../../../mcp/revisions.ts';
import type { ClientFacts, Params } from '../../../mcp/service.ts';
import type { SubscriptionFilter } from '../../../mcp/types.ts';
import type { JsonRpcMessage } from '../../../wire/jsonrpc/message.ts';
import type { NodeFilter } from '../call-protocol.ts';
import type { LocalInstance } from '../node/node-endpoint.ts';
import type { Payload } from '../parts.ts';
import { ACKNOWLEDGED, FleetCall, type FleetCallOwner, LISTEN } from './call.ts';
import { errorIn } from './request-text.ts';
import type { RoutedInstance } from './routing-table.ts';
import type { ServerRequests } from './server-requests.ts';

const AGAIN_MS = 250;

/** The subscriber of streams on this node: its host, for all clients. */
const host: ClientFacts = {
  identity: { id: 'fleet', principal: undefined, affinity: 'host' },
  revision: NEWEST_MODERN,
  capabilities: {},
  info: undefined,
  logLevel: undefined,
};

export interface Listener {
  acknowledged(filter: SubscriptionFilter): void;
  notified(method: string, params: Params | undefined): void;
  /** Notifications that this filter includes may have been missed. */
  missed(filter: SubscriptionFilter): void;
  refused(error: unknown): void;
}

type Stream = FleetCall | { stop(): void };

export class ListenEverywhere implements FleetCallOwner {
  readonly #requests: ServerRequests;
  readonly #id: number;
  readonly #wanted: NodeFilter;
  readonly #listener: Listener;
  readonly #streams = new Map<string, Stream>();
  #payload: Payload | undefined;
  #isAcknowledged = false;
  #isOver = false;
  #again: Timer | undefined;

  constructor(requests: ServerRequests, id: number, wanted: NodeFilter, listener: Listener) {
    this.#requests = requests;
    this.#id = id;
    this.#wanted = wanted;
    this.#listener = listener;
  }

  update(): void {
    if (this.#isOver) return;
    const wanted = this.#instances();
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [id, stream] of [...this.#streams]) {
      if (ids.has(id)) continue;
      this.#streams.delete(id);
      this.#stop(stream);
    }
    for (const instance of wanted) if (!this.#streams.has(instance.id)) this.#open(instance);
  }

  cancel(): void {
    this.#isOver = true;
    this.#again?.cancel();
    for (const stream of this.#streams.values()) this.#stop(stream);
    this.#streams.clear();
  }

  received(call: FleetCall, text: string, data: Uint8Array): void {
    const message = this.#requests.read(call, text, data);
    if (!message) return;
    if (!('method' in message)) return this.#ended(call, message);
    if (message.method === ACKNOWLEDGED) this.#acknowledged(message.params?.notifications as SubscriptionFilter);
    else this.#listener.notified(message.method, message.params);
  }

  unanswered(call: FleetCall): void {
    this.#openLater(call.instance!, call);
  }

  failed(call: FleetCall, error: Error): void {
    this.#requests.calls.close(call);
    this.#requests.service.onerror?.(error);
    this.#openLater(call.instance!, call);
  }

  #instances(): readonly RoutedInstance[] {
    const { instances, isStateless } = this.#requests;
    if (!isStateless || instances.length <= 1) return instances;
    // All instances announce the same changes. The current stream is kept.
    const kept = instances.find(({ id }) => this.#streams.has(id)) ?? this.#requests.instanceOf(undefined);
    return kept ? [kept] : [];
  }

  #open(instance: RoutedInstance): void {
    const { calls, maxAnswerBytes } = this.#requests;
    if (!calls.canReach(instance)) return this.#updateLater();
    const local = calls.local(instance);
    if (local) return this.#openHere(instance, local);
    const params = { notifications: this.#wanted };
    const call = new FleetCall(this, { id: this.#id, method: LISTEN, params, caller: undefined, maxAnswerBytes });
    this.#payload ??= this.#requests.payloadOf(call);
    call.payload = this.#payload;
    this.#streams.set(instance.id, call);
    void calls.send(call, instance, false);
  }

  #openHere(instance: RoutedInstance, local: LocalInstance): void {
    if (local.whyRefused({}) !== undefined) return this.#updateLater();
    let [end, isOver]: [(() => void) | undefined, boolean] = [undefined, false];
    const stream = {
      stop: () => {
        isOver = true;
        end?.();
      },
    };
    this.#streams.set(instance.id, stream);
    const watcher = {
      client: host,
      notified: (method: string, params: Params | undefined) => {
        if (!isOver && this.#isAcknowledged) this.#listener.notified(method, params);
      },
      ended: () => this.#openLater(instance, stream),
    };
    local.watch(this.#wanted, watcher).then(
      ({ offered, stop }) => {
        if (isOver) return stop();
        end = stop;
        this.#acknowledged(offered);
      },
      (error: unknown) => {
        if (!isOver) this.#refused(instance, stream, error);
      },
    );
  }

  #stop(stream: Stream): void {
    if (stream instanceof FleetCall) this.#requests.calls.cancel(stream);
    else stream.stop();
  }

  #acknowledged(filter: SubscriptionFilter = {}): void {
    if (this.#isAcknowledged) return this.#listener.missed(filter);
    this.#isAcknowledged = true;
    this.#listener.acknowledged(filter);
  }

  /** A stream that ends is opened again at the current instance. */
  #ended(call: FleetCall, message: JsonRpcMessage): void {
    this.#requests.calls.close(call);
    if (!('error' in message)) return this.#openLater(call.instance!, call);
    this.#refused(call.instance!, call, errorIn(message));
  }

  /** A refusal is passed on as the answer until the subscription is acknowledged. */
  #refused(instance: RoutedInstance, stream: Stream, error: unknown): void {
    const isAnswer = error instanceof RpcError && !this.#isAcknowledged && this.#streams.size === 1;
    if (!isAnswer) {
      if (!(error instanceof RpcError)) this.#requests.service.onerror?.(toError(error));
      return this.#openLater(instance, stream);
    }
    this.cancel();
    this.#listener.refused(error);
  }

  #openLater({ id }: RoutedInstance, stream: Stream): void {
    if (this.#streams.get(id) === stream) this.#streams.delete(id);
    this.#updateLater();
  }

  #updateLater(): void {
    if (this.#isOver || this.#again) return;
    this.#again = this.#requests.calls.clock.after(AGAIN_MS, () => {
      this.#again = undefined;
      this.update();
    });
    this.#again.keepAlive(false);
  }
}
