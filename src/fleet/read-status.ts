// What is known of a fleet, as plain data: for `ls --fleet`, the Inspector and metrics.

import type { Fabric } from './fabric.ts';
import type { FleetServerStatus, FleetStatus, ReplicaStatus } from './fleet-status.ts';
import { readFleet } from './place/fleet-state.ts';
import { type FleetView, isInForce, plan, type Waiting } from './place/plan.ts';

/** `self`: the node that reports it, if one does. */
export async function readFleetStatus(fabric: Fabric, self?: string): Promise<FleetStatus> {
  const [view, placer] = await Promise.all([readFleet(fabric), fabric.leases.table.get('placer')]);
  const { waiting } = plan(view);
  const { fleet, isConnected } = fabric;
  const nodes = [...view.nodes.values()].map(({ value }) => ({ ...value, isAlive: view.leases.has(value.name) }));
  return {
    fleet,
    self,
    isConnected,
    placer: placer?.value.node,
    nodes: nodes.sort(byName),
    servers: [...view.servers.keys()].map((key) => serverStatus(key, view, waiting)).sort(byName),
  };
}

function serverStatus(key: string, view: FleetView, waiting: readonly Waiting[]): FleetServerStatus {
  const { name, place } = view.servers.get(key)!.value;
  const claims = view.claims.get(key) ?? new Map();
  const wanted = Array.from({ length: place.replicas }, (_, index) => index + 1);
  const beyond = [...claims.keys()].filter((slot) => slot > place.replicas && claims.get(slot)!.value.held);
  const replicas = [...wanted, ...beyond].map((slot): ReplicaStatus => {
    const claim = claims.get(slot)?.value;
    const { node = '', generation = 0, held = false } = claim ?? {};
    const why = waiting.find((each) => each.server === name && each.slot === slot)?.reason;
    return { slot, node, generation, held, isInForce: claim !== undefined && isInForce(claim, view), reason: why };
  });
  return { name, place, replicas };
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}
