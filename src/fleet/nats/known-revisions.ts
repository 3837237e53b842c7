// Recognises answers of the past. In a cluster, a server that was the leader of a bucket and does not know yet that another one is
// (its routes were cut, or it was stopped) goes on to answer with what it has. Revisions grow: an answer with a lower one than this
// program has seen is such an answer, and says nothing.

import { PeerError } from '../../base/errors.ts';
import type { NatsBucket } from './nats-bucket.ts';

/** Longer than a server takes for the leader without being it. After this time NATS has lost what it had acknowledged. */
const LONGEST_MS = 60_000;
/** Entries. Names of nodes come and go: the entry that was not seen for the longest time is forgotten. */
const MOST_KNOWN = 100_000;

export class KnownRevisions {
  readonly #bucket: NatsBucket;
  readonly #byKey = new Map<string, { revision: number; behindSinceMs?: number }>();
  /** The bucket that they are of. */
  #created: string | undefined;

  constructor(bucket: NatsBucket) {
    this.#bucket = bucket;
    this.#created = bucket.created;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Of an entry, or, with the key `''`, of the whole table. */
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

  /** Rejects with FLEET_UNREACHABLE if the answer with this revision is one of the past. */
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
    throw new PeerError('FLEET_UNREACHABLE', `A NATS server that is behind the others has answered for ${stream}`, {
      hint: 'This passes when it has reached the other servers of its cluster. Otherwise read their logs.',
    });
  }
}
