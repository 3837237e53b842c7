// Recognises outdated answers. In a cluster, a former leader of a bucket that does not know yet that it was replaced (its routes were
// cut, or it was suspended) keeps answering with its old data. Revisions only increase: an answer with a lower revision than this
// program has seen is outdated and ignored.

import { PeerError } from '../../../base/errors.ts';
import type { NatsBucket } from './nats-bucket.ts';

/** Longer than a server mistakes itself for the leader. After this time, NATS must have lost acknowledged data. */
const LONGEST_MS = 60_000;
/** Limit of entries. Node names change over time: the entry that was not seen for the longest time is dropped. */
const MOST_KNOWN = 100_000;

export class KnownRevisions {
  readonly #bucket: NatsBucket;
  readonly #byKey = new Map<string, { revision: number; behindSinceMs?: number }>();
  /** Creation time of the bucket that the revisions belong to. */
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
    throw new PeerError('FLEET_UNREACHABLE', `A NATS server that is behind the others has answered for ${stream}`, {
      hint: 'This passes when it has reached the other servers of its cluster. Otherwise read their logs.',
    });
  }
}
