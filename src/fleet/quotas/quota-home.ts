// The home of principals: the one gateway of the fleet that gives out the parts of their quotas. The parts of all gateways together are
// never more than the quota. A gateway that does not ask again within the lifetime of a lease has lost its parts.

import type { Clock } from '../../base/clock.ts';
import type { Counted, Counts } from '../../doors/limits.ts';
import type { Quotas } from '../../doors/principal.ts';
import { TokenBucket } from '../../doors/token-bucket.ts';

export interface QuotaAsk {
  principal: string;
  quotas: Quotas;
  gateway: string;
  /** What the gateway wants to have: at least what its clients hold. */
  wanted: Counts;
  /** Of the rate: how many more requests, or, negative, how many were not used. */
  requests: number;
}

export interface QuotaGrant {
  held: Counts;
  requests: number;
  /** When the rate lets the next request pass. */
  waitMs: number;
}

export const countedKinds: readonly Counted[] = ['sessions', 'streams', 'inFlight', 'waitingBytes'];
export const noCounts = (): Counts => ({ sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 });

interface Part {
  held: Counts;
  askedMs: number;
}

interface Principal {
  parts: Map<string, Part>;
  rate: TokenBucket | undefined;
}

export class QuotaHome {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #principals = new Map<string, Principal>();

  constructor(lifetimeMs: number, clock: Clock) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
  }

  /** Principals of which a gateway has a part, or whose rate is not full. */
  get size(): number {
    return this.#principals.size;
  }

  ask({ principal, quotas, gateway, wanted, requests }: QuotaAsk): QuotaGrant {
    const nowMs = this.#clock.nowMs();
    const known = this.#principals.get(principal) ?? { parts: new Map<string, Part>(), rate: undefined };
    this.#principals.set(principal, known);
    this.#forgetSilent(known, nowMs);
    // What it had before does not count: the answer to its last request may be lost, and this may be a new home.
    const part: Part = { held: noCounts(), askedMs: nowMs };
    known.parts.set(gateway, part);
    for (const kind of countedKinds) {
      const quota = quotas[kind];
      if (quota === undefined) continue;
      let others = 0;
      for (const other of known.parts.values()) others += other.held[kind];
      part.held[kind] = Math.min(countOf(wanted[kind]), Math.max(0, quota - others));
    }
    if (countedKinds.every((kind) => part.held[kind] === 0)) known.parts.delete(gateway);
    return { held: part.held, ...this.#rate(known, quotas.requestsPerMinute, requests, nowMs) };
  }

  /** To be called again and again: forgets principals of which no gateway has anything. */
  sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const [name, principal] of this.#principals) {
      this.#forgetSilent(principal, nowMs);
      if (principal.parts.size === 0 && principal.rate?.isFull(nowMs) !== false) this.#principals.delete(name);
    }
  }

  #rate(known: Principal, perMinute: number | undefined, requests: number, nowMs: number): Omit<QuotaGrant, 'held'> {
    if (perMinute === undefined) return { requests: 0, waitMs: 0 };
    if (known.rate?.perMinute !== perMinute) known.rate = new TokenBucket(perMinute, nowMs);
    const { rate } = known;
    if (requests < 0) rate.give(-requests, nowMs);
    const given = requests > 0 ? rate.takeUpTo(requests, nowMs) : 0;
    return { requests: given, waitMs: given > 0 ? 0 : rate.waitMs() };
  }

  #forgetSilent({ parts }: Principal, nowMs: number): void {
    for (const [gateway, { askedMs }] of parts) if (nowMs - askedMs > this.#lifetimeMs) parts.delete(gateway);
  }
}

/** Whatever another node sends. */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isSafeInteger(value) ? value : 0;
}
