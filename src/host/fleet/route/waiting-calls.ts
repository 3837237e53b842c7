// Calls of one server that did not run and wait for an instance. They are sent again when the table changes, and after growing
// delays, because an owner is in the table before it accepts requests. The service ends if no node runs the server, or this node is
// disconnected, for PATIENCE lease lifetimes.

import type { Timer } from '../../../base/clock.ts';
import { idParameter } from '../../../mcp/extensions/assigned-ids.ts';
import { invalidParams } from '../../../mcp/protocol-errors.ts';
import { type FleetCall, notSent, parkedCallLost } from './call.ts';
import type { FleetCalls } from './calls.ts';

const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 500;
/** Unit: lease lifetimes. The server of a lost node runs on another node after less than two lifetimes. */
const PATIENCE = 3;
/** Limit of the wait for the only instance that can answer, if this node does not know it yet. */
const PARKED_MS = 1_000;

export interface WaitingCallsOwner {
  /** Sends the call unless it has ended in the meantime. */
  send(call: FleetCall): unknown;
  lose(call: FleetCall, error: Error): void;
  /** Called when no node has answered for the server for PATIENCE lease lifetimes. */
  end(why: string): void;
}

export class WaitingCalls {
  readonly #calls: FleetCalls;
  readonly #server: string;
  readonly #owner: WaitingCallsOwner;
  readonly #waiting = new Set<FleetCall>();
  #retry: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;
  /** Runs while the table has no reachable instance. */
  #absence: Timer | undefined;
  #isOver = false;

  constructor(calls: FleetCalls, server: string, owner: WaitingCallsOwner) {
    this.#calls = calls;
    this.#server = server;
    this.#owner = owner;
  }

  add(call: FleetCall, why: string): void {
    const nowMs = this.#calls.clock.nowMs();
    call.waitsSinceMs ??= nowMs;
    if (nowMs - call.waitsSinceMs < (call.only === undefined ? this.#patienceMs : PARKED_MS)) {
      this.#waiting.add(call);
      return this.#later();
    }
    if (call.only !== undefined) return this.#owner.lose(call, this.#withoutInstance(call, why));
    if (this.#isAway) return this.#owner.end(why);
    const waitedMs = Math.round(nowMs - call.waitsSinceMs);
    this.#owner.lose(call, notSent(call, this.#server, `${why}, for ${waitedMs} ms`));
  }

  delete(call: FleetCall): void {
    this.#waiting.delete(call);
  }

  answered(): void {
    this.#retryMs = FIRST_RETRY_MS;
  }

  retry(): void {
    this.#retryMs = FIRST_RETRY_MS;
    this.#sendAll();
  }

  instancesChanged(): void {
    this.retry();
    this.#absence?.cancel();
    this.#absence = undefined;
    if (!this.#isAway) return;
    this.#absence = this.#calls.clock.after(this.#patienceMs, () => {
      if (this.#isAway) this.#owner.end(this.#calls.table.whyNone(this.#server));
    });
    this.#absence.keepAlive(false);
  }

  end(): void {
    this.#isOver = true;
    this.#waiting.clear();
    this.#retry?.cancel();
    this.#absence?.cancel();
  }

  get #patienceMs(): number {
    return PATIENCE * this.#calls.network.leases.lifetimeMs;
  }

  get #isAway(): boolean {
    return !isReachable(this.#calls, this.#server);
  }

  /**
   * The ids that an instance assigned are invalid after its end. As long as it may only be unreachable, they may still
   * be valid.
   */
  #withoutInstance(call: FleetCall, why: string): Error {
    const member = idParameter(call.method);
    if (member === undefined) return parkedCallLost(call, why);
    const { network, table } = this.#calls;
    const mayRun = !network.isConnected || table.instancesOf(this.#server).some(({ id }) => id === call.only);
    if (mayRun) return notSent(call, this.#server, why);
    return invalidParams(`Unknown ${member}: the instance of the server that assigned it has ended`);
  }

  #later(): void {
    if (this.#retry) return;
    this.#retry = this.#calls.clock.after(this.#retryMs, () => {
      this.#retry = undefined;
      this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
      this.#sendAll();
    });
    this.#retry.keepAlive(false);
  }

  #sendAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const call of waiting) {
      // An earlier call of this loop ended the service: the remaining calls have failed as not sent, so they must not be sent.
      if (this.#isOver) return;
      this.#owner.send(call);
    }
  }
}

/** The table does not announce whether this node is connected, so that is polled. */
const LOOK_EVERY_MS = 100;

export function isReachable(calls: FleetCalls, server: string): boolean {
  return calls.table.instancesOf(server).some((instance) => calls.canReach(instance));
}

/** Resolves when an instance can be reached, when `isOver`, or after `waitMs`. */
export function untilReachable(
  calls: FleetCalls,
  server: string,
  waitMs: number,
  isOver: () => boolean,
): Promise<void> {
  const untilMs = calls.clock.nowMs() + waitMs;
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const look = () => {
      timer?.cancel();
      if (isReachable(calls, server) || isOver() || calls.clock.nowMs() >= untilMs) {
        stop();
        return resolve();
      }
      timer = calls.clock.after(LOOK_EVERY_MS, look);
    };
    const stop = calls.table.listen(server, look);
    look();
  });
}
