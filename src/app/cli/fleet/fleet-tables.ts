// `standpipe ls --fleet`: tables of the nodes and servers of a fleet.

import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { FleetServerStatus, FleetStatus, NodeStatus, ReplicaStatus } from '../../../host/fleet/fleet-status.ts';
import { isAway, type ServerStatus } from '../../../host/supervision/server-state.ts';
import { describeUptime, stateColours } from '../commands/ls.ts';
import type { Invocation } from '../invocation.ts';
import { type Cell, causeOf, printRows, type Row } from '../output/table.ts';

/** State of a server as its node reports it. Undefined if the state is unknown or the node does not have the server. */
export type StateOnNode = (node: string, server: string) => ServerStatus | undefined;

/** One replica as shown in a table; `why` is printed below it if the window is narrow. */
interface ShownReplica extends Cell {
  server: string;
  slot: number;
  node: string | undefined;
  generation: number;
  why?: string | undefined;
  hint?: string | undefined;
}

const FAILED_HINT = `\`${ownCommand} logs SERVER\` shows the output of a failed server, \`${ownCommand} restart SERVER\` restarts it.`;
const PLACED_SOON = 'it is about to be placed';

export function printFleet(fleet: FleetStatus, stateOf: StateOnNode, out: Invocation['out']): void {
  const { nodes, servers, self, placer, isConnected } = fleet;
  const stateOfNode = (node: NodeStatus) => nodeRow(node, fleet);
  printRows(
    out,
    ['NODE', 'STATE', 'AGE', 'LABELS', 'OWN SERVERS', 'VERSION', 'HOST', 'GATEWAY'],
    nodes.map(stateOfNode),
  );
  const replicas = servers.flatMap((server) => server.replicas.map((each) => shown(server, each, fleet, stateOf)));
  if (servers.length > 0) {
    out.write('\n');
    const placeOf = new Map(servers.map(({ name, place }) => [name, place.replicas]));
    const rows = replicas.map((each) => replicaRow(each, placeOf.get(each.server)!, out.onTerminal));
    printRows(out, ['SERVER', 'REPLICA', 'NODE', 'GENERATION', 'STATE'], rows);
  }
  if (out.onTerminal) sayReasons(replicas, out);
  const where = self === undefined ? '' : `, as node ${visibleLine(self)} sees it`;
  const places = placer === undefined ? 'No node places servers' : `Node ${visibleLine(placer)} places servers`;
  out.say(`Fleet ${visibleLine(fleet.fleet)}${where}.${isConnected ? ` ${places}.` : ''}`);
  if (!isConnected)
    out.say(
      'This node is not connected to NATS and shows its last known state. It reconnects as soon as NATS can be reached.',
    );
  for (const hint of new Set(replicas.flatMap((each) => each.hint ?? []))) {
    out.tell('hint', visibleLine(hint));
  }
  if (servers.length === 0 && isConnected)
    out.say(`The fleet has no servers: \`${ownCommand} fleet apply FILE\` adds those of a config.`);
}

export function whyNowhere(replicas: readonly ReplicaStatus[], placer: string | undefined): string {
  const known = replicas.find(({ reason }) => reason !== undefined)?.reason;
  return known ?? (placer === undefined ? 'no node places servers' : PLACED_SOON);
}

function nodeRow(node: NodeStatus, fleet: FleetStatus): Row {
  const { name, labels, offers, version, hostname, url, startedAt } = node;
  return [
    name,
    nodeState(node, fleet),
    describeUptime(Math.max(0, Date.now() - Date.parse(startedAt))),
    labels.join(', '),
    offers.join(', '),
    version,
    hostname,
    url ?? '',
  ];
}

function nodeState({ name, isAlive, draining }: NodeStatus, { isConnected, self }: FleetStatus): Cell {
  if (!isConnected) return { text: name === self ? 'no NATS' : 'unknown', colour: 'yellow' };
  if (!isAlive) return { text: 'lost', colour: 'red' };
  return draining ? { text: 'draining', colour: 'yellow' } : { text: 'alive', colour: 'green' };
}

function shown(
  { name, place }: FleetServerStatus,
  replica: ReplicaStatus,
  { self, placer, isConnected }: FleetStatus,
  stateOf: StateOnNode,
): ShownReplica {
  const { slot, node, generation, isInForce, reason } = replica;
  const known = { server: name, slot, node: isInForce ? node : undefined, generation };
  if (!isInForce) {
    const why = whyNowhere([replica], placer);
    return { ...known, text: 'nowhere', colour: 'red', why, hint: reason && hintFor(reason, place.labels) };
  }
  if (!isConnected && node !== self) return { ...known, text: 'unknown', colour: 'yellow' };
  const status = stateOf(node, `${name}#${slot}`);
  if (!status) return { ...known, text: isConnected ? 'placed' : 'stopped', why: stuck(reason) };
  const { state, lastError } = status;
  const colour = stateColours[state];
  if (!isAway(state) && state !== 'backoff') return { ...known, text: state, colour, why: stuck(reason) };
  return { ...known, text: state, colour, why: causeOf(lastError ?? status.reason), hint: FAILED_HINT };
}

function stuck(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : `cannot move: ${reason}`;
}

/** Matches the texts of `reasonFor`. */
function hintFor(reason: string, labels: readonly string[]): string | undefined {
  if (reason.includes('disabled')) return undefined;
  if (reason.startsWith('no node has')) {
    return `Start a node with --labels ${labels.join(',')}, or change the labels of the server with \`${ownCommand} fleet apply\`.`;
  }
  if (reason.includes('refused it')) {
    return 'Fix the reported problem on a node, or start another node that can run it. To set a missing variable, restart the node with it.';
  }
  if (reason.includes('draining'))
    return `A drained node accepts servers again after \`${ownCommand} drain NODE --undo\`.`;
  return 'Start another node that can run it.';
}

function replicaRow(
  { server, slot, node, generation, text, colour, why }: ShownReplica,
  of: number,
  isNarrow: boolean,
): Row {
  const state = why === undefined || isNarrow ? text : `${text}: ${why}`;
  return [server, `${slot} of ${of}`, node ?? '-', String(generation || '-'), { text: state, colour }];
}

/** One line for all replicas of a server with the same reason. */
function sayReasons(replicas: readonly ShownReplica[], out: Invocation['out']): void {
  const slotsBy = new Map<string, { server: string; slots: number[]; text: string }>();
  for (const { server, slot, text, why } of replicas) {
    if (why === undefined) continue;
    const line = { server, slots: [], text: `${text}: ${why}` };
    const known = slotsBy.get(`${server} ${line.text}`) ?? line;
    slotsBy.set(`${server} ${line.text}`, { ...known, slots: [...known.slots, slot] });
  }
  for (const { server, slots, text } of slotsBy.values())
    out.say(visibleLine(`${server} ${slots.join(', ')}: ${text}`));
}

/** The document of --json, with the state of each replica from its node and without the protocol fields of the answer. */
export function fleetDocument({ fleet, self, isConnected, placer, nodes, servers }: FleetStatus, stateOf: StateOnNode) {
  const withStates = servers.map((server) => ({
    ...server,
    replicas: server.replicas.map((replica) => {
      const { state, pid, uptimeMs, restarts, lastError } =
        (replica.isInForce && stateOf(replica.node, `${server.name}#${replica.slot}`)) || {};
      const reason = replica.isInForce ? replica.reason : whyNowhere([replica], placer);
      return { ...replica, reason, state, pid, uptimeMs, restarts, lastError };
    }),
  }));
  return { fleet, self, isConnected, placer, nodes, servers: withStates };
}
