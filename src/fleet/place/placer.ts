// Gives the servers of the fleet to its nodes. Each node has a placer; the one that holds the lease `placer` is in charge. It knows
// nothing that the directory does not have, and each of its requests is checked by compare-and-set: one that was paused, or a
// second one, does no harm.
//
// At rest it sends one request a fifth of a lifetime: the list of leases. It plans when something has changed.

import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import type { Fabric } from '../fabric.ts';
import { NodeLease } from '../node/node-lease.ts';
import { keyOfServer, keyOfSlot } from '../subjects.ts';
import { FleetState } from './fleet-state.ts';
import { PlacerAttempts } from './placer-attempts.ts';
import { PlacerRequests } from './placer-requests.ts';
import { type FleetView, type Plan, plan, type Waiting } from './plan.ts';

export interface PlacerOptions {
  clock?: Clock | undefined;
  /**
   * How many nodes come before this one. Node 0 looks most often whether the lease is free, and the others the less often the later
   * they come: so many nodes cost few messages, and a free lease is found soon.
   */
  rank?: (() => number) | undefined;
  /** What people may want to know. */
  note?: ((text: string) => void) | undefined;
}

/** At a time. */
const MOST_NOTES = 5;
/** So that many changes at a time make few plans. */
const SOON_MS = 20;

export class Placer {
  readonly #fabric: Fabric;
  readonly #clock: Clock;
  readonly #rank: () => number;
  readonly #note: (text: string) => void;
  readonly #lease: NodeLease;
  #state: FleetState | undefined;
  #attempts = new PlacerAttempts();
  #waiting: readonly Waiting[] = [];
  /** Those of them that were noted, by `keyOfSlot`. */
  readonly #told = new Set<string>();
  #requests: PlacerRequests | undefined;
  #round: { timer: Timer; atMs: number } | undefined;
  /** A plan of a large fleet takes some time: the pauses between plans grow with it. */
  #pauseMs = SOON_MS;
  #listing: Timer | undefined;
  #trying: Timer | undefined;
  #isStopped = false;
  /** When NATS was last seen to be away. The other nodes may have lost their leases by that too. */
  #awayMs = Number.NEGATIVE_INFINITY;
  /** Until then, nodes without a lease are waited for. */
  #settledMs = 0;

  constructor(fabric: Fabric, node: string, options: PlacerOptions = {}) {
    this.#fabric = fabric;
    this.#clock = options.clock ?? systemClock;
    this.#rank = options.rank ?? (() => 0);
    this.#note = options.note ?? (() => undefined);
    this.#lease = new NodeLease(fabric, 'placer', node, { clock: options.clock });
    this.#lease.onLost = (reason) => {
      this.#note(`This node no longer places servers: ${reason}`);
      this.#awayMs = this.#clock.nowMs();
      this.#end();
      this.#tryLater();
    };
  }

  start(): void {
    void this.#try();
  }

  /** Another node can take over at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#trying?.cancel();
    this.#end();
    await this.#lease.release();
  }

  get isPlacing(): boolean {
    return this.#state !== undefined && this.#lease.isHeld;
  }

  /** The slots that run nowhere or cannot leave a drained node, with the reasons. Known only while it is placing. */
  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }

  async #try(): Promise<void> {
    const isHeld = await this.#lease.acquire().catch(() => false);
    if (this.#isStopped) return;
    const { isConnected, leases } = this.#fabric;
    const nowMs = this.#clock.nowMs();
    if (!isConnected) this.#awayMs = nowMs;
    if (!isHeld) return this.#tryLater();
    const wasAway = nowMs - this.#awayMs < 2 * leases.lifetimeMs;
    this.#settledMs = wasAway ? nowMs + leases.lifetimeMs / 2 : nowMs;
    this.#note('This node places the servers of the fleet');
    const state = new FleetState();
    this.#state = state;
    this.#attempts = new PlacerAttempts();
    try {
      await state.watch(this.#fabric);
      await state.listLeases(this.#fabric);
    } catch (error) {
      state.stop();
      if (this.#state !== state) return;
      this.#note(`The fleet cannot be read: ${toError(error).message}`);
      this.#end();
      await this.#lease.release();
      return this.#tryLater();
    }
    if (this.#state !== state) return state.stop();
    state.onChanged = () => this.#soon(this.#pauseMs);
    state.onClaim = (key, slot) => {
      const claim = state.claims.get(key)?.get(slot)?.value;
      this.#attempts.claimChanged(key, slot, claim?.held ? claim.node : undefined);
      if (claim?.held) this.#told.delete(keyOfSlot(claim.server, slot));
    };
    this.#requests = new PlacerRequests(this.#fabric, {
      attempts: this.#attempts,
      clock: this.#clock,
      configOf: (server) => state.servers.get(keyOfServer(server))?.revision ?? 0,
      mayAct: () => this.#state === state && this.#lease.isHeld,
      onDone: () => {
        if (this.#state === state) this.#soon(this.#pauseMs);
      },
      note: this.#note,
    });
    this.#soon(0);
    this.#listLater(state);
  }

  #tryLater(): void {
    if (this.#isStopped) return;
    this.#trying = this.#after((this.#fabric.leases.lifetimeMs / 8) * (1 + this.#rank()), () => void this.#try());
  }

  #listLater(state: FleetState): void {
    this.#listing = this.#after(this.#fabric.leases.lifetimeMs / 5, async () => {
      try {
        if ((await state.listLeases(this.#fabric)) && this.#state === state) this.#soon(0);
      } catch {
        // NATS is away: the next list, or the loss of the lease, follows
      }
      if (this.#state === state) this.#listLater(state);
    });
  }

  /** Plans after this time, if not before. */
  #soon(ms: number): void {
    const atMs = this.#clock.nowMs() + ms;
    if (this.#round && this.#round.atMs <= atMs) return;
    this.#round?.timer.cancel();
    const timer = this.#after(ms, () => {
      this.#round = undefined;
      this.#plan();
    });
    this.#round = { timer, atMs };
  }

  #plan(): void {
    const state = this.#state;
    if (!state || !this.#lease.isHeld) return;
    const nowMs = this.#clock.nowMs();
    const attempts = this.#attempts.at(nowMs, state);
    const isSettled = nowMs >= this.#settledMs;
    if (!isSettled) this.#soon(this.#settledMs - nowMs);
    const planned = plan(isSettled ? state : withLostNodes(state), attempts);
    this.#waiting = this.#withRefusals(planned);
    this.#tellWaiting();
    this.#pauseMs = Math.max(SOON_MS, 2 * (this.#clock.nowMs() - nowMs));
    this.#requests?.carryOut(planned.actions);
    // What was asked or refused is tried again after its time, even if nothing changes.
    if (attempts.nextMs < Number.POSITIVE_INFINITY) this.#soon(Math.max(this.#pauseMs, attempts.nextMs - nowMs));
  }

  /** A slot that a node has refused is placed again and again: it says why meanwhile. */
  #withRefusals({ actions, waiting }: Plan): Waiting[] {
    const again = actions.flatMap((action) => {
      const refusal = action.kind === 'place' && this.#attempts.lastRefusal(action.server, action.node);
      if (action.kind !== 'place' || !refusal) return [];
      const { server, slot, node } = action;
      return [{ server, slot, node: undefined, reason: `${node} refused it: ${refusal}` }];
    });
    return [...waiting, ...again];
  }

  /** Each slot once, until it runs. */
  #tellWaiting(): void {
    const all = new Map(this.#waiting.map((each) => [keyOfSlot(each.server, each.slot), each]));
    const fresh = [...all].filter(([key]) => !this.#told.has(key)).map(([, each]) => each);
    for (const { server, slot, node, reason } of fresh.slice(0, MOST_NOTES)) {
      this.#note(`${server} ${slot} ${node === undefined ? 'runs nowhere' : `stays on ${node}`}: ${reason}`);
    }
    const more = fresh.length - MOST_NOTES;
    if (more > 0) this.#note(`${more} more have no node: \`${ownCommand} fleet show\` says why`);
    for (const key of all.keys()) this.#told.add(key);
  }

  #end(): void {
    this.#state?.stop();
    this.#state = undefined;
    this.#requests = undefined;
    this.#told.clear();
    this.#waiting = [];
    this.#round?.timer.cancel();
    this.#round = undefined;
    this.#listing?.cancel();
  }

  #after(ms: number, callback: () => void): Timer {
    const timer = this.#clock.after(ms, callback);
    timer.keepAlive(false);
    return timer;
  }
}

/** Nodes without a lease count as alive: what they had is not moved, and their records stay. */
function withLostNodes({ servers, nodes, claims, leases }: FleetView): FleetView {
  return { servers, nodes, claims, leases: new Set([...leases, ...nodes.keys()]) };
}
