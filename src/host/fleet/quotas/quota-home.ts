// The home of principals: the one gateway of the fleet that grants shares of their quotas. The shares of all gateways never exceed
// the quota. A gateway that does not ask again within the lifetime of a lease loses its shares. A home that does not know yet what
// others hold confirms their shares and grants nothing more.

import type { Clock } from '../../../base/clock.ts';
import { RpcCode, RpcError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import type { Quotas } from '../../gateway/access/auth.ts';
import type { Counted, Counts } from '../../gateway/limits.ts';
import { TokenBucket } from '../../gateway/token-bucket.ts';
import { fleetName } from '../subjects.ts';

export interface QuotaAsk {
  principal: string;
  quotas: Quotas;
  gateway: string;
  /** Amounts that the gateway's clients currently use. */
  used: Counts;
  /** Amounts that an earlier grant allows the gateway's clients to use. */
  had: Counts;
  /** Amounts that the gateway requests: at least `used`. */
  wanted: Counts;
  /** Number of further requests of the rate; if negative, the number that was not used. */
  requests: number;
}

export interface QuotaGrant {
  held: Counts;
  requests: number;
  waitMs: number;
}

export const countedKinds: readonly Counted[] = ['sessions', 'streams', 'inFlight', 'waitingBytes'];
export const noCounts = (): Counts => ({ sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 });

/** Limit of principals with a share, or with a rate that is not full. Further ones are refused. */
const MOST_PRINCIPALS = 100_000;

interface Part {
  held: Counts;
  /** The use can exceed the grants, if two gateways acted as home without knowing of each other. */
  used: Counts;
  askedMs: number;
}

interface Principal {
  parts: Map<string, Part>;
  rate: TokenBucket | undefined;
  /** Number of requests that each gateway was granted and has not given back, at most the quota of one minute. */
  given: Map<string, number>;
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

  get size(): number {
    return this.#principals.size;
  }

  /** Until this time, gateways may hold shares that this home does not know, because it was absent or disconnected. */
  learn(untilMs: number): void {
    this.#learnsUntilMs = untilMs;
    for (const principal of this.#principals.values()) principal.learnsUntilMs = untilMs;
  }

  keep(isHome: (principal: string) => boolean): void {
    for (const name of this.#principals.keys()) if (!isHome(name)) this.#principals.delete(name);
  }

  /**
   * `learnsUntilMs`: the time until which a gateway gets at most what it had before, if this home does not know the
   * principal yet because the principal had another home.
   */
  ask({ principal, quotas, gateway, used, had, wanted, requests }: QuotaAsk, learnsUntilMs = 0): QuotaGrant {
    const nowMs = this.#clock.nowMs();
    const known = this.#principals.get(principal) ?? this.#add(principal, learnsUntilMs);
    this.#forgetSilent(known, nowMs);
    // The gateway's earlier share does not count, because the answer to its last request may be lost.
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
    return { held: part.held, ...this.#rate(known, gateway, quotas.requestsPerMinute, requests, nowMs) };
  }

  /** Must be called periodically: drops principals for which no gateway holds a share. */
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
      throw new RpcError(RpcCode.serverBusy, `The node already keeps the quotas of ${MOST_PRINCIPALS} principals`);
    }
    const untilMs = Math.max(learnsUntilMs, this.#learnsUntilMs);
    const principal: Principal = { parts: new Map(), rate: undefined, given: new Map(), learnsUntilMs: untilMs };
    this.#principals.set(name, principal);
    return principal;
  }

  #rate(
    known: Principal,
    gateway: string,
    perMinute: number | undefined,
    requests: number,
    nowMs: number,
  ): Omit<QuotaGrant, 'held'> {
    if (perMinute === undefined) return { requests: 0, waitMs: 0 };
    // While gateways have different quotas, the rate must not start again with each of their requests.
    if (known.rate?.perMinute !== perMinute) known.rate = new TokenBucket(perMinute, nowMs, known.rate?.left(nowMs));
    const { rate } = known;
    const before = known.given.get(gateway) ?? 0;
    const back = Math.min(before, Math.max(0, -requests));
    if (back > 0) rate.give(back, nowMs);
    const given = requests > 0 ? rate.takeUpTo(requests, nowMs) : 0;
    const left = Math.min(perMinute, before - back + given);
    if (left > 0) known.given.set(gateway, left);
    else known.given.delete(gateway);
    return { requests: given, waitMs: given > 0 ? 0 : rate.waitMs() };
  }

  #forgetSilent({ parts }: Principal, nowMs: number): void {
    for (const [gateway, { askedMs }] of parts) if (nowMs - askedMs > this.#lifetimeMs) parts.delete(gateway);
  }
}

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
