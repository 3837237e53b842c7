// One watch of a bucket, shared by all listeners of a program: each is called with every entry, then with every change in order. The
// JetStream consumer is created again after each reconnection, after a gap and when its heartbeats are missing, starting after the last
// change. (The watch of `@nats-io/kv` notices a lost consumer only after up to 90 s.) All entries are read again if the bucket was
// created again, or after such a long time that removal markers may have expired: missing entries are then reported as removed.

import { randomBytes } from 'node:crypto';
import type { ConsumerInfo } from '@nats-io/jetstream';
import type { Msg, Subscription } from '@nats-io/transport-node';
import type { Timer } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import type { KeyedRecord, TableListener } from '../cluster-network.ts';
import type { NatsBucket } from './nats-bucket.ts';

const HEARTBEAT_MS = 5_000;
/** In a cluster, the server that sends the changes can end while the connection stays, so it is checked more often. */
const CLUSTER_HEARTBEAT_MS = 2_000;
/** After this many heartbeats without a message, the consumer is considered lost. */
const SILENT = 2.5;
const RETRY_MS = 500;
/** After a longer time without a connection, all entries are read again. */
const FULL_AFTER_MS = 30 * 60_000;
/** Age after which removal markers are deleted. */
const MARKER_MS = 2 * FULL_AFTER_MS;
const MOST_DELETED = 200;

export class NatsWatch<T> {
  readonly #bucket: NatsBucket;
  readonly #onEnd: () => void;
  readonly #entries = new Map<string, KeyedRecord<T>>();
  /** Listeners that have been called with every entry. */
  readonly #listeners = new Set<TableListener<T>>();
  /** Number of listeners, including those that wait for the start. */
  #users = 0;
  #started: Promise<void> | undefined;
  /** Creation time of the bucket, which distinguishes buckets of the same name. */
  #created: string | undefined;
  #lastRevision = 0;
  #subscription: Subscription | undefined;
  /** Number of the consumer, increased with each one: messages of an earlier one are ignored. */
  #turn = 0;
  #delivered = 0;
  #aliveMs = 0;
  /** Set while all entries are read: the keys found so far, and outdated markers. */
  #reading: { seen: Set<string>; oldMarkers: number[]; info?: ConsumerInfo; isDone: () => void } | undefined;
  #stops: (() => void)[] = [];
  #retry: Timer | undefined;
  #silence: Timer | undefined;
  #isStopped = false;

  /** `onEnd`: called when the last listener has left. The watch can then no longer be used. */
  constructor(bucket: NatsBucket, onEnd: () => void) {
    this.#bucket = bucket;
    this.#onEnd = onEnd;
  }

  /** Resolves when the listener was called with every entry. Rejects without a connection, even if all entries are known. */
  async listen(listener: TableListener<T>): Promise<() => void> {
    const { link, stream } = this.#bucket;
    this.#users++;
    this.#started ??= this.#start();
    this.#started.catch(() => undefined); // `attempt` rejects with the same error
    try {
      await link.attempt(`Watching ${stream}`, () => this.#started!);
    } catch (error) {
      this.#leave();
      throw error;
    }
    for (const entry of this.#entries.values()) this.#call(listener, entry);
    this.#listeners.add(listener);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#listeners.delete(listener);
      this.#leave();
    };
  }

  #leave(): void {
    if (--this.#users > 0) return;
    this.#stop();
    this.#onEnd();
  }

  get #heartbeatMs(): number {
    return this.#bucket.isReplicated ? CLUSTER_HEARTBEAT_MS : HEARTBEAT_MS;
  }

  async #start(): Promise<void> {
    const whole = new Promise<void>((resolve) => {
      this.#reading = { seen: new Set(), oldMarkers: [], isDone: resolve };
    });
    const { link } = this.#bucket;
    this.#listen();
    const reopen = () => this.#reopen();
    this.#stops = [link.onReconnect(reopen), this.#bucket.onMade(reopen)];
    try {
      await this.#open();
      await link.attempt(`Reading ${this.#bucket.stream}`, () => whole);
    } catch (error) {
      this.#stop();
      throw error;
    }
  }

  #stop(): void {
    this.#isStopped = true;
    this.#turn += 1;
    this.#retry?.cancel();
    this.#silence?.cancel();
    for (const stop of this.#stops) stop();
    this.#subscription?.unsubscribe();
  }

  async #open(): Promise<void> {
    const { link, jsm, stream, prefix } = this.#bucket;
    const { connection, packages } = link;
    const { AckPolicy, DeliverPolicy } = packages.jetstream;
    this.#turn += 1;
    const turn = this.#turn;
    this.#subscription?.unsubscribe();
    this.#delivered = 0;
    const lastRevision = this.#lastRevision;
    this.#aliveMs = this.#bucket.link.clock.nowMs();
    const inbox = packages.transport.createInbox(link.inboxPrefix);
    this.#subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error || turn !== this.#turn) return;
        try {
          this.#take(message);
        } catch (failure) {
          link.failed(message.subject, failure);
        }
      },
    });
    const from = this.#reading
      ? { deliver_policy: DeliverPolicy.LastPerSubject }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: this.#lastRevision + 1 };
    const info = await this.#bucket.attempt(`Watching ${stream}`, () =>
      jsm.consumers.add(stream, {
        ...from,
        name: randomBytes(12).toString('hex'),
        deliver_subject: inbox,
        filter_subject: `${prefix}>`,
        ack_policy: AckPolicy.None,
        max_deliver: 1,
        flow_control: true,
        idle_heartbeat: this.#heartbeatMs * 1e6,
        inactive_threshold: 2 * HEARTBEAT_MS * 1e6,
        mem_storage: true,
        num_replicas: 1,
      }),
    );
    // The bucket is read after the consumer was created: if it is still the same bucket, the consumer belongs to it.
    // Changes may arrive before the answer.
    const { created, state } = await this.#bucket.info();
    if (turn !== this.#turn) return;
    this.#created ??= created;
    if (created !== this.#created || state.last_seq < lastRevision) {
      this.#created = created;
      link.say(`The bucket ${stream} was deleted or created again in NATS: all of its entries are read again`);
      return this.#readAgain();
    }
    if (this.#reading) {
      this.#reading.info = info;
      this.#checkWhole(false);
    }
  }

  #readAgain(): Promise<void> {
    this.#reading = { seen: new Set(), oldMarkers: [], isDone: this.#reading?.isDone ?? (() => undefined) };
    this.#lastRevision = 0;
    return this.#open();
  }

  #reopen(): void {
    if (this.#isStopped) return;
    this.#retry?.cancel();
    const isLong = this.#bucket.link.clock.nowMs() - this.#aliveMs > FULL_AFTER_MS;
    const opened = isLong || this.#reading ? this.#readAgain() : this.#open();
    opened.catch((error: unknown) => {
      // Without a connection, the next reconnection opens the watch.
      if (this.#isStopped || !this.#bucket.link.isConnected) return;
      this.#bucket.link.say(`Watching ${this.#bucket.stream} failed and is tried again: ${toError(error).message}`);
      this.#retry?.cancel();
      this.#retry = this.#bucket.link.clock.after(RETRY_MS, () => this.#reopen());
      this.#retry.keepAlive(false);
    });
  }

  #listen(): void {
    const { clock } = this.#bucket.link;
    this.#silence = clock.after(this.#heartbeatMs, () => {
      this.#listen();
      const isSilent = clock.nowMs() - this.#aliveMs > SILENT * this.#heartbeatMs;
      if (isSilent && this.#bucket.link.isConnected) this.#reopen();
    });
    this.#silence.keepAlive(false);
  }

  #take(message: Msg): void {
    this.#aliveMs = this.#bucket.link.clock.nowMs();
    const code = message.headers?.code;
    if (code === 100) return this.#takeStatus(message);
    if (code) return this.#reopen();
    const delivery = readDelivery(message.reply!);
    if (delivery.count !== this.#delivered + 1) return this.#reopen();
    this.#delivered = delivery.count;
    this.#lastRevision = delivery.revision;
    const key = message.subject.slice(this.#bucket.prefix.length);
    if (message.headers?.has('KV-Operation')) this.#removed(key, delivery);
    else {
      this.#reading?.seen.add(key);
      this.#report(key, this.#bucket.valueOf<T>(key, message), delivery.revision);
    }
    if (this.#reading) this.#checkWhole(delivery.pending === 0);
  }

  #removed(key: string, { revision, atMs }: Delivery): void {
    this.#reading?.seen.delete(key);
    if (this.#reading && Date.now() - atMs > MARKER_MS) this.#reading.oldMarkers.push(revision);
    if (this.#entries.has(key)) this.#report(key, undefined, revision);
  }

  #report(key: string, value: T | undefined, revision: number): void {
    this.#entries.delete(key);
    if (value !== undefined) this.#entries.set(key, { key, value, revision });
    for (const listener of [...this.#listeners]) this.#call(listener, { key, value, revision });
  }

  /** An exception of one listener does not affect the others. */
  #call(listener: TableListener<T>, entry: Parameters<TableListener<T>>[0]): void {
    try {
      listener(entry);
    } catch (error) {
      this.#bucket.link.failed(`${this.#bucket.prefix}${entry.key}`, error);
    }
  }

  #takeStatus(message: Msg): void {
    const { connection } = this.#bucket.link;
    const stalled = message.headers!.get('Nats-Consumer-Stalled');
    // Flow control: NATS sends more once this arrives.
    if (message.reply) connection.publish(message.reply);
    else if (stalled) connection.publish(stalled);
    else if (Number(message.headers!.get('Nats-Last-Consumer')) > this.#delivered) this.#reopen();
    else if (this.#reading) this.#checkWhole(true);
  }

  /** `isLast`: NATS reported that there are no further entries. */
  #checkWhole(isLast: boolean): void {
    const { info, seen, oldMarkers, isDone } = this.#reading!;
    if (!info) return;
    const atFirst = info.num_pending + info.delivered.consumer_seq;
    if (!isLast && this.#delivered < atFirst) return;
    this.#reading = undefined;
    for (const key of [...this.#entries.keys()]) {
      if (!seen.has(key)) this.#report(key, undefined, this.#lastRevision);
    }
    void this.#deleteMarkers(oldMarkers.slice(0, MOST_DELETED));
    isDone();
  }

  async #deleteMarkers(revisions: readonly number[]): Promise<void> {
    const { jsm, stream } = this.#bucket;
    try {
      for (const revision of revisions) await jsm.streams.deleteMessage(stream, revision, false);
    } catch {
      // Another program has deleted the markers, or this program may not delete them.
    }
  }
}

interface Delivery {
  revision: number;
  /** Sequence number of the message within the consumer. */
  count: number;
  atMs: number;
  pending: number;
}

/** `$JS.ACK.<stream>.<consumer>.<times>.<revision>.<count>.<ns>.<pending>`; later versions put domain and account before the stream. */
function readDelivery(reply: string): Delivery {
  const tokens = reply.split('.');
  const at = tokens.length > 9 ? 7 : 5;
  const [revision, count, ns, pending] = tokens.slice(at, at + 4).map(Number) as [number, number, number, number];
  return { revision, count, atMs: ns / 1e6, pending };
}
