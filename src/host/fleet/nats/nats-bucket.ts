// A bucket of the NATS key-value store, created if it does not exist. A bucket that is deleted while the fleet runs is created again.

import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { isObject } from '../../../base/json-object.ts';
import type { NatsLink } from './nats-link.ts';

/** JetStream: another node has created the stream, with other settings. */
const NAME_IN_USE = 10058;
const STREAM_NOT_FOUND = 10059;
/** JetStream: a cluster that has not found its servers or its leaders yet. */
const NOT_READY = [10005, 10008, 10118, STREAM_NOT_FOUND];
/** Limit until a new bucket is ready, and the pause between two attempts. */
const READY_MS = 15_000;
const AGAIN_MS = 500;
const TOGETHER_MS = 5_000;
/** Description of a bucket that replaces a deleted one. */
const MADE_ANEW = 'Made anew by Standpipe after it was deleted';

export interface BucketOptions {
  name: string;
  /** Lifetime of entries, if the bucket has to be created. */
  ttlMs?: number | undefined;
  /** Limit of all entries, if the bucket has to be created; further ones are refused. Default: the limit of NATS. */
  maxBytes?: number | undefined;
  /** Number of NATS servers that keep it. Default: 1. */
  replicas?: number | undefined;
  timeoutMs: number;
  ages: BucketAges;
}

export class NatsBucket {
  readonly link: NatsLink;
  readonly stream: string;
  /** Prefix of the subjects of the bucket's entries; the key follows. */
  readonly prefix: string;
  readonly expires: boolean;
  readonly jsm: JetStreamManager;
  readonly kv: KV;
  isReplicated = false;
  #options: BucketOptions;
  readonly #onMade = new Set<() => void>();
  #isOpen = false;
  /** Lifetime of entries, as it was read last. */
  lifetimeMs = 0;
  /** Creation time: distinguishes buckets of the same name. */
  created: string | undefined;

  private constructor(link: NatsLink, options: BucketOptions, jsm: JetStreamManager, kv: KV) {
    this.link = link;
    this.stream = `KV_${options.name}`;
    this.prefix = `$KV.${options.name}.`;
    this.expires = options.ttlMs !== undefined;
    this.jsm = jsm;
    this.kv = kv;
    this.#options = options;
  }

  static async open(link: NatsLink, options: BucketOptions): Promise<{ bucket: NatsBucket; info: StreamInfo }> {
    const { jetstream, kv } = link.packages;
    // Skips the check of the account: a read-only program need not have that permission.
    const js = jetstream.jetstream(link.connection, { timeout: options.timeoutMs, checkAPI: false });
    const jsm = await js.jetstreamManager(false);
    const bucket = new NatsBucket(link, options, jsm, await new kv.Kvm(js).open(options.name));
    const info = await bucket.#whenReady();
    bucket.#isOpen = true;
    // A bucket that is created again must have the same number of replicas as before: other nodes rely on it.
    bucket.#options = { ...options, replicas: info.config.num_replicas };
    return { bucket, info };
  }

  /** The listener is called when this program has created a deleted bucket again. */
  onMade(listener: () => void): () => void {
    this.#onMade.add(listener);
    return () => this.#onMade.delete(listener);
  }

  /** Runs an operation on the bucket, and repeats it if the bucket was deleted and created again. */
  async attempt<T>(what: string, run: () => Promise<T>): Promise<T> {
    try {
      return await this.link.attempt(what, run);
    } catch (error) {
      // Nothing answers at the subjects of a bucket that does not exist.
      if (!isApiError(error, STREAM_NOT_FOUND) && !isNotEnabled(error)) throw error;
    }
    await this.info();
    return this.link.attempt(what, run);
  }

  /**
   * Returns an empty record, which no reader can use, if the entry is not a JSON object: anything that may publish can
   * write such an entry.
   */
  valueOf<T>(key: string, entry: { json<V>(): V }): T {
    try {
      const value = entry.json<T>();
      if (isObject(value)) return value;
    } catch {
      // the entry is not JSON
    }
    this.link.say(`The entry ${key} of ${this.stream} is not a JSON object, and is ignored`);
    return {} as T;
  }

  /** Returns false if the bucket was created again within this time, by the clock of NATS. */
  async isSettled(ms: number): Promise<boolean> {
    await this.info();
    return this.#options.ages.isSettled(this.stream, ms);
  }

  async info(): Promise<StreamInfo> {
    const info = await this.#info();
    this.#options.ages.saw(this.stream, info);
    if (this.expires) this.#sawLifetime(info.config.max_age / 1e6);
    this.created = info.created;
    this.isReplicated = info.config.num_replicas > 1;
    return info;
  }

  #sawLifetime(lifetimeMs: number): void {
    const before = this.lifetimeMs;
    if (lifetimeMs === before) return;
    const change = `max_age of ${this.stream} was changed in NATS`;
    // Nodes keep the previous value: with a lease that never ends, a dead node would keep its slots.
    if (lifetimeMs === 0)
      return this.link.say(
        `${change} to 0: leases never end, so lost nodes are not replaced. Set it to the lifetime of a lease`,
      );
    this.lifetimeMs = lifetimeMs;
    if (before !== 0)
      this.link.say(`${change} from ${before} to ${lifetimeMs} ms. Nodes use it from their next lease on`);
  }

  async #info(): Promise<StreamInfo> {
    try {
      return await this.#read();
    } catch (error) {
      if (!isApiError(error, STREAM_NOT_FOUND)) throw error;
    }
    await this.#create();
    const info = await this.#read();
    if (this.#isOpen) {
      this.link.say(
        `The bucket ${this.#options.name} was deleted in NATS and has been created again without its entries`,
      );
      for (const listener of [...this.#onMade]) listener();
    }
    return info;
  }

  #read(): Promise<StreamInfo> {
    return this.link.attempt(`Reading the bucket ${this.#options.name}`, () => this.jsm.streams.info(this.stream));
  }

  /** A cluster loses answers while it elects the leader of a bucket, and while several programs create the same bucket. */
  async #whenReady(): Promise<StreamInfo> {
    const { clock } = this.link;
    const untilMs = clock.nowMs() + READY_MS;
    for (;;) {
      try {
        return await this.info();
      } catch (error) {
        if (
          clock.nowMs() > untilMs ||
          !(isApiError(error, ...NOT_READY) || isCausedBy(error, ({ name }) => name === 'TimeoutError'))
        )
          throw error;
      }
      await new Promise<void>((resolve) => clock.after(AGAIN_MS, resolve));
    }
  }

  async #create(): Promise<void> {
    const { name, replicas = 1, maxBytes } = this.#options;
    const ttlMs = this.lifetimeMs || this.#options.ttlMs;
    const { Kvm } = this.link.packages.kv;
    // `allow_direct: false`: a replica may be behind, and a claim must not be taken over because of that.
    const settings = {
      allow_direct: false,
      history: 1,
      replicas,
      ...(ttlMs === undefined ? {} : { ttl: ttlMs }),
      ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
      ...(this.#isOpen ? { description: MADE_ANEW } : {}),
    };
    const kvm = new Kvm(this.link.packages.jetstream.jetstream(this.link.connection, { checkAPI: false }));
    try {
      await this.link.attempt(`Creating the bucket ${name}`, () => kvm.create(name, settings));
    } catch (error) {
      if (!isApiError(error, NAME_IN_USE)) throw error;
    }
  }
}

/** nats.js: nothing answered at a JetStream subject. */
function isNotEnabled(error: unknown): boolean {
  return isCausedBy(error, ({ name }) => name === 'JetStreamNotEnabled');
}

export function isApiError(error: unknown, ...codes: number[]): boolean {
  return isCausedBy(error, ({ code }) => codes.includes(code as number));
}

function isCausedBy(error: unknown, is: (error: { name?: string; code?: unknown }) => boolean): boolean {
  const { cause } = error as { cause?: unknown };
  return is(error as Error) || (cause !== undefined && isCausedBy(cause, is));
}

/**
 * The buckets of a fleet are created together. A bucket that is younger than another one by more than `TOGETHER_MS`, whose description
 * says so, or that this program has seen with another creation time, was deleted and created again. All times are those of NATS.
 */
export class BucketAges {
  readonly #seen = new Map<string, { created: string; isOther: boolean }>();
  /** Reads a bucket that is written continuously, for the time of NATS. */
  readTime: (() => Promise<StreamInfo>) | undefined;

  saw(stream: string, { created, config }: StreamInfo): void {
    const before = this.#seen.get(stream);
    const isSame = before === undefined || before.created === created;
    const isOther = isSame ? before?.isOther === true || config.description === MADE_ANEW : true;
    this.#seen.set(stream, { created, isOther });
  }

  async isSettled(stream: string, ms: number): Promise<boolean> {
    const { created, isOther } = this.#seen.get(stream)!;
    const madeMs = Date.parse(created);
    const firstMs = Math.min(...[...this.#seen.values()].map((other) => Date.parse(other.created)));
    if (!isOther && madeMs - firstMs <= TOGETHER_MS) return true;
    const { state } = await this.readTime!();
    return Date.parse(state.last_ts) - madeMs >= ms;
  }
}
