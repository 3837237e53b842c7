// A table of the fleet in a bucket of NATS's key-value store.

import type { KV } from '@nats-io/kv';
import type { Entry, Table, TableListener } from '../fabric.ts';
import type { NatsPackages } from './load-nats.ts';

/** JetStream: the entry has another revision. */
const WRONG_LAST_SEQUENCE = 10071;

export class NatsTable<T> implements Table<T> {
  readonly #kv: KV;
  readonly #packages: NatsPackages;

  constructor(kv: KV, packages: NatsPackages) {
    this.#kv = kv;
    this.#packages = packages;
  }

  async get(key: string): Promise<Entry<T> | undefined> {
    const entry = await this.#kv.get(key);
    return entry && entry.operation === 'PUT' ? { key, value: entry.json<T>(), revision: entry.revision } : undefined;
  }

  create(key: string, value: T): Promise<number | undefined> {
    return this.#first(this.#kv.create(key, JSON.stringify(value)));
  }

  update(key: string, value: T, revision: number): Promise<number | undefined> {
    return this.#first(this.#kv.update(key, JSON.stringify(value), revision));
  }

  async remove(key: string, revision: number): Promise<boolean> {
    return (await this.#first(this.#kv.delete(key, { previousSeq: revision }).then(() => revision))) !== undefined;
  }

  async keys(): Promise<Set<string>> {
    const found = new Set<string>();
    for await (const key of await this.#kv.keys()) found.add(key);
    return found;
  }

  async watch(listener: TableListener<T>): Promise<() => void> {
    const watch = await this.#kv.watch();
    const isEmpty = (await this.#kv.status()).values === 0;
    await new Promise<void>((resolve) => {
      const read = async () => {
        for await (const entry of watch) {
          const value = entry.operation === 'PUT' ? entry.json<T>() : undefined;
          listener({ key: entry.key, value, revision: entry.revision });
          if (entry.delta === 0) resolve();
        }
      };
      void read();
      if (isEmpty) resolve();
    });
    return () => watch.stop();
  }

  async #first(change: Promise<number>): Promise<number | undefined> {
    try {
      return await change;
    } catch (error) {
      const { JetStreamApiError } = this.#packages.jetstream;
      if (error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE) return undefined;
      throw error;
    }
  }
}
