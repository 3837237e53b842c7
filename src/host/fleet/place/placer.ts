// Assigns the servers of the fleet to its nodes. Each node has a placer; the one that holds the lease `placer` is active. It uses
// only data from the directory, and each of its requests is checked by compare-and-set: a placer that was suspended, or a second one,
// does no harm.
// At rest it sends one request, the list of leases, per fifth of a lifetime. It plans when something has changed.

import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { NodeLease } from '../node/node-lease.ts';
import { keyOfServer, keyOfSlot } from '../subjects.ts';
import { FleetState, withAllNodes } from './fleet-state.ts';
import { PlacerAttempts, PlacerRequests } from './placer-attempts.ts';
import { type Plan, plan, type WaitingSlot } from './plan.ts';

export interface PlacerOptions {
  clock?: Clock | undefined;
  /**
   * Number of nodes before this one. Later nodes check less often whether the lease is free, so that many nodes cost few messages.
   */
  rank?: (() => number) | undefined;
  note?: ((text: string) => void) | undefined;
}

const MOST_NOTES = 5;
/** Delay that combines many changes into few plans. */
const SOON_MS = 20;

export class Placer {
  readonly #network: ClusterNetwork;
  readonly #clock: Clock;
  readonly #rank: () => number;
  readonly #note: (text: string) => void;
  readonly #lease: NodeLease;
  #state: FleetState | undefined;
  #attempts = new PlacerAttempts();
  #waiting: readonly WaitingSlot[] = [];
  /** Waiting slots that were already reported, by `keyOfSlot`. */
  readonly #told = new Set<string>();
  #requests: PlacerRequests | undefined;
  #round: { timer: Timer; atMs: number } | undefined;
  /** Planning a large fleet takes time: the pause between plans grows with it. */
  #pauseMs = SOON_MS;
  #listing: Timer | undefined;
  #trying: Timer | undefined;
  #isStopped = false;
  /** Time at which NATS was last seen to be disconnected. Other nodes may have lost their leases for the same reason. */
  #awayMs = Number.NEGATIVE_INFINITY;
  /** Until this time, nodes without a lease still count as alive. */
  #settledMs = 0;

  constructor(network: ClusterNetwork, node: string, options: PlacerOptions = {}) {
    this.#network = network;
    this.#clock = options.clock ?? systemClock;
    this.#rank = options.rank ?? (() => 0);
    this.#note = options.note ?? (() => undefined);
    this.#lease = new NodeLease(network, 'placer', node, { clock: options.clock });
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

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#trying?.cancel();
    this.#end();
    await this.#lease.release();
  }

  get isPlacing(): boolean {
    return this.#state !== undefined && this.#lease.isHeld;
  }

  /** Slots that run nowhere or cannot leave a drained node, with the reasons. Known only while this node is placing. */
  get waiting(): readonly WaitingSlot[] {
    return this.#waiting;
  }

  async #try(): Promise<void> {
    const isHeld = await this.#lease.acquire().catch(() => false);
    if (this.#isStopped) return;
    const { isConnected, leases } = this.#network;
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
      await state.watch(this.#network);
      await state.listLeases(this.#network);
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
    state.onClaim = (key, claim) => {
      this.#attempts.claimChanged(key, claim?.held ? claim : undefined);
      if (claim?.held) this.#told.delete(key);
    };
    this.#requests = new PlacerRequests(this.#network, {
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
    this.#trying = this.#after((this.#network.leases.lifetimeMs / 8) * (1 + this.#rank()), () => void this.#try());
  }

  #listLater(state: FleetState): void {
    this.#listing = this.#after(this.#network.leases.lifetimeMs / 5, async () => {
      try {
        if ((await state.listLeases(this.#network)) && this.#state === state) this.#soon(0);
      } catch {
        // NATS is disconnected: the next list, or the loss of the lease, follows
      }
      if (this.#state === state) this.#listLater(state);
    });
  }

  /** Plans after this time, or earlier if a plan is already due. */
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
    const planned = plan(isSettled ? state : withAllNodes(state), attempts);
    this.#waiting = this.#withRefusals(planned);
    this.#tellWaiting();
    this.#pauseMs = Math.max(SOON_MS, 2 * (this.#clock.nowMs() - nowMs));
    this.#requests?.carryOut(planned.actions);
    // Requests and refusals are repeated after their time, even if nothing changes.
    if (attempts.nextMs < Number.POSITIVE_INFINITY) this.#soon(Math.max(this.#pauseMs, attempts.nextMs - nowMs));
  }

  /** A refused slot is placed repeatedly: meanwhile the reason of the refusal is reported. */
  #withRefusals({ actions, waiting }: Plan): WaitingSlot[] {
    const again = actions.flatMap((action) => {
      const refusal = action.kind === 'place' && this.#attempts.lastRefusal(action.server, action.node);
      if (action.kind !== 'place' || !refusal) return [];
      const { server, slot, node } = action;
      return [{ server, slot, node: undefined, reason: `${node} refused it: ${refusal}` }];
    });
    return [...waiting, ...again];
  }

  /** Reports each slot once, until it runs. */
  #tellWaiting(): void {
    const all = new Map(this.#waiting.map((each) => [keyOfSlot(each.server, each.slot), each]));
    const fresh = [...all].filter(([key]) => !this.#told.has(key)).map(([, each]) => each);
    for (const { server, slot, node, reason } of fresh.slice(0, MOST_NOTES)) {
      this.#note(`${server} ${slot} ${node === undefined ? 'runs nowhere' : `stays on ${node}`}: ${reason}`);
    }
    const more = fresh.length - MOST_NOTES;
    if (more > 0) this.#note(`${more} more slots have no node: \`${ownCommand} fleet show\` shows the reasons`);
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
