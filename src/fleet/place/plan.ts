// Which node runs which slot: a pure function of what is known of the fleet. The same view gives the same plan.
//
// A slot that runs stays where it is. It moves only from a node that is drained, that lacks a label of the server, or that has another
// replica of a server with `spread: "nodes"`. A slot without an owner goes to the eligible node with the fewest slots. A slot is placed
// elsewhere only after its claim has ended: so a plan that is made from an old view, or by two placers, starts no second process.

import type { ClaimRecord, Entry, NodeRecord, ServerRecord } from '../fabric.ts';
import { type Candidate, LeastLoaded } from './least-loaded.ts';
import { reasonFor } from './reasons.ts';

/** `servers` by key, `claims` by the key of their server and by slot. */
export interface FleetView {
  readonly servers: ReadonlyMap<string, Entry<ServerRecord>>;
  readonly nodes: ReadonlyMap<string, Entry<NodeRecord>>;
  /** The names of the nodes that have their lease. */
  readonly leases: ReadonlySet<string>;
  readonly claims: ReadonlyMap<string, ReadonlyMap<number, Entry<ClaimRecord>>>;
}

/** What the placer has learned from its requests. */
export interface Attempts {
  /** Slots that a node was asked to take and does not show as claimed yet, by the key of the server and by slot. */
  readonly placing: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Why nodes did not take a server, by its key and by node. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Nodes that do not answer: they get no more slots for now. */
  readonly silent: ReadonlySet<string>;
}

export type Action =
  | { kind: 'place'; server: string; slot: number; node: string; revision: number }
  | { kind: 'release'; server: string; slot: number; node: string; generation: number; reason: string }
  | { kind: 'renew'; server: string; slot: number; node: string; generation: number; config: number }
  | { kind: 'forget'; node: string; revision: number };

/** A slot that runs nowhere, or that runs on a node that it cannot leave. */
export interface Waiting {
  server: string;
  slot: number;
  /** Where it runs. */
  node: string | undefined;
  reason: string;
}

export interface Plan {
  actions: Action[];
  waiting: Waiting[];
}

/** A node with what is needed to select it. */
export interface PlannedNode extends Candidate {
  readonly record: NodeRecord;
  readonly isEligible: boolean;
}

export const noAttempts: Attempts = { placing: new Map(), refusals: new Map(), silent: new Set() };

export function plan(view: FleetView, attempts: Attempts = noAttempts): Plan {
  const planner = new Planner(view, attempts);
  for (const key of [...view.servers.keys()].sort()) planner.planServer(key);
  for (const key of view.claims.keys()) if (!view.servers.has(key)) planner.endRemoved(key);
  for (const [node, { revision }] of view.nodes) {
    if (!view.leases.has(node)) planner.actions.push({ kind: 'forget', node, revision });
  }
  return { actions: planner.actions, waiting: planner.waiting };
}

/** It is held, and its session has its lease. A session that its node has replaced has ended for good. */
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
  readonly waiting: Waiting[] = [];
  readonly #view: FleetView;
  readonly #attempts: Attempts;
  readonly #nodes = new Map<string, PlannedNode>();
  readonly #byLabels = new Map<string, LeastLoaded>();

  constructor(view: FleetView, attempts: Attempts) {
    this.#view = view;
    this.#attempts = attempts;
    [...view.nodes.keys()].sort().forEach((name, order) => {
      const { value: record } = view.nodes.get(name)!;
      const isEligible = view.leases.has(name) && !record.draining && !attempts.silent.has(name);
      this.#nodes.set(name, { name, order, load: 0, record, isEligible });
    });
    for (const slots of view.claims.values()) {
      for (const { value } of slots.values()) if (isInForce(value, view)) this.#addLoad(value.node);
    }
    for (const slots of attempts.placing.values()) for (const node of slots.values()) this.#addLoad(node);
  }

  planServer(key: string): void {
    const { value: record, revision: config } = this.#view.servers.get(key)!;
    const { name: server, place } = record;
    const replicas = isEnabled(record) ? place.replicas : 0;
    const placing = this.#attempts.placing.get(key);
    const refusals = this.#attempts.refusals.get(key);
    const claims = this.#view.claims.get(key);
    /** How many replicas each node has. */
    const here = new Map<string, number>();
    const add = (node: string) => here.set(node, (here.get(node) ?? 0) + 1);
    const ownerless: number[] = [];
    const leaving: ClaimRecord[] = [];
    for (let slot = 1; slot <= replicas; slot++) {
      const claim = claims?.get(slot)?.value;
      const asked = placing?.get(slot);
      if (claim && isInForce(claim, this.#view)) {
        const node = this.#nodes.get(claim.node);
        const wrong = node && this.#whyNotThere(node, record, here);
        if (wrong !== undefined) this.#release(claim, wrong);
        else if (node?.record.draining) leaving.push(claim);
        else this.#renew(claim, config);
        add(claim.node);
      } else if (asked !== undefined) add(asked);
      else ownerless.push(slot);
    }
    for (const [slot, { value }] of claims ?? []) {
      if (slot <= replicas || !isInForce(value, this.#view)) continue;
      this.#release(value, isEnabled(record) ? `"replicas" is ${replicas}` : 'the server is disabled');
    }
    if (ownerless.length === 0 && leaving.length === 0) return;

    const nodes = this.#nodesWith(place.labels);
    const isFree = ({ name }: Candidate) => !here.has(name) && !refusals?.has(name);
    const select = (): Candidate | undefined => {
      const free = nodes.take(isFree);
      if (free || place.spread === 'nodes') return free;
      const usable = nodes.aside.filter(({ name }) => !refusals?.has(name));
      const weight = ({ name, load, order }: Candidate) => [here.get(name) ?? 0, load, order];
      return usable.reduce<Candidate | undefined>(
        (best, node) => (best && !isLess(weight(node), weight(best)) ? best : node),
        undefined,
      );
    };
    const reason = () => reasonFor(record, [...this.#nodes.values()], here, refusals, this.#attempts.silent);
    for (const slot of ownerless) {
      const before = claims?.get(slot);
      const node = this.#ownerBefore(before?.value, record, isFree) ?? select();
      if (!node) {
        this.waiting.push({ server, slot, node: undefined, reason: reason() });
        continue;
      }
      this.actions.push({ kind: 'place', server, slot, node: node.name, revision: before?.revision ?? 0 });
      node.load++;
      add(node.name);
    }
    for (const claim of leaving) {
      // Only to know that there is one: it is selected again when the claim has ended.
      const node = select();
      if (node) {
        node.load++;
        add(node.name);
        this.#release(claim, `node ${claim.node} is drained`);
      } else {
        this.waiting.push({ server, slot: claim.slot, node: claim.node, reason: reason() });
        this.#renew(claim, config);
      }
    }
    nodes.restore();
  }

  endRemoved(key: string): void {
    for (const { value } of this.#view.claims.get(key)!.values()) {
      if (isInForce(value, this.#view)) this.#release(value, 'the fleet has no such server any more');
    }
  }

  #addLoad(name: string): void {
    const node = this.#nodes.get(name);
    if (node) node.load++;
  }

  /** These hold even if the slot then runs nowhere. */
  #whyNotThere(node: PlannedNode, { place }: ServerRecord, here: ReadonlyMap<string, number>): string | undefined {
    const missing = place.labels.filter((label) => !node.record.labels.includes(label));
    if (missing.length > 0) return `node ${node.name} does not have the label ${missing.join(', ')}`;
    if (place.spread === 'nodes' && here.has(node.name)) return `node ${node.name} runs another replica`;
    return undefined;
  }

  /** The node that lost its lease while it had the slot, and is back. */
  #ownerBefore(
    claim: ClaimRecord | undefined,
    { place }: ServerRecord,
    isFree: (node: Candidate) => boolean,
  ): Candidate | undefined {
    const node = claim?.held ? this.#nodes.get(claim.node) : undefined;
    return node?.isEligible && hasLabels(node.record, place.labels) && isFree(node) ? node : undefined;
  }

  #nodesWith(labels: readonly string[]): LeastLoaded {
    const key = [...labels].sort().join();
    const known = this.#byLabels.get(key);
    if (known) return known;
    const nodes = [...this.#nodes.values()].filter((node) => node.isEligible && hasLabels(node.record, labels));
    const made = new LeastLoaded(nodes);
    this.#byLabels.set(key, made);
    return made;
  }

  #renew({ server, slot, node, generation, config: before }: ClaimRecord, config: number): void {
    if (before !== config) this.actions.push({ kind: 'renew', server, slot, node, generation, config });
  }

  #release({ server, slot, node, generation }: ClaimRecord, reason: string): void {
    this.actions.push({ kind: 'release', server, slot, node, generation, reason });
  }
}

function hasLabels(node: NodeRecord, labels: readonly string[]): boolean {
  return labels.every((label) => node.labels.includes(label));
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}
