// The home of principals: the one gateway of the fleet that gives out the parts of their quotas. The parts of all gateways together are
// never more than the quota. A gateway that does not ask again within the lifetime of a lease has lost its parts. A home that cannot
// know yet what others have confirms what they have, and gives out nothing more.

import type { Clock } from '../../base/clock.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { Counted, Counts } from '../../doors/limits.ts';
import type { Quotas } from '../../doors/principal.ts';
import { TokenBucket } from '../../doors/token-bucket.ts';
import { fleetName } from '../subjects.ts';

export interface QuotaAsk {
  principal: string;
  quotas: Quotas;
  gateway: string;
  /** What its clients hold. */
  used: Counts;
  /** What it may let them hold already, by an earlier grant. */
  had: Counts;
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

/** Those with a part, or with a rate that is not full. More are refused. */
const MOST_PRINCIPALS = 100_000;

interface Part {
  held: Counts;
  /** Clients hold more than was given where a home did not know of others. */
  used: Counts;
  askedMs: number;
}

interface Principal {
  parts: Map<string, Part>;
  rate: TokenBucket | undefined;
  /** Until then, others may have parts that this home does not know. */
  learnsUntilMs: number;
}

export class QuotaHome {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #principals = new Map<string, Principal>();
  #learnsUntilMs = 0;

  constructor(lifetimeMs: number, clock: Clock) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
  }

  /** Principals of which a gateway has a part, or whose rate is not full. */
  get size(): number {
    return this.#principals.size;
  }

  /** Until then, gateways may have parts that this home does not know: it was not there, or was not connected. */
  learn(untilMs: number): void {
    this.#learnsUntilMs = untilMs;
    for (const principal of this.#principals.values()) principal.learnsUntilMs = untilMs;
  }

  /** Another home has the others now. */
  keep(isHome: (principal: string) => boolean): void {
    for (const name of this.#principals.keys()) if (!isHome(name)) this.#principals.delete(name);
  }

  /** `learnsUntilMs`: of a principal that is not known here, and had another home. */
  ask({ principal, quotas, gateway, used, had, wanted, requests }: QuotaAsk, learnsUntilMs = 0): QuotaGrant {
    const nowMs = this.#clock.nowMs();
    const known = this.#principals.get(principal) ?? this.#add(principal, learnsUntilMs);
    this.#forgetSilent(known, nowMs);
    // What it had before does not count: the answer to its last request may be lost.
    const part: Part = { held: noCounts(), used, askedMs: nowMs };
    known.parts.delete(gateway);
    for (const kind of countedKinds) {
      const quota = quotas[kind];
      if (quota === undefined) continue;
      let others = 0;
      for (const other of known.parts.values()) others += Math.max(other.held[kind], other.used[kind]);
      const most = nowMs < known.learnsUntilMs ? Math.min(wanted[kind], had[kind]) : wanted[kind];
      part.held[kind] = Math.min(most, Math.max(0, quota - others));
    }
    if (countedKinds.some((kind) => part.held[kind] + used[kind] > 0)) known.parts.set(gateway, part);
    return { held: part.held, ...this.#rate(known, quotas.requestsPerMinute, requests, nowMs) };
  }

  /** To be called again and again: forgets principals of which no gateway has anything. */
  sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const [name, principal] of this.#principals) {
      this.#forgetSilent(principal, nowMs);
      const isUsed = principal.parts.size > 0 || nowMs < principal.learnsUntilMs;
      if (!isUsed && principal.rate?.isFull(nowMs) !== false) this.#principals.delete(name);
    }
  }

  #add(name: string, learnsUntilMs: number): Principal {
    if (this.#principals.size >= MOST_PRINCIPALS) {
      throw new RpcError(RpcCode.serverBusy, `The node has the quotas of ${MOST_PRINCIPALS} principals already`);
    }
    const untilMs = Math.max(learnsUntilMs, this.#learnsUntilMs);
    const principal = { parts: new Map<string, Part>(), rate: undefined, learnsUntilMs: untilMs };
    this.#principals.set(name, principal);
    return principal;
  }

  #rate(known: Principal, perMinute: number | undefined, requests: number, nowMs: number): Omit<QuotaGrant, 'held'> {
    if (perMinute === undefined) return { requests: 0, waitMs: 0 };
    // While gateways have different quotas, the rate must not begin anew with each of their requests.
    if (known.rate?.perMinute !== perMinute) known.rate = new TokenBucket(perMinute, nowMs, known.rate?.left(nowMs));
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
export function readAsk(value: unknown): QuotaAsk {
  const { principal, gateway, quotas, used, had, wanted, requests } = value as Partial<QuotaAsk>;
  if (
    typeof principal !== 'string' ||
    principal.length > 1000 ||
    !fleetName.test(String(gateway)) ||
    !isObject(quotas)
  ) {
    throw new RpcError(RpcCode.invalidParams, 'A request for quotas needs "principal", "gateway" and "quotas"');
  }
  const limits = Object.entries(quotas).filter(([, limit]) => typeof limit === 'number' && limit >= 0);
  return {
    principal,
    gateway: String(gateway),
    quotas: Object.fromEntries(limits),
    used: readCounts(used),
    had: readCounts(had),
    wanted: readCounts(wanted),
    requests: Number.isSafeInteger(requests) ? requests! : 0,
  };
}

export function readCounts(value: unknown): Counts {
  const counts = noCounts();
  if (isObject(value)) for (const kind of countedKinds) counts[kind] = readCount(value[kind]);
  return counts;
}

export function readCount(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isSafeInteger(value) ? value : 0;
}
