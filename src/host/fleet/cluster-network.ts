// The cluster network that a fleet needs between its nodes: a directory, leases and routes. NATS provides all three (`nats/`); other
// parts of the fleet must not know about NATS. One contract suite (test/contract/cluster-network.contract.ts) applies to every implementation.

import type { ServerLock } from '../../config/lock/server-lock.ts';
import type { Place } from '../../config/server-config.ts';
import type { KeptRecord } from '../../mcp/extensions/extension.ts';

export type { Place };

export interface KeyedRecord<T> {
  readonly key: string;
  readonly value: T;
  readonly revision: number;
}

/** Called in the order of the changes. `value` is undefined if the key was removed. The end of a lease is not reported. */
export type TableListener<T> = (entry: { key: string; value: T | undefined; revision: number }) => void;

/**
 * Named JSON values that change by compare-and-set. Keys consist of letters, digits, `-`, `_`, `=` and `.` between tokens. All
 * methods reject with FLEET_UNREACHABLE while there is no connection, when it is lost, and when NATS does not answer in time. In the
 * last two cases the change may have been made: reading the entry shows it.
 */
export interface Table<T> {
  /**
   * Reads a value that is not a JSON object as an empty one, as `watch` does. Never reads from a copy that may be outdated, and
   * never returns an older entry than this table has shown or changed before. In a cluster a former leader can answer, for which an
   * entry that others renew has expired: see `isGone`.
   */
  get(key: string): Promise<KeyedRecord<T> | undefined>;
  /** Creates the entry if the key does not exist. Resolves to the revision, or to undefined if another program was first. */
  create(key: string, value: T): Promise<number | undefined>;
  /** Updates the entry if it still has this revision. Resolves to the new revision, or to undefined if another program was first. */
  update(key: string, value: T, revision: number): Promise<number | undefined>;
  /** Removes the entry if it still has this revision. Resolves to whether it did. */
  remove(key: string, revision: number): Promise<boolean>;
  /**
   * Resolves to false during the first `ms` (by the clock of NATS) after the table was deleted and created again, because other nodes may
   * still rely on the lost entries.
   */
  isSettled(ms: number): Promise<boolean>;
  keys(): Promise<Set<string>>;
  /** Whether the key does not exist, according to a server that has all earlier changes. Used for tables whose entries expire. */
  isGone(key: string): Promise<boolean>;
  /**
   * Calls the listener with every entry, resolves, and calls it with every change until the returned function is called. After a lost
   * connection it continues with the changes made in the meantime, including removals. An entry may be reported again. If the table was
   * deleted in NATS, revisions start again and its entries are reported as removed.
   */
  watch(listener: TableListener<T>): Promise<() => void>;
}

/** Represents one node, or the right to place. Expires `lifetimeMs` after its last renewal. */
export interface LeaseRecord {
  /** Identifies one run of the node between two losses of its lease. Never reused. */
  session: string;
  node: string;
}

export interface Directory {
  /** The keys are made by `keyOfServer`. */
  readonly servers: Table<ServerRecord>;
  /**
   * The key is the name of the node. An entry stays until it is removed: only its lease shows whether the node is
   * alive.
   */
  readonly nodes: Table<NodeRecord>;
  /** The keys are made by `keyOfSlot`. */
  readonly claims: Table<ClaimRecord>;
}

export interface Leases {
  /** The value that was read last. It can be changed in NATS. */
  readonly lifetimeMs: number;
  readLifetime(): Promise<number>;
  /** Keys: `node.<name>` and `placer`. Entries that `update` does not renew within the lifetime disappear. */
  readonly table: Table<LeaseRecord>;
}

export interface NodeMessage {
  readonly subject: string;
  readonly reply: string | undefined;
  readonly data: Uint8Array;
  /** True if the subject of the message published with this `reply` has no subscription: the message reached no node. */
  readonly isUndeliverable: boolean;
}

export interface Subscription {
  /** Messages that have arrived are still delivered. After the promise has resolved, no message is delivered. */
  end(): Promise<void>;
}

/** Messages between nodes. Each arrives at most once, and in the order of its sender. */
export interface NodeMessaging {
  readonly maxBytes: number;
  readonly isConnected: boolean;
  /**
   * Sends the message at most once. While there is no connection (`isConnected`), it is dropped, as are messages in transit when the
   * connection is lost: a message is never sent late. Returns a promise if more than 8 MB are unsent: the message is accepted, and
   * the next one should wait for the promise. With a `reply`, a message without a subscriber returns to it as `isUndeliverable`.
   * Throws PAYLOAD_TOO_LONG above `maxBytes`.
   */
  publish(subject: string, data: Uint8Array | string, reply?: string): Promise<void> | undefined;
  subscribe(subject: string, listener: (message: NodeMessage) => void): Subscription;
  /** Sends and receives JSON. Rejects with NOT_SENT without a subscriber or a connection, and with REQUEST_TIMEOUT after `timeoutMs`. */
  request<T>(subject: string, value: unknown, timeoutMs: number): Promise<T>;
  /** Resolves when everything published so far has reached the NATS server. */
  flush(): Promise<void>;
}

export interface ClusterNetwork extends NodeMessaging {
  readonly fleet: string;
  readonly directory: Directory;
  readonly leases: Leases;
  /** Records of extensions. The table is created with the first one. Entries disappear 2 hours after their last change. */
  records(): Promise<Table<StoredRecord>>;
  /** Called when the connection is lost or restored, and, with the current state, for any other message to the user. */
  onConnection: ((isConnected: boolean, text: string) => void) | undefined;
  /** Resolves when everything was sent and the connection is closed. */
  close(): Promise<void>;
}

/** A record of an extension about a server, and the claim under which a node ran the server when the record was written. */
export interface StoredRecord extends KeptRecord {
  claim: ClaimRecord;
}

/** An entry of the fleet's config. */
export interface ServerRecord {
  name: string;
  /**
   * The entry as in `mcpServers`, without `place`. Variables are not expanded: the node that runs the server expands
   * them.
   */
  entry: Record<string, unknown>;
  place: Place;
  /** The lock beside the file that was applied. The node that runs the server and every gateway check its definitions. */
  lock?: ServerLock;
}

export interface NodeRecord {
  name: string;
  session: string;
  labels: readonly string[];
  version: string;
  pid: number;
  hostname: string;
  startedAt: string;
  /** Servers of the node's own config that it offers to other nodes. */
  offers: readonly string[];
  url?: string;
  /** True if the node takes no more servers, and its servers are moved. */
  draining: boolean;
}

/** A node's claim on one replica of a server. It is in force while the session of its node has its lease. */
export interface ClaimRecord {
  server: string;
  /** Number of the slot, from 1. */
  slot: number;
  node: string;
  session: string;
  /** Number of the claim, increased by one with every claim of the slot, so that an earlier owner can be recognised. */
  generation: number;
  /** False if the owner has stopped its process and given the slot back. */
  held: boolean;
  /** Revision of the server record that the process runs with. Updated when the process of a new record is ready or has failed. */
  config: number;
  /** Lease lifetime that the session relies on. If absent (written by an earlier version), the lifetime of the table applies. */
  lifetimeMs?: number;
  /** Why the server has failed on this node. Only a command starts it again. */
  failed?: string;
  /** Nodes on which the server has failed with this config. */
  tried?: readonly string[];
}
