// Which instances of which server run where, as this node knows it from the directory: a copy that may be a moment old. A claim is in
// force while its node has the session that made it; a node record without a lease is removed by the placer. A wrong answer of this
// table costs time and nothing else: a request to an instance that does not exist reaches no process.

import type { ClaimRecord, Entry, Fabric, NodeRecord, ServerRecord, TableListener } from '../fabric.ts';
import type { FleetView } from '../place/plan.ts';
import { usableClaim, usableNode, usableServer } from '../place/usable-records.ts';
import { instanceOf, keyOfServer, ownInstanceOf, runOf, type Subjects, subjectsOf } from '../subjects.ts';
import { watchAll } from '../watch-all.ts';

/** One process of a server that requests can be sent to. */
export interface Instance {
  /** The last token of its subject. */
  readonly id: string;
  readonly subject: string;
  readonly server: string;
  readonly node: string;
  readonly session: string;
  /** The process of the node. */
  readonly run: string;
  /** 0: a server of the node's own config. */
  readonly slot: number;
  /** Of the claim. Undefined: a server of the node's own config. */
  readonly generation: number | undefined;
  /** Calls of this node that wait for its answer. Counted anew when the instances of the server change. */
  inFlight: number;
}

interface KnownNode {
  record: NodeRecord;
  run: string;
}

const NONE: readonly Instance[] = [];

export class RoutingTable {
  /** The names of `servers()` have changed. */
  onServers: (() => void) | undefined;
  /** The instances of a server have changed. */
  onInstances: ((server: string) => void) | undefined;
  /** The entry of this node has changed, or was removed. */
  onSelf: ((record: NodeRecord | undefined) => void) | undefined;
  /** An entry of the table of claims has changed, or was removed. */
  onClaim: ((key: string, claim: ClaimRecord | undefined) => void) | undefined;
  /** A process of a node is gone, or has had no lease for a time. */
  onRunEnded: ((node: string, run: string) => void) | undefined;
  readonly #fabric: Fabric;
  readonly #self: string;
  readonly #subjects: Subjects;
  /** By name; and the names by key. */
  readonly #servers = new Map<string, ServerRecord>();
  readonly #names = new Map<string, string>();
  readonly #nodes = new Map<string, KnownNode>();
  /** By key, by server, and by node. */
  readonly #claims = new Map<string, ClaimRecord>();
  readonly #slots = new Map<string, ClaimRecord[]>();
  readonly #claimed = new Map<string, Set<ClaimRecord>>();
  /** Made when they are asked for, and forgotten when something changes. */
  readonly #instances = new Map<string, readonly Instance[]>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #stops: (() => void)[] = [];

  constructor(fabric: Fabric, self: string) {
    this.#fabric = fabric;
    this.#self = self;
    this.#subjects = subjectsOf(fabric.fleet);
  }

  /** Resolves when all that the directory has is known. If it rejects, nothing is watched. */
  async start(): Promise<void> {
    const { servers, nodes, claims } = this.#fabric.directory;
    this.#stops = await watchAll(
      servers.watch(this.#serverChanged),
      nodes.watch(this.#nodeChanged),
      claims.watch(this.#claimChanged),
    );
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Those of the fleet, and `<name>@<node>` of the other nodes. */
  servers(): string[] {
    const names = [...this.#servers.values()].map(({ name }) => name);
    for (const [node, { record }] of this.#nodes) {
      if (node !== this.#self) for (const name of record.offers) names.push(`${name}@${node}`);
    }
    return names;
  }

  /** The entry of a server of the fleet. */
  recordOf(server: string): ServerRecord | undefined {
    return this.#servers.get(server);
  }

  /** How many the fleet has, this one included. */
  get nodes(): number {
    return this.#nodes.size;
  }

  /** How many nodes of the fleet come before this one, by name. */
  get rank(): number {
    let rank = 0;
    for (const name of this.#nodes.keys()) if (name < this.#self) rank++;
    return rank;
  }

  /** The process of a node, if it is one of the fleet now. */
  runOf(node: string): string | undefined {
    return this.#nodes.get(node)?.run;
  }

  /** All that is known. Which nodes have their lease is not: each of them is taken to have it. */
  view(): FleetView {
    const entry = <T>(key: string, value: T) => ({ key, value, revision: 0 });
    const claims = new Map<string, Map<number, Entry<ClaimRecord>>>();
    for (const [key, claim] of this.#claims) {
      const slots = claims.get(keyOfServer(claim.server)) ?? new Map<number, Entry<ClaimRecord>>();
      claims.set(keyOfServer(claim.server), slots.set(claim.slot, entry(key, claim)));
    }
    return {
      servers: new Map(Array.from(this.#names, ([key, name]) => [key, entry(key, this.#servers.get(name)!)])),
      nodes: new Map(Array.from(this.#nodes, ([key, { record }]) => [key, entry(key, record)])),
      leases: new Set(this.#nodes.keys()),
      claims,
    };
  }

  /** In the order of their slots. The same array until something changes. */
  instancesOf(server: string): readonly Instance[] {
    const known = this.#instances.get(server);
    if (known) return known;
    const found = this.#find(server);
    if (found.length > 0) this.#instances.set(server, found);
    return found;
  }

  /** Why a server has no instance, in words. */
  whyNone(server: string): string {
    if (!this.#fabric.isConnected) return 'this node is not connected to NATS';
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

  /** Called after each change of the instances of a server. Returns a function that ends it. */
  listen(server: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(server) ?? new Set();
    this.#listeners.set(server, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(server);
    };
  }

  #find(server: string): readonly Instance[] {
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
    { server, node, session, slot, generation }: Omit<Instance, 'id' | 'subject' | 'run' | 'inFlight'>,
  ): Instance {
    const { run } = this.#nodes.get(node)!;
    return { id, subject: this.#subjects.call(node, id), server, node, session, run, slot, generation, inFlight: 0 };
  }

  /** The name of a server of another node's config, in its parts. */
  #offer(server: string): { name: string; node: string } | undefined {
    const at = server.lastIndexOf('@');
    return at < 1 ? undefined : { name: server.slice(0, at), node: server.slice(at + 1) };
  }

  readonly #serverChanged: TableListener<ServerRecord> = ({ key, value }) => {
    const before = this.#names.get(key);
    if (before !== undefined) this.#servers.delete(before);
    this.#names.delete(key);
    const record = value && usableServer(value, key);
    if (record) {
      this.#servers.set(record.name, record);
      this.#names.set(key, record.name);
    }
    this.onServers?.();
  };

  readonly #claimChanged: TableListener<ClaimRecord> = ({ key, value: given }) => {
    const value = given && usableClaim(given, key) ? given : undefined;
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
    const value = given && usableNode(given, key);
    const before = this.#nodes.get(key);
    const offers = value?.offers ?? [];
    const run = value && runOf(value);
    if (before && before.run !== run) this.onRunEnded?.(key, before.run);
    if (value) this.#nodes.set(key, { record: value, run: runOf(value) });
    else this.#nodes.delete(key);
    if (key === this.#self && (value || before)) this.onSelf?.(value);
    const isOtherSession = before?.record.session !== value?.session;
    const offered = before?.record.offers ?? [];
    const isOtherOffer = offers.length !== offered.length || offers.some((name) => !offered.includes(name));
    if (!isOtherSession && !isOtherOffer) return;
    const concerned = new Set([...offers, ...offered].map((name) => `${name}@${key}`));
    if (isOtherSession) for (const { server } of this.#claimed.get(key) ?? []) concerned.add(server);
    if (!value && this.#claimed.get(key)?.size === 0) this.#claimed.delete(key);
    for (const server of concerned) this.#changed(server);
    if (isOtherOffer && key !== this.#self) this.onServers?.();
  };

  #changed(server: string): void {
    this.#instances.delete(server);
    for (const listener of [...(this.#listeners.get(server) ?? [])]) listener();
    this.onInstances?.(server);
  }
}
