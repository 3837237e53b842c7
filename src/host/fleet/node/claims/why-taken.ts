// Decides whether a slot may be claimed. A missing entry proves nothing for a time in a table that was deleted in NATS and created
// again: owners have to notice that first, and either repeat their claims or end. A missing lease proves nothing either if its owner
// relies on a longer lifetime than the table has now. That lease was renewed before it was seen to be missing, so it has ended one
// such lifetime later.

import type { Clock } from '../../../../base/clock.ts';
import type { ClaimRecord, ClusterNetwork } from '../../cluster-network.ts';

/** After this time, every connected node knows that the claims table was created again. */
const UNNOTICED_MS = 20_000;
/** Limit of the sessions whose end is awaited. If one is dropped because of the limit, the wait for it starts again. */
const MOST_SESSIONS = 10_000;

export class WhyTaken {
  readonly #network: ClusterNetwork;
  readonly #clock: Clock;
  /** Time since which a lease with a longer lifetime is known to be missing, by session. */
  readonly #missingSince = new Map<string, number>();

  constructor(network: ClusterNetwork, clock: Clock) {
    this.#network = network;
    this.#clock = clock;
  }

  /** Resolves to the reason why another node may still run the slot. `before`: the existing claim. */
  async ask(before: ClaimRecord | undefined): Promise<string | undefined> {
    const { directory, leases } = this.#network;
    if (!before) return (await directory.claims.isSettled(UNNOTICED_MS)) ? undefined : madeAnew('claims');
    const { node, session, held, generation, lifetimeMs = 0 } = before;
    if (!held) return undefined;
    const lease = await leases.table.get(`node.${node}`);
    // A session that lost its lease never regains it: another session in its place is sufficient proof. An unusable entry is not a proof.
    const holder: unknown = lease?.value.session;
    if (lease ? holder === session || typeof holder !== 'string' : !(await leases.table.isGone(`node.${node}`)))
      return `Node "${node}" runs it in generation ${generation}`;
    const trustedMs = Math.max(lifetimeMs, leases.lifetimeMs);
    if (!(await leases.table.isSettled(trustedMs))) return madeAnew('leases');
    // The lifetime is read after the lease, so that a change that ended the lease early is seen.
    await leases.readLifetime();
    if (trustedMs <= leases.lifetimeMs || this.#isLongMissing(session, trustedMs)) return undefined;
    return `Leases end after ${leases.lifetimeMs} ms since max_age was changed in NATS. Node "${node}" relies on ${trustedMs} ms and may still run the slot`;
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
  return `The table of ${table} was deleted in NATS and created again: an owner that it does not list may still run the slot`;
}
