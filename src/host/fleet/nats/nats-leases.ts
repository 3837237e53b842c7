// The leases of a fleet in their bucket. The bucket determines the lifetime: it may have been created with another value than
// requested, or changed since.

import type { LeaseRecord, Leases, Table } from '../cluster-network.ts';
import type { NatsBucket } from './nats-bucket.ts';
import { NatsTable } from './nats-table.ts';

export class NatsLeases implements Leases {
  readonly table: Table<LeaseRecord>;
  readonly #bucket: NatsBucket;

  constructor(bucket: NatsBucket) {
    this.table = new NatsTable(bucket);
    this.#bucket = bucket;
  }

  get lifetimeMs(): number {
    return this.#bucket.lifetimeMs;
  }

  async readLifetime(): Promise<number> {
    await this.#bucket.info();
    return this.lifetimeMs;
  }
}
