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
  const { nodes, servers, self, placer, isConnected } = fleet;
  printRows(out, ['NODE', 'STATE', 'AGE', 'LABELS', 'OWN SERVERS', 'VERSION', 'HOST', 'GATEWAY'], nodes.map(nodeRow));
  if (servers.length > 0) {
    out.write('\n');
    printRows(
      out,
      ['SERVER', 'REPLICA', 'NODE', 'GENERATION', 'STATE'],
      servers.flatMap((server) =>
        server.replicas.map((replica) => replicaRow(server, replica, stateOf, out.onTerminal)),
      ),
    );
  }
  if (out.onTerminal) for (const server of servers) sayReasons(server, out);
  const where = self === undefined ? '' : `, as node ${visibleLine(self)} sees it`;
  const places = placer === undefined ? 'No node places servers' : `Node ${visibleLine(placer)} places servers`;
  out.say(`Fleet ${visibleLine(fleet.fleet)}${where}. ${places}.`);
  if (!isConnected) out.say('The connection to NATS is lost: this is what was known before.');
  if (servers.length === 0) out.say('The fleet has no servers: `standpipe fleet apply FILE` adds those of a config.');
}

function nodeRow(node: NodeStatus): Row {
  const { name, labels, offers, version, hostname, url, startedAt } = node;
  return [
    name,
    nodeState(node),
    describeUptime(Math.max(0, Date.now() - Date.parse(startedAt))),
    labels.join(', '),
    offers.join(', '),
    version,
    hostname,
    url ?? '',
  ];
}

function nodeState({ isAlive, draining }: NodeStatus): Cell {
  if (!isAlive) return { text: 'lost', colour: 'red' };
  return draining ? { text: 'draining', colour: 'yellow' } : { text: 'alive', colour: 'green' };
}

/** `isNarrow`: reasons are too long for the table, and stand below it. */
function replicaRow(
  { name, place }: FleetServerStatus,
  replica: ReplicaStatus,
  stateOf: StateOnNode,
  isNarrow: boolean,
): Row {
  const { slot, node, generation, isInForce, reason } = replica;
  const which = `${slot} of ${place.replicas}`;
  const why = isNarrow ? undefined : reason;
  if (!isInForce) {
    const text = `nowhere${why === undefined ? '' : `: ${why}`}`;
    return [name, which, '-', String(generation || '-'), { text, colour: 'red' }];
  }
  const state = stateOf(node, `${name}#${slot}`);
  const text = `${state ?? 'placed'}${why === undefined ? '' : ` (cannot move: ${why})`}`;
  return [name, which, node, String(generation), { text, colour: state && stateColours[state] }];
}

/** One line for all replicas with the same reason. */
function sayReasons({ name, replicas }: FleetServerStatus, out: Invocation['out']): void {
  const slotsBy = new Map<string, number[]>();
  for (const { slot, isInForce, reason } of replicas) {
    if (reason === undefined) continue;
    const text = `${isInForce ? 'cannot move' : 'nowhere'}: ${reason}`;
    slotsBy.set(text, [...(slotsBy.get(text) ?? []), slot]);
  }
  for (const [text, slots] of slotsBy) out.say(visibleLine(`${name} ${slots.join(', ')}: ${text}`));
}

/** Without what the protocol adds to the answer of a host. */
export function plainStatus({ fleet, self, isConnected, placer, nodes, servers }: FleetStatus): FleetStatus {
  return { fleet, self, isConnected, placer, nodes, servers };
}
