// `standpipe drain`: moves the servers of the fleet from a node to other nodes. Prints each move, and ends when each replica runs elsewhere or
// has a reason why it cannot.

import { systemClock } from '../../../base/clock.ts';
import { PeerError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { pause } from '../../../base/wait.ts';
import { hintOfNames } from '../../../config/nearest.ts';
import type { ClaimRecord, ClusterNetwork } from '../../../host/fleet/cluster-network.ts';
import { FleetState } from '../../../host/fleet/place/fleet-state.ts';
import { isEnabled, isInForce, plan, type WaitingSlot } from '../../../host/fleet/place/plan.ts';
import { waitingAtPlacer } from '../../../host/fleet/read-status.ts';
import { keyOfServer } from '../../../host/fleet/subjects.ts';
import { ExitCode } from '../exit-code.ts';
import { addFleetOptions, type FleetOptions } from '../fleet/fleet-options.ts';
import { withNetwork } from '../fleet/reach-fleet.ts';
import { type CommandBody, type CommandModule, type Invocation, invalidOption } from '../invocation.ts';
import { help } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('<node>', 'name of the node')
    .option('--undo', 'let the node receive servers again; none is moved back');
  addFleetOptions(command);
  help(
    command,
    `A server stops on the node when its pending calls are answered, then starts on
another node. A server that no other node may run stays: the command prints the
reason and exits with code 3. Servers from the node's own config are not moved.
The node stays drained until --undo or until it restarts.`,
    'drain build-1 --join nats://10.0.0.1',
    'drain build-1 --timeout 2m',
    'drain build-1 --undo',
  );
  command.action(run(drain));
};

const drain: CommandBody = async (invocation, [node], given) => {
  const { undo = false, ...options } = given as FleetOptions & { undo?: boolean };
  if (node === undefined) throw invalidOption('No node was given');
  return withNetwork(invocation, options, async (network) => {
    if (!undo) return drainNode(network, node, invocation);
    await setDraining(network, node, false);
    if (invocation.out.json) invocation.out.document({ node, draining: false });
    else invocation.out.say(`Node ${node} can receive servers again.`);
    return undefined;
  });
};

const DEFAULT_WAIT_MS = 5 * 60_000;
const LOOK_MS = 200;

async function setDraining(network: ClusterNetwork, name: string, draining: boolean): Promise<void> {
  const { nodes } = network.directory;
  for (;;) {
    const entry = await nodes.get(name);
    if (!entry) {
      const names = [...(await nodes.keys())].sort();
      throw new UsageError('NAME_UNKNOWN', `The fleet "${network.fleet}" has no node "${name}"`, {
        hint: hintOfNames(name, names, 'It has no nodes.'),
      });
    }
    if (entry.value.draining === draining) return;
    // The node also changes its record: on a conflict the record is read again.
    if ((await nodes.update(name, { ...entry.value, draining }, entry.revision)) !== undefined) return;
  }
}

/** Resolves when the node has no replica left that can move. */
async function drainNode(network: ClusterNetwork, node: string, invocation: Invocation): Promise<number> {
  const { out, settings, signal } = invocation;
  const waitMs = settings.timeoutMs ?? DEFAULT_WAIT_MS;
  const untilMs = systemClock.nowMs() + waitMs;
  const state = new FleetState();
  const moved = new Map<string, ClaimRecord>();
  try {
    await state.watch(network);
    await state.listLeases(network);
    const here = claimsOf(state, node); // the claims are read before one of them can move
    await setDraining(network, node, true);
    if (!out.json) out.say(`Node ${visibleLine(node)} is draining: ${counted(here.length, 'replica')} to move.`);
    if (here.length > 0 && !(await placerOf(network))) {
      out.say('No node places servers: replicas move only after a node has started to place them.');
    }
    out.activity.begin(`moving the servers of ${node}`);
    for (const claim of here) moved.set(slotText(claim), claim);
    const shown = new Set<string>();
    for (;;) {
      tellMoves(state, node, moved, shown, invocation);
      const left = claimsOf(state, node);
      const stuck = plan(state).waiting.filter((each) => each.node === node);
      if (left.length === stuck.length) {
        const nowhere = await whyNowhere(network, state, moved);
        if (nowhere) return report(state, node, moved, { stuck, nowhere }, invocation);
      }
      if (systemClock.nowMs() > untilMs) {
        throw new PeerError('REQUEST_TIMEOUT', timeoutText(waitMs, node, left), {
          hint: `The node stays drained. Wait longer with --timeout, or check \`${ownCommand} ls --fleet\`.`,
        });
      }
      await pause(systemClock, LOOK_MS, signal);
      await state.listLeases(network);
    }
  } finally {
    out.activity.end();
    state.stop();
  }
}

function claimsOf(state: FleetState, node: string): ClaimRecord[] {
  const all = [...state.claims.values()].flatMap((slots) => [...slots.values()].map(({ value }) => value));
  return all.filter((claim) => claim.node === node && isInForce(claim, state));
}

function timeoutText(waitMs: number, node: string, left: readonly ClaimRecord[]): string {
  if (left.length > 0) return `After ${waitMs} ms node ${node} still runs ${left.map(slotText).join(', ')}`;
  return `After ${waitMs} ms some replicas of node ${node} do not run elsewhere yet`;
}

async function placerOf({ leases }: ClusterNetwork): Promise<string | undefined> {
  return (await leases.table.get('placer'))?.value.node;
}

/** Slots that have left the node and run nowhere, with reasons. Undefined while one of them is still to be placed. */
async function whyNowhere(
  network: ClusterNetwork,
  state: FleetState,
  moved: ReadonlyMap<string, ClaimRecord>,
): Promise<WaitingSlot[] | undefined> {
  const homeless = [...moved.values()].filter((claim) => isWanted(state, claim) && !placeNow(state, claim));
  if (homeless.length === 0) return [];
  const known = await waitingAtPlacer(network, await placerOf(network));
  const reasons = homeless.map(({ server, slot }) =>
    known.find((each) => each.server === server && each.slot === slot),
  );
  return reasons.some((reason) => reason === undefined) ? undefined : (reasons as WaitingSlot[]);
}

function isWanted(state: FleetState, { server, slot }: ClaimRecord): boolean {
  const record = state.servers.get(keyOfServer(server))?.value;
  return record !== undefined && isEnabled(record) && slot <= record.place.replicas;
}

function placeNow(state: FleetState, { server, slot }: ClaimRecord): string | undefined {
  for (const slots of state.claims.values()) {
    const claim = slots.get(slot)?.value;
    if (claim?.server === server && isInForce(claim, state)) return claim.node;
  }
  return undefined;
}

function tellMoves(
  state: FleetState,
  node: string,
  moved: ReadonlyMap<string, ClaimRecord>,
  shown: Set<string>,
  { out }: Invocation,
): void {
  if (out.json) return;
  for (const [text, claim] of moved) {
    const now = placeNow(state, claim);
    if (now === undefined || now === node || shown.has(text)) continue;
    shown.add(text);
    out.say(visibleLine(`${text} runs on ${now}`));
  }
}

function report(
  state: FleetState,
  node: string,
  moved: ReadonlyMap<string, ClaimRecord>,
  { stuck, nowhere }: { stuck: readonly WaitingSlot[]; nowhere: readonly WaitingSlot[] },
  { out }: Invocation,
): number {
  const servers = [...moved.values()].map((claim) => ({
    server: claim.server,
    slot: claim.slot,
    node: placeNow(state, claim) ?? null,
  }));
  const own = state.nodes.get(node)?.value.offers ?? [];
  if (out.json)
    out.document({ node, draining: true, servers, stays: stuck.map(plain), nowhere: nowhere.map(plain), own });
  else {
    for (const { server, slot, reason } of stuck) out.say(visibleLine(`${server} ${slot} stays: ${reason}`));
    for (const { server, slot, reason } of nowhere) out.say(visibleLine(`${server} ${slot} runs nowhere: ${reason}`));
    if (stuck.length === 0) out.say(visibleLine(`Node ${node} no longer runs a server of the fleet.`));
    if (own.length > 0) out.say(visibleLine(`Its own servers stay: ${own.join(', ')}`));
  }
  return stuck.length + nowhere.length > 0 ? ExitCode.server : ExitCode.done;
}

function plain({ server, slot, reason }: WaitingSlot): Omit<WaitingSlot, 'node'> {
  return { server, slot, reason };
}

function slotText({ server, slot }: ClaimRecord): string {
  return `${server} ${slot}`;
}
