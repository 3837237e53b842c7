// A table of the fleet in a bucket of NATS. In a bucket that keeps its entries, a removed key leaves a marker, so that no watcher
// misses the removal. In one whose entries expire, a removal leaves nothing, so that one request lists the keys that are there.
// A NATS server that is killed can forget such a removal: the entry is back until it expires, as that of a holder that has died.

import type { Entry, Table, TableListener } from '../fabric.ts';
import { isApiError, type NatsBucket } from './nats-bucket.ts';
import { NatsWatch } from './nats-watch.ts';
import { SharedWatch } from './shared-watch.ts';

/** JetStream: the entry has another revision. */
const WRONG_REVISION = [10071, 10164];
/** JetStream: there is no message with this number. */
const NO_SUCH_MESSAGE = [10037, 10043, 10057];

export class NatsTable<T> implements Table<T> {
  readonly #bucket: NatsBucket;
  readonly #watch: SharedWatch<T>;

  constructor(bucket: NatsBucket) {
    this.#bucket = bucket;
    this.#watch = new SharedWatch(bucket);
  }

  async get(key: string): Promise<Entry<T> | undefined> {
    const entry = await this.#attempt('Reading', key, () => this.#bucket.kv.get(key));
    return entry && entry.operation === 'PUT' ? { key, value: entry.json<T>(), revision: entry.revision } : undefined;
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
    const { jsm, stream, prefix, expires } = this.#bucket;
    if (!expires) return NatsWatch.keys(this.#bucket);
    const request = { subjects_filter: `${prefix}>` };
    const { state } = await this.#bucket.attempt(`Listing ${stream}`, () => jsm.streams.info(stream, request));
    return new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length)));
  }

  watch(listener: TableListener<T>): Promise<() => void> {
    return this.#watch.listen(listener);
  }

  async #change(verb: string, key: string, run: () => Promise<number>): Promise<number | undefined> {
    try {
      return await this.#attempt(verb, key, run);
    } catch (error) {
      if (isApiError(error, ...WRONG_REVISION, ...NO_SUCH_MESSAGE)) return undefined;
      throw error;
    }
  }

  #attempt<R>(verb: string, key: string, run: () => Promise<R>): Promise<R> {
    return this.#bucket.attempt(`${verb} ${key} in ${this.#bucket.stream}`, run);
  }
}
