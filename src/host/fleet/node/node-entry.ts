// The entry of this node in the directory. Concurrent changes are merged into one write: the entry ends up as the last change wants
// it. A `draining` set by an operator is kept.

import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { ownInfo } from '../../../mcp/own-info.ts';
import type { NodeRecord, Table } from '../cluster-network.ts';
import type { JoinOptions } from '../fleet-node.ts';

export class NodeEntry {
  readonly #table: Table<NodeRecord>;
  /** Returns false while the name may belong to another node. */
  readonly #mayWrite: () => boolean;
  #record: NodeRecord;
  /** The value that this node wants, until it is written. */
  #draining: boolean | undefined;
  /** Last value in the entry of this run: an entry that was removed in the meantime is written again with it. */
  #wasDraining = false;
  #writing: Promise<void> | undefined;
  #isChanged = false;

  constructor(table: Table<NodeRecord>, record: NodeRecord, mayWrite: () => boolean) {
    this.#table = table;
    this.#record = record;
    this.#mayWrite = mayWrite;
  }

  get record(): NodeRecord {
    return this.#record;
  }

  change(changes: Partial<NodeRecord>): Promise<void> {
    this.#record = { ...this.#record, ...changes };
    if (changes.draining !== undefined) this.#draining = changes.draining;
    this.#isChanged = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Must be called when the entry has changed. `record` may be slightly outdated. */
  seen(record: NodeRecord): void {
    const { pid, startedAt } = this.#record;
    if (record.pid === pid && record.startedAt === startedAt) this.#wasDraining = record.draining;
  }

  /** Retries, because an operator or another node may change the entry at the same time. */
  async remove(): Promise<void> {
    await this.#writing?.catch(() => undefined); // the caller of `change` gets the error
    const { name, session } = this.#record;
    for (;;) {
      const entry = await this.#table.get(name);
      if (entry?.value.session !== session || (await this.#table.remove(name, entry.revision))) return;
    }
  }

  async #write(): Promise<void> {
    try {
      await this.#writeChanges();
    } catch (error) {
      this.#isChanged = true; // this change is written together with the next change
      throw error;
    }
  }

  async #writeChanges(): Promise<void> {
    while (this.#isChanged) {
      this.#isChanged = false;
      const { name } = this.#record;
      const entry = await this.#table.get(name);
      if (!this.#mayWrite()) return; // the entry is written again with the next lease
      if (entry) this.seen(entry.value);
      const record = { ...this.#record, draining: this.#draining ?? this.#wasDraining };
      if (isDeepStrictEqual(entry?.value, JSON.parse(JSON.stringify(record)))) continue;
      const revision = entry
        ? await this.#table.update(name, record, entry.revision)
        : await this.#table.create(name, record);
      if (revision === undefined) this.#isChanged = true;
      else {
        this.#wasDraining = record.draining;
        this.#draining = undefined;
      }
    }
  }
}

export function recordOf({ node, labels = [], url }: Pick<JoinOptions, 'node' | 'labels' | 'url'>): NodeRecord {
  return {
    name: node,
    session: '',
    labels,
    version: ownInfo.version,
    pid: process.pid,
    hostname: hostname(),
    startedAt: new Date().toISOString(),
    offers: [],
    ...(url !== undefined && { url }),
    draining: false,
  };
}
