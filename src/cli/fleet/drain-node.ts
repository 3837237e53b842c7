// Marks a node as drained, and follows its claims until none is left that can move.

import type { Clock } from '../../base/clock.ts';
import { PeerError, UsageError } from '../../base/errors.ts';
import { visibleLine } from '../../base/terminal/visible.ts';
import { pause } from '../../base/wait.ts';
import { hintOfNames } from '../../config/nearest.ts';
import type { ClaimRecord, Fabric } from '../../fleet/fabric.ts';
import { FleetState } from '../../fleet/place/fleet-state.ts';
import { isInForce, plan, type Waiting } from '../../fleet/place/plan.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';

const DEFAULT_WAIT_MS = 5 * 60_000;
const LOOK_MS = 200;

export async function setDraining(fabric: Fabric, name: string, draining: boolean): Promise<void> {
  const { nodes } = fabric.directory;
  for (;;) {
    const entry = await nodes.get(name);
    if (!entry) {
      const names = [...(await nodes.keys())].sort();
      throw new UsageError('NAME_UNKNOWN', `The fleet "${fabric.fleet}" has no node "${name}"`, {
        hint: hintOfNames(name, names, 'It has no nodes.'),
      });
    }
    if (entry.value.draining === draining) return;
    // The node changes its record too: then it is read again.
    if ((await nodes.update(name, { ...entry.value, draining }, entry.revision)) !== undefined) return;
  }
}

export async function whenDrained(fabric: Fabric, node: string, invocation: Invocation, clock: Clock): Promise<number> {
  const { out, settings, signal } = invocation;
  const waitMs = settings.timeoutMs ?? DEFAULT_WAIT_MS;
  const untilMs = clock.nowMs() + waitMs;
  const state = new FleetState();
  const moved = new Map<string, ClaimRecord>();
  try {
    await state.watch(fabric);
    await state.listLeases(fabric);
    const here = claimsOf(state, node);
    if (!out.json) out.say(`Node ${visibleLine(node)} is drained: ${here.length} to move.`);
    if (here.length > 0 && !(await fabric.leases.table.get('placer'))) {
      out.say('No node places servers at the moment: nothing moves until one does.');
    }
    out.activity.begin(`moving the servers of ${node}`);
    for (const claim of here) moved.set(slotText(claim), claim);
    const shown = new Set<string>();
    for (;;) {
      tellMoves(state, node, moved, shown, invocation);
      const left = claimsOf(state, node);
      const stuck = plan(state).waiting.filter((each) => each.node === node);
      if (left.length === stuck.length) return report(state, node, moved, stuck, invocation);
      if (clock.nowMs() > untilMs) {
        throw new PeerError(
          'REQUEST_TIMEOUT',
          `After ${waitMs} ms node ${node} still runs ${left.map(slotText).join(', ')}`,
          {
            hint: 'It is still drained: wait longer with --timeout, or look at `standpipe ls --fleet`.',
          },
        );
      }
      await pause(clock, LOOK_MS, signal);
      await state.listLeases(fabric);
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
  stuck: readonly Waiting[],
  { out }: Invocation,
): number {
  const stays = stuck.map(({ server, slot, reason }) => ({ server, slot, reason }));
  const servers = [...moved.values()].map((claim) => ({
    server: claim.server,
    slot: claim.slot,
    node: placeNow(state, claim) ?? null,
  }));
  const own = state.nodes.get(node)?.value.offers ?? [];
  if (out.json) out.document({ node, draining: true, servers, stays, own });
  else {
    for (const { server, slot, reason } of stays) out.say(visibleLine(`${server} ${slot} stays: ${reason}`));
    if (stays.length === 0) out.say(visibleLine(`Node ${node} runs no server of the fleet any more.`));
    if (own.length > 0) out.say(visibleLine(`Its own servers stay: ${own.join(', ')}`));
  }
  return stays.length > 0 ? ExitCode.server : ExitCode.done;
}

function slotText({ server, slot }: ClaimRecord): string {
  return `${server} ${slot}`;
}
