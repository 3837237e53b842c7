// The nodes that run the fleet servers of a host, for `standpipe ls` on a node.

import type { HostAccess } from '../../../host/control/host-access.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';

/** `slot` and `generation` are absent for a server of the node's own config. */
export interface RunsOn {
  node: string;
  slot?: number;
  generation?: number;
}

export type ListedServer = ServerStatus & { runsOn?: RunsOn[] };

const MOST_SHOWN = 3;

/** Queries the fleet only if the host has servers of a fleet. */
export async function withNodes(host: HostAccess, servers: readonly ServerStatus[]): Promise<ListedServer[]> {
  if (!servers.some(isOfFleet)) return [...servers];
  const fleet = await host.control('standpipe/fleet').catch(() => undefined);
  if (!fleet) return [...servers]; // their addresses are shown
  const placed = new Map(fleet.servers.map((server) => [server.name, server.replicas]));
  return servers.map((server) => {
    if (!isOfFleet(server)) return server;
    const replicas = placed.get(server.name)?.filter(({ isInForce }) => isInForce);
    const runsOn = replicas?.map(({ node, slot, generation }) => ({ node, slot, generation }));
    return { ...server, runsOn: runsOn ?? ownerOf(server.name, fleet) };
  });
}

/** `two (generation 3)`. */
export function nodesText(runsOn: readonly RunsOn[]): string {
  if (runsOn.length === 0) return 'no node';
  const shown = runsOn.slice(0, MOST_SHOWN).map(({ node, generation }) => {
    return generation === undefined ? node : `${node} (generation ${generation})`;
  });
  const more = runsOn.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function isOfFleet({ url }: ServerStatus): boolean {
  return url?.startsWith('nats:') ?? false;
}

function ownerOf(name: string, { nodes }: FleetStatus): RunsOn[] {
  const node = name.slice(name.lastIndexOf('@') + 1);
  return nodes.some((each) => each.name === node && each.isAlive) ? [{ node }] : [];
}
