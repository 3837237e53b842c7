// Whether a slot may be claimed. What is missing in a table that was deleted in NATS and made anew proves nothing for a time: its owners
// have to notice that, and either claim again what they run or end it. Nor does the lease of an owner that counts on a longer lifetime
// than the table has by now. Its lease was renewed before it was seen to be missing, so it has ended one such lifetime after that.

import type { Clock } from '../../../base/clock.ts';
import type { ClaimRecord, Fabric } from '../../fabric.ts';

/** After this time, each node that is connected knows that the table of claims was made anew. */
const UNNOTICED_MS = 20_000;
/** Of other nodes that are waited for. The wait for one that is forgotten begins anew. */
const MOST_SESSIONS = 10_000;

export class WhyTaken {
  readonly #fabric: Fabric;
  readonly #clock: Clock;
  /** Since when leases of a longer lifetime are known to be missing, by session. */
  readonly #missingSince = new Map<string, number>();

  constructor(fabric: Fabric, clock: Clock) {
    this.#fabric = fabric;
    this.#clock = clock;
  }

  /** Why another node may still run the slot. `before`: its claim, if it has one. */
  async ask(before: ClaimRecord | undefined): Promise<string | undefined> {
    const { directory, leases } = this.#fabric;
    if (!before) return (await directory.claims.isSettled(UNNOTICED_MS)) ? undefined : madeAnew('claims');
    const { node, session, held, generation, lifetimeMs = 0 } = before;
    if (!held) return undefined;
    const lease = await leases.table.get(`node.${node}`);
    // A session without its lease never has it again: another one in its place says enough.
    if (lease ? lease.value.session === session : !(await leases.table.isGone(`node.${node}`)))
      return `Node "${node}" runs it in generation ${generation}`;
    const trustedMs = Math.max(lifetimeMs, leases.lifetimeMs);
    if (!(await leases.table.isSettled(trustedMs))) return madeAnew('leases');
    // Read after the lease: so what has ended it early is seen.
    await leases.readLifetime();
    if (trustedMs <= leases.lifetimeMs || this.#isLongMissing(session, trustedMs)) return undefined;
    return `Leases end after ${leases.lifetimeMs} ms since max_age was changed in NATS. Node "${node}" counts on ${trustedMs} ms and may still run the slot`;
  }

  #isLongMissing(session: string, ms: number): boolean {
    const nowMs = this.#clock.nowMs();
    const sinceMs = this.#missingSince.get(session) ?? nowMs;
    if (nowMs - sinceMs >= ms) return true;
    if (this.#missingSince.size >= MOST_SESSIONS) this.#missingSince.clear();
    this.#missingSince.set(session, sinceMs);
    return false;
  }
}

function madeAnew(table: string): string {
  return `The table of ${table} was deleted in NATS and made anew: an owner that it does not show may still run the slot`;
}
