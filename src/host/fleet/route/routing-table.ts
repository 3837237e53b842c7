// The instances of each server, as this node knows them from the directory: a copy that may be slightly outdated. A claim is in force
// while its node has the session that made it; the placer removes node records without a lease. A wrong answer of this table only
// costs time: a request to an instance that does not exist reaches no process.

import { isObject } from '../../../base/json-object.ts';
import {
  defaultRemoteSettings,
  defaultSettings,
  defaultShare,
  type RemoteConfig,
  type ServerSettings,
  type SharePolicy,
} from '../../../config/server-config.ts';
import type { ClaimRecord, ClusterNetwork, NodeRecord, ServerRecord } from '../cluster-network.ts';
import { FleetState, MOST_OFFERS } from '../place/fleet-state.ts';
import { instanceOf, keyOfServer, ownInstanceOf, runOf, type Subjects, subjectsOf } from '../subjects.ts';

export interface RoutedInstance {
  readonly id: string;
  readonly subject: string;
  readonly server: string;
  readonly node: string;
  readonly session: string;
  readonly run: string;
  /** 0 for a server of the node's own config. */
  readonly slot: number;
  /** Generation of the claim. Undefined for a server of the node's own config. */
  readonly generation: number | undefined;
  /** Unanswered calls of this node. Starts at 0 again when the instances of the server change. */
  inFlight: number;
}

export class RoutingTable {
  readonly state = new FleetState();
  onServers: (() => void) | undefined;
  onInstances: ((server: string) => void) | undefined;
  /** Called when the entry of this node was changed or removed, or cannot be used. */
  onSelf: ((record: NodeRecord | undefined) => void) | undefined;
  /** Called when an entry of the claims table was changed or removed, or cannot be used. */
  onClaim: ((key: string, claim: ClaimRecord | undefined) => void) | undefined;
  /** Called when a node begins to offer more servers than are used. */
  onTooManyOffers: ((node: string) => void) | undefined;
  onUnusable: ((table: 'server' | 'node' | 'claim', key: string) => void) | undefined;
  /** Called when the process of a node has ended or its entry was removed. */
  onRunEnded: ((node: string, run: string) => void) | undefined;
  /** True once every entry of the directory is known. */
  isStarted = false;
  readonly #network: ClusterNetwork;
  readonly #self: string;
  readonly #subjects: Subjects;
  /** Records of servers by name, because computing a key for each call would cost more. */
  readonly #servers = new Map<string, ServerRecord>();
  readonly #claimsOfNode = new Map<string, Set<ClaimRecord>>();
  readonly #offersTooMany = new Set<string>();
  /** The instances of each server, computed on demand and dropped when something changes. */
  readonly #instances = new Map<string, readonly RoutedInstance[]>();
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(network: ClusterNetwork, self: string) {
    this.#network = network;
    this.#self = self;
    this.#subjects = subjectsOf(network.fleet);
    this.state.onServer = (after, before) => {
      if (after) this.#servers.set(after.name, after);
      else if (before) this.#servers.delete(before.name);
      this.onServers?.();
    };
    this.state.onClaim = (key, after, before) => this.#claimChanged(key, after, before);
    this.state.onNode = (...change) => this.#nodeChanged(...change);
    this.state.onUnusable = (table, key, wasUsable) => {
      if (wasUsable) this.onUnusable?.(table, key);
      // The owner of the entry writes it again.
      if (table === 'claim') this.onClaim?.(key, undefined);
      else if (table === 'node' && key === self) this.onSelf?.(undefined);
    };
  }

  /** Resolves when every entry of the directory is known. If it rejects, nothing is watched. */
  async start(): Promise<void> {
    await this.state.watch(this.#network);
    this.isStarted = true;
  }

  stop(): void {
    this.state.stop();
  }

  /** Servers of the fleet, and those of other nodes as `<name>@<node>`. */
  servers(): string[] {
    const names = [...this.#servers.keys()];
    for (const [node, { value }] of this.state.nodes) {
      if (node !== this.#self) for (const name of value.offers) names.push(`${name}@${node}`);
    }
    return names;
  }

  recordOf(server: string): ServerRecord | undefined {
    return this.#servers.get(server);
  }

  /** Number of nodes of the fleet before this one, by name. */
  get rank(): number {
    let rank = 0;
    for (const name of this.state.nodes.keys()) if (name < this.#self) rank++;
    return rank;
  }

  /** `runOf` a node that is currently in the fleet. */
  runOf(node: string): string | undefined {
    const record = this.state.nodes.get(node);
    return record && runOf(record.value);
  }

  /** Returns the instances in the order of their slots, and the same array until something changes. */
  instancesOf(server: string): readonly RoutedInstance[] {
    const known = this.#instances.get(server);
    if (known) return known;
    const found = this.#find(server);
    if (found.length > 0) this.#instances.set(server, found);
    return found;
  }

  whyNone(server: string): string {
    if (!this.#network.isConnected) return 'this node is not connected to NATS';
    const own = splitOffer(server);
    if (own && !this.recordOf(server)) {
      return this.state.nodes.has(own.node)
        ? `node "${own.node}" does not offer "${own.name}"`
        : `node "${own.node}" is not in the fleet`;
    }
    if (!this.recordOf(server)) return 'it is not a server of the fleet';
    const claims = [...(this.state.claims.get(keyOfServer(server))?.values() ?? [])];
    if (claims.length === 0) return 'no node runs it yet';
    return `no node runs it at the moment; the last was ${claims.map(({ value }) => `"${value.node}"`).join(', ')}`;
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
    const { nodes, claims } = this.state;
    const slots = claims.get(keyOfServer(server));
    if (slots) {
      return [...slots.values()]
        .map(({ value }) => value)
        .filter(({ node, session, held }) => held && nodes.get(node)?.value.session === session)
        .sort((a, b) => a.slot - b.slot)
        .map((claim) => this.#instance(instanceOf(claim), claim));
    }
    const own = splitOffer(server);
    const node = own && nodes.get(own.node)?.value;
    if (!node?.offers.includes(own!.name)) return [];
    const { name, session } = node;
    const id = ownInstanceOf(own!.name, session);
    return [this.#instance(id, { server, node: name, session, slot: 0, generation: undefined })];
  }

  #instance(
    id: string,
    { server, node, session, slot, generation }: Omit<RoutedInstance, 'id' | 'subject' | 'run' | 'inFlight'>,
  ): RoutedInstance {
    const run = this.runOf(node)!;
    return { id, subject: this.#subjects.call(node, id), server, node, session, run, slot, generation, inFlight: 0 };
  }

  #claimChanged(key: string, after: ClaimRecord | undefined, before: ClaimRecord | undefined): void {
    const claim = after ?? before;
    if (!claim) return;
    if (before) this.#claimsOfNode.get(before.node)?.delete(before);
    if (after) this.#claimsOfNode.set(after.node, (this.#claimsOfNode.get(after.node) ?? new Set()).add(after));
    this.#changed(claim.server);
    this.onClaim?.(key, after);
  }

  #nodeChanged(
    key: string,
    after: NodeRecord | undefined,
    before: NodeRecord | undefined,
    written: NodeRecord | undefined,
  ): void {
    if (before && (!after || runOf(after) !== runOf(before))) this.onRunEnded?.(key, runOf(before));
    const offersTooMany = Array.isArray(written?.offers) && written.offers.length > MOST_OFFERS;
    if (offersTooMany && !this.#offersTooMany.has(key)) this.onTooManyOffers?.(key);
    if (offersTooMany) this.#offersTooMany.add(key);
    else this.#offersTooMany.delete(key);
    if (!after) this.state.leases.delete(key); // otherwise only `listLeases` would remove the lease
    if (key === this.#self && (after || before)) this.onSelf?.(after);
    const offers = after?.offers ?? [];
    const offered = new Set(before?.offers);
    const isOtherSession = before?.session !== after?.session;
    const isOtherOffer = offers.length !== offered.size || offers.some((name) => !offered.has(name));
    const concerned = new Set(
      isOtherSession || isOtherOffer ? [...offers, ...offered].map((name) => `${name}@${key}`) : [],
    );
    if (isOtherSession) for (const { server } of this.#claimsOfNode.get(key) ?? []) concerned.add(server);
    if (!after && this.#claimsOfNode.get(key)?.size === 0) this.#claimsOfNode.delete(key);
    for (const server of concerned) this.#changed(server);
    if (isOtherOffer && key !== this.#self) this.onServers?.();
  }

  #changed(server: string): void {
    this.#instances.delete(server);
    for (const listener of [...(this.#listeners.get(server) ?? [])]) listener();
    this.onInstances?.(server);
  }
}

function splitOffer(server: string): { name: string; node: string } | undefined {
  const at = server.lastIndexOf('@');
  return at < 1 ? undefined : { name: server.slice(0, at), node: server.slice(at + 1) };
}

const limits = ['requestTimeoutMs', 'maxFrameBytes', 'maxFrameValues'] as const;

/** The entry of the calling host for a server of the fleet (`record`) or of another node. */
export function remoteEntry(fleet: string, name: string, record: ServerRecord | undefined): RemoteConfig {
  return {
    ...defaultSettings,
    ...(record && callSettings(record)),
    ...defaultRemoteSettings,
    name,
    url: `nats://${fleet}/${encodeURIComponent(name)}`,
    oauth: false,
    autoStart: false, // a fleet may have thousands
    lock: record?.lock,
    source: { file: `fleet ${fleet}`, line: 1, column: 1 },
  };
}

/** Settings that apply to each call. The others concern processes. */
function callSettings({ entry }: ServerRecord): Partial<ServerSettings> {
  const given = limits.map((key) => [key, entry[key]] as const).filter(([, value]) => typeof value === 'number');
  const { share } = entry;
  const by = (isObject(share) ? share.by : share) as SharePolicy['by'] | undefined;
  return { ...Object.fromEntries(given), share: { ...defaultShare, by: by ?? defaultShare.by } };
}
