// What a fleet needs of the network between its nodes: a directory, leases and routes. NATS provides all three (`nats/`); nothing
// else of the fleet knows about NATS. One contract suite (test/contract/fabric.contract.ts) holds for every implementation.

import type { Place } from '../config/read/place.ts';

export type { Place };

export interface Entry<T> {
  readonly key: string;
  readonly value: T;
  /** Grows with every change of the table. */
  readonly revision: number;
}

/** Called in the order of the changes. `value` is undefined when the key was removed. The end of a lease is not reported. */
export type TableListener<T> = (entry: { key: string; value: T | undefined; revision: number }) => void;

/**
 * Named values of JSON that change by compare-and-set. Keys consist of letters, digits, `-`, `_`, `=` and `.` between tokens. All
 * reject with FLEET_UNREACHABLE while there is no connection, when it is lost, and when NATS does not answer in time. In the last two
 * cases the change may have been made: reading the entry shows it.
 */
export interface Table<T> {
  /**
   * Never from a copy that may be old, and never older than what this table has shown or changed before. But in a cluster the leader
   * of before can answer, and an entry that others renew has expired there: see `isGone`.
   */
  get(key: string): Promise<Entry<T> | undefined>;
  /** If there is no such key. Resolves to the revision, or to undefined if another was first. */
  create(key: string, value: T): Promise<number | undefined>;
  /** If the entry still has this revision. Resolves to the new one, or to undefined if another was first. */
  update(key: string, value: T, revision: number): Promise<number | undefined>;
  /** If the entry still has this revision. Resolves to whether it was. */
  remove(key: string, revision: number): Promise<boolean>;
  /**
   * False for this time after the table was deleted in NATS and made anew, by the clock of NATS: others may rely on entries that are
   * gone. The clock is known from the last renewal of any lease.
   */
  isSettled(ms: number): Promise<boolean>;
  /** All keys that are there now. */
  keys(): Promise<Set<string>>;
  /** Whether there is no such key, by a server that has all that was changed before. For a table whose entries expire. */
  isGone(key: string): Promise<boolean>;
  /**
   * Calls the listener with every entry, resolves, and calls it with every change until the returned function is called. After a
   * lost connection it goes on with what changed meanwhile, removals included. An entry may be reported again. Revisions begin
   * anew if the table was deleted in NATS; what it had is then reported as removed.
   */
  watch(listener: TableListener<T>): Promise<() => void>;
}

/** One node, or the right to place: gone `lifetimeMs` after it was last renewed. */
export interface LeaseRecord {
  /** Of one run of the node between two losses of its lease. Never used again. */
  session: string;
  node: string;
}

export interface Directory {
  /** The entries of the fleet's config, by `keyOfServer`. */
  readonly servers: Table<ServerRecord>;
  /** By name. An entry stays until it is removed: whether the node lives is known from its lease. */
  readonly nodes: Table<NodeRecord>;
  /** Who runs which server, by `keyOfSlot`. */
  readonly claims: Table<ClaimRecord>;
}

export interface Leases {
  /** As it was read last. It can be changed in NATS. */
  readonly lifetimeMs: number;
  readLifetime(): Promise<number>;
  /** Keys: `node.<name>` and `placer`. Entries that are not renewed by `update` within the lifetime disappear. */
  readonly table: Table<LeaseRecord>;
}

/** A message of another node. */
export interface Message {
  readonly subject: string;
  /** Where answers go. */
  readonly reply: string | undefined;
  readonly data: Uint8Array;
  /** There is no subscription to the subject of the message that was published with this `reply`: it reached no node. */
  readonly isUndeliverable: boolean;
}

export interface Subscription {
  /** Messages that have arrived are still delivered. No message arrives after it has resolved. */
  end(): Promise<void>;
}

/** Messages between nodes. Each arrives at most once, in the order of its sender, or not at all. */
export interface Routes {
  /** The longest `data` of one message. */
  readonly maxBytes: number;
  readonly isConnected: boolean;
  /**
   * Sends the message, at most once. While there is no connection (`isConnected`), it is dropped, as those are that were on their way
   * when it was lost: nothing is sent late. A promise is returned where more than 8 MB are unsent: the message is accepted, and the
   * next one should wait for it. With a `reply`, a message without a subscriber comes back to it as `isUndeliverable`. Throws
   * PAYLOAD_TOO_LONG above `maxBytes`.
   */
  publish(subject: string, data: Uint8Array | string, reply?: string): Promise<void> | undefined;
  subscribe(subject: string, listener: (message: Message) => void): Subscription;
  /** JSON there and back. Rejects with NOT_SENT without a subscriber or a connection, with REQUEST_TIMEOUT after the time. */
  request<T>(subject: string, value: unknown, timeoutMs: number): Promise<T>;
  /** Resolves when everything that was published has reached the NATS server. */
  flush(): Promise<void>;
}

export interface Fabric extends Routes {
  readonly fleet: string;
  readonly directory: Directory;
  readonly leases: Leases;
  /** Called when the connection is lost, when it is there again, and, with the state as it is, for anything else worth saying. */
  onConnection: ((isConnected: boolean, text: string) => void) | undefined;
  /** Resolves when everything was sent, and the connection is closed. */
  close(): Promise<void>;
}

/** An entry of the config of the fleet. */
export interface ServerRecord {
  name: string;
  /** As in `mcpServers`, without `place`. Variables are not expanded: they are those of the node that runs it. */
  entry: Record<string, unknown>;
  place: Place;
}

export interface NodeRecord {
  name: string;
  session: string;
  labels: readonly string[];
  /** Of the package. */
  version: string;
  pid: number;
  hostname: string;
  startedAt: string;
  /** The servers of its own config that it offers to the others. */
  offers: readonly string[];
  /** The URL of its gateway, if it has one. */
  url?: string;
  /** It takes no more servers, and those that it has are moved. */
  draining: boolean;
}

/** The claim of a node on one replica of a server. A claim is in force while the session of its node has its lease. */
export interface ClaimRecord {
  server: string;
  /** Which replica, from 1. */
  slot: number;
  node: string;
  session: string;
  /** Grows by one with every claim of the slot, so that an owner of the past is recognised. */
  generation: number;
  /** False: the owner has stopped its process and given the slot back. */
  held: boolean;
  /** The revision of the server's record that the process runs with. After a change: once that is ready, or has failed. */
  config: number;
  /** The lifetime of leases that the session counts on. Without it (written by an earlier version): that of the table. */
  lifetimeMs?: number;
  /** Why its server has failed on this node: only a command starts it again. */
  failed?: string;
  /** The nodes on which a server with this config has failed. */
  tried?: readonly string[];
}
