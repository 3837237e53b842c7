// One watch of a bucket, shared by all parts of a program that follow it. A listener added later is first called with every known
// entry. The watch ends with its last listener.

import type { KeyedRecord, TableListener } from '../cluster-network.ts';
import type { NatsBucket } from './nats-bucket.ts';
import { NatsWatch } from './nats-watch.ts';

interface Running<T> {
  watch: NatsWatch<T>;
  entries: Map<string, KeyedRecord<T>>;
  /** Listeners that have been called with every entry. */
  listeners: Set<TableListener<T>>;
  started: Promise<void>;
  /** Number of listeners, including those that wait for the start. */
  users: number;
}

export class SharedWatch<T> {
  readonly #bucket: NatsBucket;
  #running: Running<T> | undefined;

  constructor(bucket: NatsBucket) {
    this.#bucket = bucket;
  }

  async listen(listener: TableListener<T>): Promise<() => void> {
    this.#running ??= this.#start();
    const running = this.#running;
    running.users++;
    try {
      // Rejects without a connection even if all entries are known.
      await this.#bucket.link.attempt(`Watching ${this.#bucket.stream}`, () => running.started);
    } catch (error) {
      this.#leave(running);
      throw error;
    }
    for (const entry of running.entries.values()) this.#tell(listener, entry);
    running.listeners.add(listener);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running.listeners.delete(listener);
      this.#leave(running);
    };
  }

  #start(): Running<T> {
    const entries = new Map<string, KeyedRecord<T>>();
    const listeners = new Set<TableListener<T>>();
    const watch = new NatsWatch<T>(this.#bucket, ({ key, value, revision }) => {
      entries.delete(key); // keeps the order of the changes
      if (value !== undefined) entries.set(key, { key, value, revision });
      for (const listener of [...listeners]) this.#tell(listener, { key, value, revision });
    });
    const started = watch.start();
    started.catch(() => undefined); // each waiting listener gets the error
    return { watch, entries, listeners, started, users: 0 };
  }

  #leave(running: Running<T>): void {
    if (--running.users > 0) return;
    running.watch.stop();
    if (this.#running === running) this.#running = undefined;
  }

  /** An exception of one listener does not affect the others. */
  #tell(listener: TableListener<T>, entry: Parameters<TableListener<T>>[0]): void {
    try {
      listener(entry);
    } catch (error) {
      this.#bucket.link.failed(`${this.#bucket.prefix}${entry.key}`, error);
    }
  }
}
