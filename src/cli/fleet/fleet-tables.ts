// `standpipe ls --fleet`: the nodes of a fleet, and which of them runs what.

import { visibleLine } from '../../base/terminal/visible.ts';
import type { FleetServerStatus, FleetStatus, NodeStatus, ReplicaStatus } from '../../fleet/fleet-status.ts';
import type { ServerState } from '../../host/supervision/server-state.ts';
import { describeUptime, stateColours } from '../commands/ls.ts';
import type { Invocation } from '../invocation.ts';
import { type Cell, printRows, type Row } from '../output/table.ts';

/** The state of a server of a node's host. */
export type StateOnNode = (node: string, server: string) => ServerState | undefined;

export function printFleet(fleet: FleetStatus, stateOf: StateOnNode, out: Invocation['out']): void {
  const { nodes, servers, self, isConnected } = fleet;
  printRows(
    out,
    ['NODE', 'STATE', 'AGE', 'LABELS', 'OWN SERVERS', 'VERSION', 'HOST', 'GATEWAY'],
    nodes.map((node) => nodeRow(node, fleet)),
  );
  if (servers.length > 0) {
    out.write('\n');
    printRows(
      out,
      ['SERVER', 'REPLICA', 'NODE', 'GENERATION', 'STATE'],
      servers.flatMap((server) => server.replicas.map((replica) => replicaRow(server, replica, stateOf))),
    );
  }
  const where = self === undefined ? '' : `, as node ${visibleLine(self)} sees it`;
  out.say(`Fleet ${visibleLine(fleet.fleet)}${where}.`);
  if (!isConnected) out.say('The connection to NATS is lost: this is what was known before.');
  if (servers.length === 0) out.say('The fleet has no servers: `standpipe fleet apply FILE` adds those of a config.');
}

function nodeRow(node: NodeStatus, { self, placer }: FleetStatus): Row {
  const { name, labels, offers, version, hostname, pid, url, startedAt } = node;
  const marks = [...(name === self ? ['this node'] : []), ...(name === placer ? ['places'] : [])];
  return [
    marks.length === 0 ? name : `${name} (${marks.join(', ')})`,
    nodeState(node),
    describeUptime(Math.max(0, Date.now() - Date.parse(startedAt))),
    labels.join(', '),
    offers.join(', '),
    version,
    `${hostname}, process ${pid}`,
    url ?? '',
  ];
}

function nodeState({ isAlive, draining }: NodeStatus): Cell {
  if (!isAlive) return { text: 'lost', colour: 'red' };
  return draining ? { text: 'draining', colour: 'yellow' } : { text: 'alive', colour: 'green' };
}

function replicaRow({ name, place }: FleetServerStatus, replica: ReplicaStatus, stateOf: StateOnNode): Row {
  const { slot, node, generation, isInForce, reason } = replica;
  const which = `${slot} of ${place.replicas}`;
  if (!isInForce) return [name, which, '-', String(generation), { text: `nowhere: ${reason ?? ''}`, colour: 'red' }];
  const state = stateOf(node, `${name}#${slot}`);
  const text = `${state ?? 'placed'}${reason === undefined ? '' : ` (${reason})`}`;
  return [name, which, node, String(generation), { text, colour: state && stateColours[state] }];
}
