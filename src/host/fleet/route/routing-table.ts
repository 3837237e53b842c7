// The instances of each server, as this node knows them from the directory: a copy that may be slightly outdated. A claim is in force
// while its node has the session that made it; the placer removes node records without a lease. A wrong answer of this table only
// costs time: a request to an instance that does not exist reaches no process.

import type {
  ClaimRecord,
  ClusterNetwork,
  KeyedRecord,
  NodeRecord,
  ServerRecord,
  TableListener,
} from '../cluster-network.ts';
import type { FleetView } from '../place/plan.ts';
import { MOST_OFFERS, usableClaim, usableNode, usableServer } from '../place/usable-records.ts';
import { instanceOf, keyOfServer, ownInstanceOf, runOf, type Subjects, subjectsOf } from '../subjects.ts';
import { watchAll } from '../watch-all.ts';

/** One process of a server that requests can be sent to. */
export interface RoutedInstance {
  /** Last token of its subject. */
  readonly id: string;
  readonly subject: string;
  readonly server: string;
  readonly node: string;
  readonly session: string;
  /** `runOf` the node. */
  readonly run: string;
  /** 0 for a server of the node's own config. */
  readonly slot: number;
  /** Generation of the claim. Undefined for a server of the node's own config. */
  readonly generation: number | undefined;
  /** Unanswered calls of this node. Starts at 0 again when the instances of the server change. */
  inFlight: number;
}

interface KnownNode {
  record: NodeRecord;
  run: string;
  offersTooMany: boolean;
}

const NONE: readonly RoutedInstance[] = [];

export class RoutingTable {
  /** Called when the names of `servers()` have changed. */
  onServers: (() => void) | undefined;
  /** Called when the instances of a server have changed. */
  onInstances: ((server: string) => void) | undefined;
  /** Called when the entry of this node was changed or removed. */
  onSelf: ((record: NodeRecord | undefined) => void) | undefined;
  /** Called when an entry of the claims table was changed or removed. */
  onClaim: ((key: string, claim: ClaimRecord | undefined) => void) | undefined;
  /** Called when a node begins to offer more servers than are used. */
  onTooManyOffers: ((node: string) => void) | undefined;
  /** Called when an entry becomes unusable. The one before it stays in force. */
  onUnusable: ((table: 'server' | 'node' | 'claim', key: string) => void) | undefined;
  /** Called when the process of a node has ended or its entry was removed. */
  onRunEnded: ((node: string, run: string) => void) | undefined;
  readonly #network: ClusterNetwork;
  readonly #self: string;
  readonly #subjects: Subjects;
  /** Records by name, and names by key. */
  readonly #servers = new Map<string, ServerRecord>();
  readonly #names = new Map<string, string>();
  readonly #nodes = new Map<string, KnownNode>();
  /** Claims by key, by server, and by node. */
  readonly #claims = new Map<string, ClaimRecord>();
  readonly #slots = new Map<string, ClaimRecord[]>();
  readonly #claimed = new Map<string, Set<ClaimRecord>>();
  /** Computed on demand, and dropped when something changes. */
  readonly #instances = new Map<string, readonly RoutedInstance[]>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #unusable = new Set<string>();
  #stops: (() => void)[] = [];

  constructor(network: ClusterNetwork, self: string) {
    this.#network = network;
    this.#self = self;
    this.#subjects = subjectsOf(network.fleet);
  }

  /** Resolves when every entry of the directory is known. If it rejects, nothing is watched. */
  async start(): Promise<void> {
    const { servers, nodes, claims } = this.#network.directory;
    this.#stops = await watchAll(
      servers.watch(this.#serverChanged),
      nodes.watch(this.#nodeChanged),
      claims.watch(this.#claimChanged),
    );
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Servers of the fleet, and those of other nodes as `<name>@<node>`. */
  servers(): string[] {
    const names = [...this.#servers.values()].map(({ name }) => name);
    for (const [node, { record }] of this.#nodes) {
      if (node !== this.#self) for (const name of record.offers) names.push(`${name}@${node}`);
    }
    return names;
  }

  /** The record of a server of the fleet. */
  recordOf(server: string): ServerRecord | undefined {
    return this.#servers.get(server);
  }

  /** Number of nodes in the fleet, including this one. */
  get nodes(): number {
    return this.#nodes.size;
  }

  /** Number of nodes of the fleet before this one, by name. */
  get rank(): number {
    let rank = 0;
    for (const name of this.#nodes.keys()) if (name < this.#self) rank++;
    return rank;
  }

  /** `runOf` a node that is currently in the fleet. */
  runOf(node: string): string | undefined {
    return this.#nodes.get(node)?.run;
  }

  /** The known state. Leases are unknown, so each node counts as having one. */
  view(): FleetView {
    const entry = <T>(key: string, value: T) => ({ key, value, revision: 0 });
    const claims = new Map<string, Map<number, KeyedRecord<ClaimRecord>>>();
    for (const [key, claim] of this.#claims) {
      const slots = claims.get(keyOfServer(claim.server)) ?? new Map<number, KeyedRecord<ClaimRecord>>();
      claims.set(keyOfServer(claim.server), slots.set(claim.slot, entry(key, claim)));
    }
    return {
      servers: new Map(Array.from(this.#names, ([key, name]) => [key, entry(key, this.#servers.get(name)!)])),
      nodes: new Map(Array.from(this.#nodes, ([key, { record }]) => [key, entry(key, record)])),
      leases: new Set(this.#nodes.keys()),
      claims,
    };
  }

  /** In the order of their slots. Returns the same array until something changes. */
  instancesOf(server: string): readonly RoutedInstance[] {
    const known = this.#instances.get(server);
    if (known) return known;
    const found = this.#find(server);
    if (found.length > 0) this.#instances.set(server, found);
    return found;
  }

  /** Why a server has no instance, as text. */
  whyNone(server: string): string {
    if (!this.#network.isConnected) return 'this node is not connected to NATS';
    const own = this.#offer(server);
    if (own && !this.recordOf(server)) {
      return this.#nodes.has(own.node)
        ? `node "${own.node}" does not offer "${own.name}"`
        : `node "${own.node}" is not in the fleet`;
    }
    if (!this.recordOf(server)) return 'it is not a server of the fleet';
    const claims = this.#slots.get(server) ?? [];
    if (claims.length === 0) return 'no node runs it yet';
    return `no node runs it at the moment; the last was ${claims.map(({ node }) => `"${node}"`).join(', ')}`;
  }

  /** The listener is called after each change of the instances of a server. Returns a function that ends it. */
  listen(server: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(server) ?? new Set();
    this.#listeners.set(server, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(server);
    };
  }

  #find(server: string): readonly RoutedInstance[] {
    const claims = this.#slots.get(server);
    if (claims) {
      const inForce = claims.filter(
        ({ node, session, held }) => held && this.#nodes.get(node)?.record.session === session,
      );
      return inForce.sort((a, b) => a.slot - b.slot).map((claim) => this.#instance(instanceOf(claim), claim));
    }
    const own = this.#offer(server);
    const node = own && this.#nodes.get(own.node)?.record;
    if (!node?.offers.includes(own!.name)) return NONE;
    const { session } = node;
    const id = ownInstanceOf(own!.name, session);
    return [this.#instance(id, { server, node: own!.node, session, slot: 0, generation: undefined })];
  }

  #instance(
    id: string,
    { server, node, session, slot, generation }: Omit<RoutedInstance, 'id' | 'subject' | 'run' | 'inFlight'>,
  ): RoutedInstance {
    const { run } = this.#nodes.get(node)!;
    return { id, subject: this.#subjects.call(node, id), server, node, session, run, slot, generation, inFlight: 0 };
  }

  /** Splits the name of a server of another node's config. */
  #offer(server: string): { name: string; node: string } | undefined {
    const at = server.lastIndexOf('@');
    return at < 1 ? undefined : { name: server.slice(0, at), node: server.slice(at + 1) };
  }

  readonly #serverChanged: TableListener<ServerRecord> = ({ key, value }) => {
    const record = value === undefined ? undefined : usableServer(value, key);
    if (this.#isUnusable('server', key, value, record)) return;
    const before = this.#names.get(key);
    if (before !== undefined) this.#servers.delete(before);
    this.#names.delete(key);
    if (record) {
      this.#servers.set(record.name, record);
      this.#names.set(key, record.name);
    }
    this.onServers?.();
  };

  readonly #claimChanged: TableListener<ClaimRecord> = ({ key, value: given }) => {
    const value = given === undefined ? undefined : usableClaim(given, key);
    if (this.#isUnusable('claim', key, given, value)) return this.onClaim?.(key, undefined); // its owner writes it again
    const before = this.#claims.get(key);
    const { server } = (value ?? before ?? {}) as Partial<ClaimRecord>;
    if (server === undefined) return;
    const others = (this.#slots.get(server) ?? []).filter((claim) => claim !== before);
    if (value) {
      this.#claims.set(key, value);
      others.push(value);
    } else this.#claims.delete(key);
    if (before) this.#claimed.get(before.node)?.delete(before);
    if (value) this.#claimed.set(value.node, (this.#claimed.get(value.node) ?? new Set()).add(value));
    if (others.length > 0) this.#slots.set(server, others);
    else this.#slots.delete(server);
    this.#changed(server);
    this.onClaim?.(key, value);
  };

  readonly #nodeChanged: TableListener<NodeRecord> = ({ key, value: given }) => {
    const value = given === undefined ? undefined : usableNode(given, key);
    if (this.#isUnusable('node', key, given, value)) {
      if (key === this.#self) this.onSelf?.(undefined); // it writes its entry again
      return;
    }
    const before = this.#nodes.get(key);
    const offers = value?.offers ?? [];
    const run = value && runOf(value);
    if (before && before.run !== run) this.onRunEnded?.(key, before.run);
    const offersTooMany = Array.isArray(given?.offers) && given.offers.length > MOST_OFFERS;
    if (value && offersTooMany && !before?.offersTooMany) this.onTooManyOffers?.(key);
    if (value) this.#nodes.set(key, { record: value, run: runOf(value), offersTooMany });
    else this.#nodes.delete(key);
    if (key === this.#self && (value || before)) this.onSelf?.(value);
    const isOtherSession = before?.record.session !== value?.session;
    const offered = new Set(before?.record.offers);
    const isOtherOffer = offers.length !== offered.size || offers.some((name) => !offered.has(name));
    if (!isOtherSession && !isOtherOffer) return;
    const concerned = new Set([...offers, ...offered].map((name) => `${name}@${key}`));
    if (isOtherSession) for (const { server } of this.#claimed.get(key) ?? []) concerned.add(server);
    if (!value && this.#claimed.get(key)?.size === 0) this.#claimed.delete(key);
    for (const server of concerned) this.#changed(server);
    if (isOtherOffer && key !== this.#self) this.onServers?.();
  };

  /** Anything that may publish in the directory can write such a version. It is not a removal. */
  #isUnusable(table: 'server' | 'node' | 'claim', key: string, given: unknown, usable: unknown): boolean {
    const id = `${table} ${key}`;
    if (given === undefined || usable !== undefined) {
      this.#unusable.delete(id);
      return false;
    }
    if (!this.#unusable.has(id)) this.onUnusable?.(table, key);
    this.#unusable.add(id);
    return true;
  }

  #changed(server: string): void {
    this.#instances.delete(server);
    for (const listener of [...(this.#listeners.get(server) ?? [])]) listener();
    this.onInstances?.(server);
  }
}
