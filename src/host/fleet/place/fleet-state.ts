// The state of a fleet, kept up to date by watching its directory. Leases are not watched, because their expiry is not reported:
// their names are listed instead.

import type {
  ClaimRecord,
  ClusterNetwork,
  KeyedRecord,
  NodeRecord,
  ServerRecord,
  TableListener,
} from '../cluster-network.ts';
import { watchAll } from '../watch-all.ts';
import type { FleetView } from './plan.ts';
import { usableClaim, usableNode, usableServer } from './usable-records.ts';

const NODE = 'node.';

export class FleetState implements FleetView {
  readonly servers = new Map<string, KeyedRecord<ServerRecord>>();
  readonly nodes = new Map<string, KeyedRecord<NodeRecord>>();
  readonly claims = new Map<string, Map<number, KeyedRecord<ClaimRecord>>>();
  readonly unusable = new Set<string>();
  leases = new Set<string>();
  onChanged: (() => void) | undefined;
  /** Called with the key of the claim's server, and its slot. */
  onClaim: ((key: string, slot: number) => void) | undefined;
  /**
   * For each pending list of leases, the nodes whose entry arrived meanwhile. They count as alive until the next list, because this
   * one may be older than their lease.
   */
  readonly #listings = new Map<number, Set<string>>();
  #lastListing = 0;
  #stops: (() => void)[] = [];

  /** Resolves when every entry has been read. If it rejects, nothing is watched. */
  async watch({ directory: { servers, nodes, claims } }: ClusterNetwork): Promise<void> {
    const into =
      <T>(
        map: Map<string, KeyedRecord<T>>,
        usable: (value: T, key: string) => T | undefined,
        unusable: Set<string>,
      ): TableListener<T> =>
      ({ key, value, revision }) => {
        const used = value === undefined ? undefined : usable(value, key);
        if (value !== undefined && used === undefined) return void unusable.add(key);
        unusable.delete(key);
        if (used === undefined) map.delete(key);
        else map.set(key, { key, value: used, revision });
        this.onChanged?.();
      };
    const intoNodes = into(this.nodes, usableNode, new Set());
    this.#stops = await watchAll(
      servers.watch(into(this.servers, usableServer, this.unusable)),
      nodes.watch((entry) => {
        if (entry.value) this.#seen(entry.key);
        intoNodes(entry);
      }),
      claims.watch(this.#onClaim),
    );
  }

  readonly #onClaim: TableListener<ClaimRecord> = ({ key, value, revision }) => {
    if (value !== undefined && !usableClaim(value, key)) return;
    const dot = key.lastIndexOf('.');
    const [server, slot] = [key.slice(0, dot), Number(key.slice(dot + 1))];
    const slots = this.claims.get(server) ?? new Map<number, KeyedRecord<ClaimRecord>>();
    if (value === undefined) slots.delete(slot);
    else {
      slots.set(slot, { key, value, revision });
      this.#seen(value.node);
    }
    if (slots.size === 0) this.claims.delete(server);
    else this.claims.set(server, slots);
    this.onClaim?.(server, slot);
    this.onChanged?.();
  };

  #seen(node: string): void {
    for (const recent of this.#listings.values()) recent.add(node);
    this.leases.add(node);
  }

  /** Sends one request. Resolves to whether a node was added or removed. Of two concurrent lists, the one requested last counts. */
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
