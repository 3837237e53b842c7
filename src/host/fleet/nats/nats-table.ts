// A table of the fleet in a NATS bucket. In a bucket whose entries are permanent, a removed key leaves a marker, so that a watcher
// cannot miss the removal. In a bucket whose entries expire, a removal leaves nothing, so that one request lists the existing keys. A
// NATS server that is killed can forget such a removal: the entry then reappears until it expires, like the entry of a holder that
// has died.

import { PeerError, toError } from '../../../base/errors.ts';
import type { KeyedRecord, Table, TableListener } from '../cluster-network.ts';
import { isApiError, type NatsBucket } from './nats-bucket.ts';
import { NatsWatch } from './nats-watch.ts';

/** JetStream: the entry has another revision. */
const WRONG_REVISION = [10071, 10164];
/** JetStream: there is no message with this number. */
const NO_SUCH_MESSAGE = [10037, 10043, 10057];
/** Key of an entry that is written to find out which writes precede it. */
const MARK = 'mark';
/** Key under which the revision of the last change of the whole table is recorded. */
const TABLE = '';

export class NatsTable<T> implements Table<T> {
  readonly #bucket: NatsBucket;
  #watch: NatsWatch<T> | undefined;
  readonly #known: KnownRevisions;

  constructor(bucket: NatsBucket) {
    this.#bucket = bucket;
    this.#known = new KnownRevisions(bucket);
  }

  async get(key: string): Promise<KeyedRecord<T> | undefined> {
    const entry = await this.#attempt('Reading', key, () => this.#bucket.kv.get(key));
    if (entry) await this.#known.check(key, entry.revision);
    else this.#known.forget(key);
    if (entry?.operation !== 'PUT') return undefined;
    return { key, value: this.#bucket.valueOf<T>(key, entry), revision: entry.revision };
  }

  create(key: string, value: T): Promise<number | undefined> {
    return this.#change('Creating', key, () => this.#bucket.kv.create(key, JSON.stringify(value)));
  }

  update(key: string, value: T, revision: number): Promise<number | undefined> {
    return this.#change('Changing', key, async () => this.#bucket.kv.update(key, JSON.stringify(value), revision));
  }

  async remove(key: string, revision: number): Promise<boolean> {
    const { kv, jsm, stream, expires } = this.#bucket;
    const removed = await this.#change('Removing', key, async () => {
      if (expires) await jsm.streams.deleteMessage(stream, revision, false);
      else await kv.delete(key, { previousSeq: revision });
      return revision;
    });
    return removed !== undefined;
  }

  isSettled(ms: number): Promise<boolean> {
    return this.#bucket.isSettled(ms);
  }

  async keys(): Promise<Set<string>> {
    if (this.#bucket.expires) {
      const listed = await this.#list('>');
      listed.delete(MARK);
      return listed;
    }
    const keys = new Set<string>();
    // A watch that began earlier may lack the last changes.
    const stop = await new NatsWatch<T>(this.#bucket, () => undefined).listen(({ key }) => keys.add(key));
    stop();
    return keys;
  }

  async isGone(key: string): Promise<boolean> {
    this.#known.saw(TABLE, await this.#attempt('Confirming', key, () => this.#bucket.kv.put(MARK, '')));
    return (await this.#list(key)).size === 0;
  }

  watch(listener: TableListener<T>): Promise<() => void> {
    this.#watch ??= new NatsWatch(this.#bucket, () => {
      this.#watch = undefined;
    });
    return this.#watch.listen(listener);
  }

  /** Lists the existing keys, from a server that has this program's own writes. */
  async #list(filter: string): Promise<Set<string>> {
    const { jsm, stream, prefix } = this.#bucket;
    const request = { subjects_filter: prefix + filter };
    const { state } = await this.#bucket.attempt(`Listing ${stream}`, () => jsm.streams.info(stream, request));
    await this.#known.check(TABLE, state.last_seq);
    return new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length)));
  }

  async #change(verb: string, key: string, run: () => Promise<number>): Promise<number | undefined> {
    try {
      const revision = await this.#attempt(verb, key, run);
      this.#known.saw(key, revision);
      this.#known.saw(TABLE, revision);
      return revision;
    } catch (error) {
      if (!isApiError(error, ...WRONG_REVISION, ...NO_SUCH_MESSAGE)) throw error;
      // In "wrong last sequence: 7", 0 means that there is no entry.
      const actual = Number(/sequence: (\d+)/.exec(toError(error).message)?.[1] ?? 0);
      if (actual > 0) await this.#known.check(key, actual);
      return undefined;
    }
  }

  #attempt<R>(verb: string, key: string, run: () => Promise<R>): Promise<R> {
    return this.#bucket.attempt(`${verb} ${key} in ${this.#bucket.stream}`, run);
  }
}

/**
 * Upper limit of the time that a former leader takes to notice that it was replaced. Later, an outdated answer means
 * that NATS has lost data.
 */
const LONGEST_MS = 60_000;
/** Limit of entries. Node names change over time: the entry that was not seen for the longest time is dropped. */
const MOST_KNOWN = 100_000;

/**
 * Recognises outdated answers: in a cluster, a former leader of a bucket keeps answering with old data until it notices that it was
 * replaced. Revisions only increase, so an answer with a lower revision than this program has seen is outdated.
 */
export class KnownRevisions {
  readonly #bucket: NatsBucket;
  readonly #byKey = new Map<string, { revision: number; behindSinceMs?: number }>();
  #created: string | undefined;

  constructor(bucket: NatsBucket) {
    this.#bucket = bucket;
    this.#created = bucket.created;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Records the revision of an entry or, with the key `''`, of the whole table. */
  saw(key: string, revision: number): void {
    const known = this.#byKey.get(key);
    if (known && known.revision > revision) return;
    this.#byKey.delete(key);
    this.#byKey.set(key, { revision });
    if (this.#byKey.size > MOST_KNOWN) this.#byKey.delete(this.#byKey.keys().next().value!);
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** Rejects with FLEET_UNREACHABLE if an answer with this revision is outdated. */
  async check(key: string, revision: number): Promise<void> {
    const known = this.#byKey.get(key);
    if (!known || known.revision <= revision || !this.#bucket.isReplicated) return this.saw(key, revision);
    const { link, stream } = this.#bucket;
    const { created } = await this.#bucket.info();
    known.behindSinceMs ??= link.clock.nowMs();
    if (created !== this.#created || link.clock.nowMs() - known.behindSinceMs > LONGEST_MS) {
      this.#created = created;
      this.#byKey.clear();
      return;
    }
    throw new PeerError('FLEET_UNREACHABLE', `A NATS server with outdated data has answered for ${stream}`, {
      hint: 'The server catches up when it reaches the other servers of its cluster. Otherwise read their logs.',
    });
  }
}
