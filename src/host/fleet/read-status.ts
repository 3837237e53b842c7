// Reads the status of a fleet as plain data: for `ls --fleet`, the Inspector and metrics.

import type { ClusterNetwork } from './cluster-network.ts';
import type { FleetServerStatus, FleetStatus, NodeStatus, ReplicaStatus } from './fleet-status.ts';
import { askNode } from './node/answer-node-requests.ts';
import { readFleet } from './place/fleet-state.ts';
import { type FleetView, isEnabled, isInForce, plan, type WaitingSlot } from './place/plan.ts';

const PLACER_MS = 1_000;

/** `self`: the reporting node, if any. `known`: the current state of the fleet, if it need not be read. */
export async function readFleetStatus(network: ClusterNetwork, self?: string, known?: FleetView): Promise<FleetStatus> {
  const [view, lease] = await Promise.all([known ?? readFleet(network), network.leases.table.get('placer')]);
  const placer = lease?.value.node;
  return fleetStatusOf(view, { network, self, placer, waiting: await waitingAtPlacer(network, placer) });
}

interface ReportedBy {
  network: ClusterNetwork;
  self: string | undefined;
  placer: string | undefined;
  waiting: readonly WaitingSlot[];
}

export function fleetStatusOf(view: FleetView, { network, self, placer, waiting }: ReportedBy): FleetStatus {
  const reasons = new Map<string, string>();
  for (const each of [...plan(view).waiting, ...waiting]) {
    reasons.set(slotOf(each.server, each.slot, each.node !== undefined), each.reason);
  }
  const { fleet, isConnected } = network;
  const nodes = [...view.nodes.values()].map(
    ({ value }): NodeStatus => ({ ...value, isAlive: view.leases.has(value.name) }),
  );
  return {
    fleet,
    self,
    isConnected,
    placer,
    nodes: nodes.sort(byName),
    servers: [...view.servers.keys()].map((key) => serverStatus(key, view, reasons)).sort(byName),
  };
}

/** The placer also knows which nodes refused a slot. If it does not answer, those reasons are missing. */
export async function waitingAtPlacer(
  network: ClusterNetwork,
  node: string | undefined,
): Promise<readonly WaitingSlot[]> {
  if (node === undefined) return [];
  const asked = askNode(network, node, 'standpipe/placement', {}, PLACER_MS);
  return asked.then(({ waiting }) => waiting).catch(() => []);
}

function serverStatus(key: string, view: FleetView, reasons: ReadonlyMap<string, string>): FleetServerStatus {
  const record = view.servers.get(key)!.value;
  const { name, place } = record;
  const claims = view.claims.get(key) ?? new Map();
  const wanted = Array.from({ length: place.replicas }, (_, index) => index + 1);
  const beyond = [...claims.keys()].filter((slot) => slot > place.replicas && claims.get(slot)!.value.held);
  const replicas = [...wanted, ...beyond].map((slot): ReplicaStatus => {
    const claim = claims.get(slot)?.value;
    const { node = '', generation = 0, held = false } = claim ?? {};
    const isRunning = claim !== undefined && isInForce(claim, view);
    const why = isEnabled(record) ? reasons.get(slotOf(name, slot, isRunning)) : 'the server is disabled';
    return { slot, node, generation, held, isInForce: isRunning, reason: why };
  });
  return { name, place, replicas };
}

function slotOf(server: string, slot: number, isRunning: boolean): string {
  return `${slot} ${isRunning} ${server}`;
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}
