// This gateway's share of one principal's quotas. It is requested on demand, slightly in advance, and given back when unused. While
// the home does not answer, the gateway uses its fair share: the quota divided by the number of gateways.

import type { Clock } from '../../../base/clock.ts';
import type { Quotas } from '../../gateway/access/auth.ts';
import type { Counted, Counts, QuotaShare } from '../../gateway/limits.ts';
import { countedKinds, noCounts, type QuotaAsk, type QuotaGrant, readCount, readCounts } from './quota-home.ts';

export type ShareAsk = Pick<QuotaAsk, 'used' | 'had' | 'wanted' | 'requests'>;

export interface ShareContext {
  clock: Clock;
  /** How long a grant is trusted: shorter than the time after which the home drops it. */
  trustedMs: number;
  /** Rejects if the home cannot be asked. */
  ask(share: GatewayShare, ask: ShareAsk): Promise<QuotaGrant>;
  /** Position of this gateway among all gateways, in an order that depends on the principal. */
  rank(principal: string): { index: number; count: number };
}

/** Pause between two attempts to reach a home that does not answer. */
const RETRY_MS = 500;
/** After a home has granted nothing more, it is not asked again for this long, whatever the clients of the principal send. */
const REFUSED_MS = 100;
/** Limit of the wait, which a rate of 0 would make infinite. */
const MOST_WAIT_MS = 60 * 60_000;
/** Bytes requested in advance. */
const BYTES_AHEAD = 64 * 1024;

export class GatewayShare implements QuotaShare {
  readonly principal: string;
  quotas: Quotas;
  readonly held = noCounts();
  readonly #counts: Readonly<Counts>;
  readonly #context: ShareContext;
  /** The maximum held, and the number of requests, since the last tick. */
  readonly #peaks = noCounts();
  #requests = 0;
  #tokens = 0;
  #waitMs = 1;
  /** Time at which the last grant was requested. */
  #grantedMs = Number.NEGATIVE_INFINITY;
  #failingMs: number | undefined;
  /** Time of the last request to the home, and whether it granted nothing more. */
  #triedMs = 0;
  #isRefused = false;
  #earnedMs = 0;
  #asking: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #waiting = 0;

  constructor(principal: string, quotas: Quotas, counts: Readonly<Counts>, context: ShareContext) {
    this.principal = principal;
    this.quotas = quotas;
    this.#counts = counts;
    this.#context = context;
  }

  get isIdle(): boolean {
    return (
      !this.#asking &&
      this.#tokens < 1 &&
      countedKinds.every((kind) => this.held[kind] === 0 && this.#counts[kind] === 0)
    );
  }

  limitOf(kind: Counted): number {
    this.#peaks[kind] = Math.max(this.#peaks[kind], this.#counts[kind] + 1);
    if (this.#isTrusted()) return this.held[kind];
    return this.#isAlone() ? this.#fairPart(this.quotas[kind] ?? 0) : 0;
  }

  takeRequest(): number {
    this.#requests += 1;
    if (this.#isAlone()) this.#earnFairly();
    if (this.#tokens < 1) return Math.max(1, this.#waitMs);
    this.#tokens -= 1;
    return 0;
  }

  async refill(): Promise<boolean> {
    const pauseMs = this.#failingMs === undefined ? (this.#isRefused ? REFUSED_MS : 0) : RETRY_MS;
    if (this.#context.clock.nowMs() - this.#triedMs < pauseMs) return false;
    this.#waiting += 1;
    try {
      // A pending request does not include this caller: one more follows, for all callers that arrived in the meantime.
      if (this.#asking) this.#next ??= this.#asking.then(() => this.#start());
      await (this.#next ?? this.#start());
      return this.#failingMs === undefined && !this.#isRefused;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Must be called periodically: keeps what is used, and gives back the rest. */
  async tick(): Promise<void> {
    if (this.isIdle && this.#requests === 0) return;
    const isUsed = this.#requests > 0;
    const wanted = noCounts();
    for (const kind of countedKinds) {
      if (this.quotas[kind] === undefined) continue;
      const needed = Math.max(this.#counts[kind], Math.min(this.#peaks[kind], this.held[kind]));
      wanted[kind] = this.#counts[kind] === 0 && this.#peaks[kind] === 0 ? 0 : needed;
      this.#peaks[kind] = 0;
    }
    this.#requests = 0;
    if (this.#asking) return;
    await this.#start(wanted, isUsed ? 0 : -Math.floor(this.#tokens));
  }

  #start(wanted = this.#wanted(), requests = this.#missing()): Promise<void> {
    this.#next = undefined;
    this.#asking = this.#ask(wanted, requests).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(wanted: Counts, requests: number): Promise<void> {
    const nowMs = this.#context.clock.nowMs();
    const had = noCounts();
    for (const kind of countedKinds) {
      // An amount that is given back must not be used while the answer is in transit.
      if (this.held[kind] > wanted[kind]) this.held[kind] = wanted[kind];
      had[kind] = Math.max(this.#counts[kind], this.#isTrusted() ? this.held[kind] : 0);
    }
    if (requests < 0) this.#tokens += requests;
    try {
      const grant = await this.#context.ask(this, { used: { ...this.#counts }, had, wanted, requests });
      if (this.#isAlone()) this.#tokens = 0;
      this.#failingMs = undefined;
      this.#triedMs = nowMs;
      this.#grantedMs = nowMs;
      this.#take(grant, wanted, requests);
    } catch {
      this.#triedMs = this.#context.clock.nowMs();
      this.#failingMs ??= this.#triedMs;
    }
  }

  /** Never takes more than requested, whatever the other node sends. */
  #take(grant: QuotaGrant, wanted: Counts, requests: number): void {
    const held = readCounts(grant.held);
    const given = Math.min(readCount(grant.requests), Math.max(0, requests));
    this.#isRefused = this.quotas.requestsPerMinute !== undefined && given < requests;
    for (const kind of countedKinds) {
      this.held[kind] = Math.min(held[kind], wanted[kind]);
      const most = this.quotas[kind] ?? Number.POSITIVE_INFINITY;
      if (this.held[kind] < wanted[kind] || this.#counts[kind] >= most) this.#isRefused = true;
    }
    this.#tokens += given;
    this.#waitMs = Math.min(readCount(grant.waitMs), MOST_WAIT_MS);
  }

  #wanted(): Counts {
    const wanted = noCounts();
    const { count } = this.#context.rank(this.principal);
    for (const kind of countedKinds) {
      const quota = this.quotas[kind];
      if (quota === undefined) continue;
      const more = kind === 'waitingBytes' ? BYTES_AHEAD : this.#waiting;
      // `held` includes a recent grant that callers may not have used yet.
      const held = Math.max(this.#counts[kind], this.#isTrusted() ? this.held[kind] : 0);
      const ahead = Math.floor(quota / (4 * count));
      wanted[kind] = Math.min(quota, this.#counts[kind] + more <= held ? held : held + more + ahead);
    }
    return wanted;
  }

  /** Number of requests to ask for: one for each waiting caller, and the quota of half a second. */
  #missing(): number {
    const inAdvance = Math.floor((this.quotas.requestsPerMinute ?? 0) / 120);
    return Math.max(0, this.#waiting + inAdvance - Math.floor(this.#tokens));
  }

  /** After this time, grants that other gateways got from the lost home are no longer trusted either. */
  #isAlone(): boolean {
    return this.#failingMs !== undefined && this.#context.clock.nowMs() - this.#failingMs > this.#context.trustedMs;
  }

  #isTrusted(): boolean {
    return this.#context.clock.nowMs() - this.#grantedMs <= this.#context.trustedMs;
  }

  #fairPart(quota: number): number {
    const { index, count } = this.#context.rank(this.principal);
    return Math.floor(quota / count) + (index < quota % count ? 1 : 0);
  }

  /** Adds this gateway's share of the rate since the last call, while the home does not answer. */
  #earnFairly(): void {
    const nowMs = this.#context.clock.nowMs();
    const sinceMs = Math.max(this.#earnedMs, this.#failingMs!);
    const { count } = this.#context.rank(this.principal);
    const perMinute = (this.quotas.requestsPerMinute ?? 0) / count;
    this.#tokens = Math.min(Math.max(1, perMinute), this.#tokens + ((nowMs - sinceMs) * perMinute) / 60_000);
    this.#earnedMs = nowMs;
    this.#waitMs = Math.min(MOST_WAIT_MS, Math.ceil(((1 - this.#tokens) * 60_000) / perMinute));
  }
}
