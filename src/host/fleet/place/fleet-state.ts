// The state of a fleet, kept up to date by watching its directory. An unusable version of an entry is not a removal: the version before
// it stays. Leases are not watched, because their expiry is not reported: their names are listed instead.

import { isObject } from '../../../base/json-object.ts';
import { readServerLock } from '../../../config/lock/server-lock.ts';
import { defaultPlace, MOST_LABELS, MOST_REPLICAS, type Place } from '../../../config/server-config.ts';
import type {
  ClaimRecord,
  ClusterNetwork,
  KeyedRecord,
  NodeRecord,
  ServerRecord,
  TableListener,
} from '../cluster-network.ts';
import { fleetName, isAddressable, keyOfServer, keyOfSlot } from '../subjects.ts';
import type { FleetView } from './plan.ts';

const NODE = 'node.';

export class FleetState implements FleetView {
  readonly servers = new Map<string, KeyedRecord<ServerRecord>>();
  readonly nodes = new Map<string, KeyedRecord<NodeRecord>>();
  readonly claims = new Map<string, Map<number, KeyedRecord<ClaimRecord>>>();
  leases = new Set<string>();
  /** Called after a change of one record, with its values after and before the change. */
  onServer: ((after: ServerRecord | undefined, before: ServerRecord | undefined) => void) | undefined;
  /** `written`: the record with everything that `usableNode` has removed from it. */
  onNode:
    | ((key: string, after: NodeRecord | undefined, before: NodeRecord | undefined, written?: NodeRecord) => void)
    | undefined;
  onClaim: ((key: string, after: ClaimRecord | undefined, before: ClaimRecord | undefined) => void) | undefined;
  /** Called after each call of the listeners above. */
  onChanged: (() => void) | undefined;
  onUnusable: ((table: 'server' | 'node' | 'claim', key: string, wasUsable: boolean) => void) | undefined;
  readonly #unusable = { server: new Set<string>(), node: new Set<string>(), claim: new Set<string>() };
  /**
   * For each pending list of leases, the nodes whose entry arrived in the meantime. They count as alive: the list may be older than their
   * lease.
   */
  readonly #listings = new Map<number, Set<string>>();
  #lastListing = 0;
  #stops: (() => void)[] = [];

  get unusable(): ReadonlySet<string> {
    return this.#unusable.server;
  }

  /** Resolves when every entry has been read. If it rejects, nothing is watched. */
  async watch({ directory: { servers, nodes, claims } }: ClusterNetwork): Promise<void> {
    const takeServer = this.#reader('server', usableServer, (record, key) => {
      const before = put(this.servers, key, record);
      this.onServer?.(record?.value, before?.value);
    });
    const takeNode = this.#reader('node', usableNode, (record, key, written) => {
      const before = put(this.nodes, key, record);
      this.onNode?.(key, record?.value, before?.value, written);
    });
    const begun = await Promise.allSettled([
      servers.watch(takeServer),
      nodes.watch((entry) => {
        if (entry.value) this.#seen(entry.key);
        takeNode(entry);
      }),
      claims.watch(this.#reader('claim', usableClaim, (record, key) => this.#takeClaim(record, key))),
    ]);
    this.#stops = begun.flatMap((watch) => (watch.status === 'fulfilled' ? [watch.value] : []));
    const failed = begun.find((watch) => watch.status === 'rejected');
    if (!failed) return;
    this.stop();
    throw failed.reason;
  }

  /**
   * Sends one request. Resolves to whether a node was added or removed. If two lists are concurrent, the one requested
   * last counts.
   */
  async listLeases({ leases: { table } }: ClusterNetwork): Promise<boolean> {
    const listing = ++this.#lastListing;
    const names = new Set<string>();
    this.#listings.set(listing, names);
    try {
      for (const key of await table.keys()) if (key.startsWith(NODE)) names.add(key.slice(NODE.length));
      if (!this.#listings.has(listing)) return false;
    } finally {
      this.#listings.delete(listing);
    }
    for (const earlier of this.#listings.keys()) if (earlier < listing) this.#listings.delete(earlier);
    const before = this.leases;
    this.leases = names;
    return before.size !== names.size || [...names].some((name) => !before.has(name));
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #reader<T extends object>(
    table: 'server' | 'node' | 'claim',
    usable: (value: T, key: string) => T | undefined,
    take: (record: KeyedRecord<T> | undefined, key: string, written: T | undefined) => void,
  ): TableListener<T> {
    const unusable = this.#unusable[table];
    return ({ key, value: written, revision }) => {
      const value = written === undefined ? undefined : usable(written, key);
      if (written !== undefined && value === undefined) {
        const wasUsable = !unusable.has(key);
        unusable.add(key);
        return this.onUnusable?.(table, key, wasUsable);
      }
      unusable.delete(key);
      take(value && { key, value, revision }, key, written);
      this.onChanged?.();
    };
  }

  #takeClaim(record: KeyedRecord<ClaimRecord> | undefined, key: string): void {
    const dot = key.lastIndexOf('.');
    const server = key.slice(0, dot);
    const slots = this.claims.get(server) ?? new Map<number, KeyedRecord<ClaimRecord>>();
    const before = put(slots, Number(key.slice(dot + 1)), record);
    put(this.claims, server, slots.size > 0 ? slots : undefined);
    if (record) this.#seen(record.value.node);
    this.onClaim?.(key, record?.value, before?.value);
  }

  #seen(node: string): void {
    for (const recent of this.#listings.values()) recent.add(node);
    this.leases.add(node);
  }
}

/** Returns the previous value. */
function put<K, V>(map: Map<K, V>, key: K, value: V | undefined): V | undefined {
  const before = map.get(key);
  if (value === undefined) map.delete(key);
  else map.set(key, value);
  return before;
}

/** Reads the current state of a fleet, for a program that is not a node. */
export async function readFleet(network: ClusterNetwork): Promise<FleetState> {
  const state = new FleetState();
  try {
    await state.watch(network);
    await state.listLeases(network);
  } finally {
    state.stop();
  }
  return state;
}

/** Counts nodes without a lease as alive. */
export function withAllNodes({ servers, unusable, nodes, claims, leases }: FleetView): FleetView {
  return { servers, ...(unusable && { unusable }), nodes, claims, leases: new Set([...leases, ...nodes.keys()]) };
}

/** Limit of servers that a node offers. Further ones in its record are ignored. */
export const MOST_OFFERS = 1_000;
/** Limit of nodes in `tried` of a claim. */
const MOST_TRIED = 1_000;

/** Unreadable values in `place` are replaced by their defaults. */
export function usableServer(value: ServerRecord, key: string): ServerRecord | undefined {
  if (!isObject(value) || typeof value.name !== 'string' || keyOfServer(value.name) !== key) return undefined;
  // Names with `@` or `#` are reserved for servers and instances on nodes: an entry with such a name would replace one of them.
  if (!isObject(value.entry) || /[@#]/.test(value.name) || !isAddressable(value.name)) return undefined;
  const { labels, replicas, spread, stateless } = (isObject(value.place) ? value.place : {}) as Partial<Place>;
  const required = textsIn(labels);
  if (required.length > MOST_LABELS) return undefined; // without one of the labels, the server would run on other nodes
  const count = Number.isInteger(replicas) ? Math.min(Math.max(replicas!, 0), MOST_REPLICAS) : defaultPlace.replicas;
  const lock = readServerLock(value.lock);
  return {
    name: value.name,
    entry: value.entry,
    place: {
      labels: required,
      replicas: count,
      spread: spread === 'nodes' ? 'nodes' : 'prefer',
      stateless: stateless === true,
    },
    ...(lock && { lock }),
  };
}

export function usableNode(value: NodeRecord, key: string): NodeRecord | undefined {
  if (!isObject(value) || value.name !== key || !fleetName.test(key) || typeof value.session !== 'string')
    return undefined;
  return {
    ...value,
    labels: textsIn(value.labels).slice(0, MOST_LABELS),
    offers: [...new Set(textsIn(value.offers).slice(0, MOST_OFFERS).filter(isAddressable))],
    draining: value.draining === true,
  };
}

export function usableClaim(value: ClaimRecord, key: string): ClaimRecord | undefined {
  return isUsableClaim(value, key) ? value : undefined;
}

function isUsableClaim(value: ClaimRecord, key: string): boolean {
  if (!isObject(value)) return false;
  const { server, node, session, slot, generation, failed, tried } = value as Partial<ClaimRecord>;
  if (failed !== undefined && typeof failed !== 'string') return false;
  if (tried !== undefined && !(Array.isArray(tried) && tried.length <= MOST_TRIED)) return false;
  if (tried?.some((each) => typeof each !== 'string')) return false;
  const isNamed = [server, node, session].every((each) => typeof each === 'string');
  const isCounted = [slot, generation].every((each) => Number.isInteger(each));
  return isNamed && isCounted && keyOfSlot(server!, slot!) === key;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
