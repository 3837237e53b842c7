// Decides which node runs which slot: a pure function of the state of the fleet. Equal views give equal plans.
// The replicas of a server whose entry has changed are renewed one at a time, so that the others keep answering. A running slot stays
// on its node. It moves only from a node that is drained, that lacks a label of the server, that has another replica of a server with
// `spread: "nodes"`, or on which its server has failed: then to each other node once, until the entry changes. A slot without an
// owner goes to the eligible node with the fewest slots. A slot is placed elsewhere only after its claim has ended: so a plan from an
// outdated view, or plans of two placers, never start a second process.

import type { ClaimRecord, KeyedRecord, NodeRecord, Place, ServerRecord } from '../cluster-network.ts';

/** `servers` by key; `claims` by the key of their server, then by slot. */
export interface FleetView {
  readonly servers: ReadonlyMap<string, KeyedRecord<ServerRecord>>;
  /** Keys of servers with an unusable entry. Their running slots stay. */
  readonly unusable?: ReadonlySet<string>;
  readonly nodes: ReadonlyMap<string, KeyedRecord<NodeRecord>>;
  readonly leases: ReadonlySet<string>;
  readonly claims: ReadonlyMap<string, ReadonlyMap<number, KeyedRecord<ClaimRecord>>>;
}

/** Outcomes of the placer's earlier requests. */
export interface Attempts {
  /** Slots that a node was asked to take and whose claim is not visible yet, by server key, then by slot. */
  readonly placing: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Why nodes did not take a server, by server key, then by node. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Refusals of nodes that cannot run the server with its current entry, kept even after the node may be asked again. */
  readonly unfit: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Nodes that do not answer: they get no further slots for now. */
  readonly silent: ReadonlySet<string>;
}

export type Action =
  | { kind: 'place'; server: string; slot: number; node: string; revision: number }
  | { kind: 'release'; server: string; slot: number; node: string; generation: number; reason: string }
  | { kind: 'renew'; server: string; slot: number; node: string; generation: number; config: number }
  | { kind: 'forget'; node: string; revision: number };

/** A slot that runs nowhere, or that runs on a node that it cannot leave. */
export interface WaitingSlot {
  server: string;
  slot: number;
  /** The node where the slot runs; undefined if it runs nowhere. */
  node: string | undefined;
  reason: string;
}

export interface Plan {
  actions: Action[];
  waiting: WaitingSlot[];
}

interface PlannedNode {
  readonly name: string;
  readonly record: NodeRecord;
  readonly isEligible: boolean;
  /** Number of the node's slots, including those that this plan adds. */
  load: number;
}

interface OpenServer {
  key: string;
  record: ServerRecord;
  config: number;
  /** Number of the server's replicas per node, including those that this plan adds. */
  here: Map<string, number>;
  ownerless: number[];
  leaving: ClaimRecord[];
  /** Claims on nodes where the server has failed with this config. */
  failed: ClaimRecord[];
  /** Claims that stay and have another config. */
  changed: ClaimRecord[];
}

/** A server that has failed on this many nodes stays on the last one. */
const MOST_TRIED = 16;

export const noAttempts: Attempts = {
  placing: new Map(),
  refusals: new Map(),
  unfit: new Map(),
  silent: new Set(),
};

export function plan(view: FleetView, attempts: Attempts = noAttempts): Plan {
  const planner = new Planner(view, attempts);
  for (const key of view.servers.keys()) planner.inspect(key);
  planner.fill();
  for (const key of view.claims.keys()) {
    if (!view.servers.has(key) && !view.unusable?.has(key)) planner.endRemoved(key);
  }
  for (const [node, { revision }] of view.nodes) {
    if (!view.leases.has(node)) planner.actions.push({ kind: 'forget', node, revision });
  }
  return { actions: planner.actions, waiting: planner.waiting };
}

/**
 * Returns true if the claim is held and its session has its lease. A session that its node has replaced never returns.
 */
export function isInForce(claim: ClaimRecord, { nodes, leases }: Pick<FleetView, 'nodes' | 'leases'>): boolean {
  if (!claim.held || !leases.has(claim.node)) return false;
  const node = nodes.get(claim.node);
  return node === undefined || node.value.session === claim.session;
}

export function isEnabled({ entry }: ServerRecord): boolean {
  return entry.enabled !== false && entry.disabled !== true;
}

class Planner {
  readonly actions: Action[] = [];
  readonly waiting: WaitingSlot[] = [];
  readonly #view: FleetView;
  readonly #attempts: Attempts;
  /** The nodes by name, in the order of the names. */
  readonly #nodes = new Map<string, PlannedNode>();
  readonly #byLabels = new Map<string, readonly PlannedNode[]>();
  readonly #reasons = new Map<string, string>();
  readonly #open: OpenServer[] = [];

  constructor(view: FleetView, attempts: Attempts) {
    this.#view = view;
    this.#attempts = attempts;
    for (const name of [...view.nodes.keys()].sort()) {
      const { value: record } = view.nodes.get(name)!;
      const isEligible = view.leases.has(name) && !record.draining && !attempts.silent.has(name);
      this.#nodes.set(name, { name, record, isEligible, load: 0 });
    }
    for (const slots of view.claims.values()) {
      for (const { value } of slots.values()) if (isInForce(value, view)) this.#addLoad(value.node);
    }
    for (const slots of attempts.placing.values()) for (const node of slots.values()) this.#addLoad(node);
  }

  /** Ends and renews running slots, and collects the slots that need a node. */
  inspect(key: string): void {
    const { value: record, revision: config } = this.#view.servers.get(key)!;
    const isRun = isEnabled(record);
    const replicas = isRun ? record.place.replicas : 0;
    const placing = this.#attempts.placing.get(key);
    const claims = this.#view.claims.get(key);
    const slots = { ownerless: [], leaving: [], failed: [], changed: [] };
    const open: OpenServer = { key, record, config, here: new Map(), ...slots };
    for (let slot = 1; slot <= replicas; slot++) {
      const claim = claims?.get(slot)?.value;
      const asked = placing?.get(slot);
      if (claim && isInForce(claim, this.#view)) {
        const node = this.#nodes.get(claim.node);
        const wrong = node && whyNotThere(node, record, open.here);
        if (wrong !== undefined) this.#release(claim, wrong);
        else if (node?.record.draining) open.leaving.push(claim);
        else if (claim.config !== config) open.changed.push(claim);
        else if (claim.failed !== undefined) open.failed.push(claim);
        increment(open.here, claim.node);
      } else if (asked !== undefined) increment(open.here, asked);
      else open.ownerless.push(slot);
    }
    if (open.ownerless.length + open.leaving.length + open.failed.length > 0) this.#open.push(open);
    else this.#renewOne(open);
    for (const [slot, { value }] of claims ?? []) {
      if (slot <= replicas || !isInForce(value, this.#view)) continue;
      this.#release(value, isRun ? `"replicas" is ${replicas}` : 'the server is disabled');
    }
  }

  /** Selects nodes in the order of the server keys, regardless of the order of the records. */
  fill(): void {
    this.#open.sort((one, other) => (one.key < other.key ? -1 : 1));
    for (const open of this.#open) this.#fillServer(open);
  }

  #fillServer(open: OpenServer): void {
    const { key, record, config, here } = open;
    const { name: server, place } = record;
    const nodes = this.#nodesWith(place.labels);
    const refusals = this.#attempts.refusals.get(key);
    const take = (tried?: readonly string[], first?: PlannedNode): PlannedNode | undefined => {
      const isLeftOut = (name: string) => refusals?.has(name) === true || tried?.includes(name) === true;
      const node = first ?? select(nodes, place, here, isLeftOut);
      if (!node) return undefined;
      node.load++;
      increment(here, node.name);
      return node;
    };
    for (const slot of open.ownerless) {
      const before = this.#view.claims.get(key)?.get(slot);
      const tried = before?.value.config === config ? before.value.tried : undefined;
      const node = take(tried, this.#ownerBefore(before?.value, open, refusals)) ?? (tried && take());
      if (node) this.actions.push({ kind: 'place', server, slot, node: node.name, revision: before?.revision ?? 0 });
      else this.waiting.push({ server, slot, node: undefined, reason: this.#reasonFor(open, refusals) });
    }
    for (const claim of open.leaving) {
      // `take` only tests here whether a node is available. The new node is selected when the claim has ended.
      if (take()) this.#release(claim, `node ${claim.node} is drained`);
      else {
        this.waiting.push({ server, slot: claim.slot, node: claim.node, reason: this.#reasonFor(open, refusals) });
        if (claim.config !== config) open.changed.push(claim);
      }
    }
    for (const claim of open.failed) {
      const { slot, tried = [claim.node] } = claim;
      const others = this.#attempts.unfit.get(key)?.keys() ?? [];
      if (tried.length < MOST_TRIED && take([...tried, ...others])) {
        this.#release(claim, `it failed on node ${claim.node}: ${claim.failed}`);
      } else this.waiting.push({ server, slot, node: claim.node, reason: whyItStays(tried, claim) });
    }
    this.#renewOne(open);
  }

  endRemoved(key: string): void {
    for (const { value } of this.#view.claims.get(key)!.values()) {
      if (isInForce(value, this.#view)) this.#release(value, 'the server was removed from the fleet');
    }
  }

  #addLoad(name: string): void {
    const node = this.#nodes.get(name);
    if (node) node.load++;
  }

  /** Finds the node that lost its lease while it had the slot, and has a lease again. */
  #ownerBefore(
    claim: ClaimRecord | undefined,
    { record, here }: OpenServer,
    refusals: ReadonlyMap<string, string> | undefined,
  ): PlannedNode | undefined {
    const node = claim?.held ? this.#nodes.get(claim.node) : undefined;
    if (!node?.isEligible || here.has(node.name) || refusals?.has(node.name)) return undefined;
    if (claim!.tried?.includes(node.name)) return undefined;
    return hasLabels(node.record, record.place.labels) ? node : undefined;
  }

  /** Servers with the same labels share one reason, if nothing else matters. */
  #reasonFor({ record, here }: OpenServer, refusals: ReadonlyMap<string, string> | undefined): string {
    const find = () => reasonFor(record, [...this.#nodes.values()], here, refusals, this.#attempts.silent);
    if (here.size > 0 || refusals) return find();
    const key = record.place.labels.join();
    const reason = this.#reasons.get(key) ?? find();
    this.#reasons.set(key, reason);
    return reason;
  }

  #nodesWith(labels: readonly string[]): readonly PlannedNode[] {
    const key = [...labels].sort().join();
    const known = this.#byLabels.get(key);
    if (known) return known;
    const nodes = [...this.#nodes.values()].filter((node) => node.isEligible && hasLabels(node.record, labels));
    this.#byLabels.set(key, nodes);
    return nodes;
  }

  /** The next claim is renewed when this one has the new config. A claim whose node does not answer is skipped. */
  #renewOne({ changed, config }: OpenServer): void {
    const claim = changed.find(({ node }) => !this.#attempts.silent.has(node)) ?? changed[0];
    if (!claim) return;
    const { server, slot, node, generation } = claim;
    this.actions.push({ kind: 'renew', server, slot, node, generation, config });
  }

  #release({ server, slot, node, generation }: ClaimRecord, reason: string): void {
    this.actions.push({ kind: 'release', server, slot, node, generation, reason });
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/**
 * Selects the node with the fewest slots that has no replica. If every node has one and that is allowed, selects the
 * node with the fewest replicas.
 */
function select(
  nodes: readonly PlannedNode[],
  { spread }: Place,
  here: ReadonlyMap<string, number>,
  isLeftOut: (node: string) => boolean,
): PlannedNode | undefined {
  let best: PlannedNode | undefined;
  for (const node of nodes) {
    if (best && node.load >= best.load) continue; // the cheapest test first: there may be 20,000 slots and 1,000 nodes
    if (!here.has(node.name) && !isLeftOut(node.name)) best = node;
  }
  if (best || spread === 'nodes') return best;
  const replicas = ({ name }: PlannedNode) => here.get(name) ?? 0;
  for (const node of nodes) {
    if (isLeftOut(node.name)) continue;
    if (!best || (replicas(node) - replicas(best) || node.load - best.load) < 0) best = node;
  }
  return best;
}

/** Why the node must not run the server, even if no other node can run it. */
function whyNotThere(
  { name, record }: { name: string; record: NodeRecord },
  { place: { labels, spread } }: ServerRecord,
  here: ReadonlyMap<string, number>,
): string | undefined {
  if (!hasLabels(record, labels)) {
    const missing = labels.filter((label) => !record.labels.includes(label));
    return `node ${name} does not have the label ${missing.join(', ')}`;
  }
  return spread === 'nodes' && here.has(name) ? `node ${name} runs another replica` : undefined;
}

function hasLabels(node: NodeRecord, labels: readonly string[]): boolean {
  return labels.every((label) => node.labels.includes(label));
}

const MOST_NAMES = 5;

export function reasonFor(
  { place }: ServerRecord,
  nodes: readonly PlannedNode[],
  here: ReadonlyMap<string, number>,
  refusals: ReadonlyMap<string, string> | undefined,
  silent: ReadonlySet<string>,
): string {
  if (nodes.length === 0) return 'the fleet has no nodes';
  const fitting = nodes.filter(({ record }) => place.labels.every((label) => record.labels.includes(label)));
  const which = place.labels.length === 0 ? '' : ` with ${labelsText(place.labels)}`;
  if (fitting.length === 0) return `no node has ${labelsText(place.labels)}`;
  const parts = [
    part(fitting, ({ record }) => record.draining, 'draining'),
    part(fitting, ({ name, record }) => !record.draining && silent.has(name), 'not answering'),
    part(
      fitting,
      (node) => !node.isEligible && !node.record.draining && !silent.has(node.name),
      'without a lease (it has ended, or cannot reach NATS)',
    ),
    part(
      fitting,
      ({ name, isEligible }) => isEligible && here.has(name),
      'running another replica ("spread": "nodes")',
    ),
  ].filter((text) => text !== '');
  const refused = fitting.filter(({ name, isEligible }) => isEligible && !here.has(name) && refusals?.has(name));
  const byReason = new Map<string, string[]>();
  for (const { name } of refused) {
    const reason = refusals!.get(name)!;
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  for (const [reason, names] of [...byReason].slice(0, MOST_NAMES))
    parts.push(`${listed(names)} refused it: ${reason}`);
  return `no node${which} can run it: ${parts.join('; ')}`;
}

export function whyItStays(tried: readonly string[], { node, failed }: ClaimRecord): string {
  return `it failed on ${listed(tried)}, and no other node may run it. On ${node}: ${failed}`;
}

function part(nodes: readonly PlannedNode[], is: (node: PlannedNode) => boolean | undefined, text: string): string {
  const names = nodes.filter(is).map(({ name }) => name);
  if (names.length === 0) return '';
  return `${listed(names)} ${names.length === 1 ? 'is' : 'are'} ${text}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function labelsText(labels: readonly string[]): string {
  return labels.length === 1 ? `the label ${labels[0]}` : `the labels ${labels.join(', ')}`;
}
