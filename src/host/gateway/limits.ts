// Counts the resources that a gateway's clients hold: sessions, event streams, requests in flight and pending bytes. A principal is refused
// beyond its quotas (429), and all clients together beyond the gateway's limits (503). Whoever ends a counted resource must release it.

import { type Clock, systemClock } from '../../base/clock.ts';
import { within } from '../../base/wait.ts';
import { Admission } from './admission.ts';
import { KeptEvents } from './http/kept-events.ts';
import type { Principal, Quotas } from './principal.ts';
import type { QuotaShare, SharedQuotas } from './shared-quotas.ts';
import { TokenBucket } from './token-bucket.ts';

export interface LimitOptions {
  /** Maximum number of open sessions. Default: 10,000. */
  maxSessions?: number;
  /** Maximum number of open event streams that are unrelated to a call. Default: 10,000. */
  maxStreams?: number;
  /** Maximum number of running and queued requests. Default: 10,000. */
  maxInFlight?: number;
  /** Maximum bytes of running and queued requests plus unread answers. Default: 512 MiB. */
  maxWaitingBytes?: number;
  /** Maximum characters of events that all sessions keep for reconnecting clients. Default: 256 Mi. */
  maxKeptCharsInAll?: number;
  /** For principals without their own quotas. Without a quota, a principal gets at most half of a limit while others are active. */
  quotas?: Quotas;
  /** Set if quotas apply to several gateways together. */
  shared?: SharedQuotas | undefined;
}

export type Counted = 'sessions' | 'streams' | 'inFlight' | 'waitingBytes';
export type Counts = Record<Counted, number>;

/** The reason for a refusal, and when to try again. */
export interface LimitRefusal {
  status: 429 | 503;
  message: string;
  limit: Counted | 'requestsPerMinute';
  value: number;
  retryAfterS: number;
}

export type AdmissionResult = Admission | LimitRefusal;

const names: Record<Counted, string> = {
  sessions: 'open sessions',
  streams: 'open event streams',
  inFlight: 'requests in flight',
  waitingBytes: 'bytes of requests and unread answers',
};
const cures: Record<Counted, string> = {
  sessions: 'close one (DELETE) or wait',
  streams: 'close one or wait',
  inFlight: 'wait for answers, then send it again',
  waitingBytes: 'read the answers or end subscriptions, then send it again',
};
const retryAfterS: Record<Counted, number> = { sessions: 10, streams: 10, inFlight: 1, waitingBytes: 2 };
const optionOf: Record<Counted, string> = {
  sessions: 'maxSessions',
  streams: 'maxStreams',
  inFlight: 'maxInFlight',
  waitingBytes: 'maxWaitingBytes',
};

/** Maximum refill attempts for one request. */
const MOST_TRIES = 10;

const noCounts = (): Counts => ({ sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 });

export class Limits {
  readonly max: Counts;
  /** Counts of all clients. */
  readonly counts = noCounts();
  readonly clock: Clock;
  /** Events kept for reconnecting clients. */
  readonly kept: KeptEvents;
  /** Accounts that hold resources, or have sent requests in the last minute. */
  readonly #accounts = new Map<string | undefined, Account>();
  readonly #quotas: Quotas | undefined;
  readonly #shared: SharedQuotas | undefined;
  #waits: { kinds: readonly Counted[]; resolve: () => void }[] = [];
  #drainUntilMs: number | undefined;

  constructor(given: LimitOptions = {}, clock: Clock = systemClock) {
    this.clock = clock;
    this.kept = new KeptEvents(given.maxKeptCharsInAll ?? 256 * 1024 * 1024);
    this.#quotas = given.quotas;
    this.#shared = given.shared;
    this.max = {
      sessions: given.maxSessions ?? 10_000,
      streams: given.maxStreams ?? 10_000,
      inFlight: given.maxInFlight ?? 10_000,
      waitingBytes: given.maxWaitingBytes ?? 512 * 1024 * 1024,
    };
  }

  /** Number of principals with an account. */
  get principals(): number {
    return this.#accounts.size;
  }

  /** Admits a new request, counted as `kind` until it ends. Returns a promise only if quotas are shared. */
  admit(principal: Principal | undefined, kind: 'inFlight' | 'streams'): AdmissionResult | Promise<AdmissionResult> {
    const account = this.of(principal);
    const refusal = account.countRequest() ?? account.take(kind);
    if (!refusal) return new Admission(account, kind);
    if (!account.share || refusal.status !== 429) return refusal;
    return account.takeOrAsk(kind, refusal).then((last) => last ?? new Admission(account, kind));
  }

  of(principal: Principal | undefined): Account {
    const name = principal?.name;
    let account = this.#accounts.get(name);
    if (!account) {
      account = new Account(this);
      this.#accounts.set(name, account);
    }
    account.quotas = principal && (principal.quotas ?? this.#quotas);
    account.sharesEqually = principal !== undefined;
    if (this.#shared && account.quotas) account.shareFrom(this.#shared, principal!.name, account.quotas);
    return account;
  }

  /** Must be called periodically: removes idle accounts. */
  sweep(): void {
    for (const [name, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(name);
  }

  /** Refuses new requests from now on. */
  drain(ms: number): void {
    this.#drainUntilMs = this.clock.nowMs() + ms;
  }

  get isDraining(): boolean {
    return this.#drainUntilMs !== undefined;
  }

  /** Seconds until a replacement may run. */
  get retryAfterS(): number {
    return Math.max(1, Math.ceil(((this.#drainUntilMs ?? 0) - this.clock.nowMs()) / 1000));
  }

  /** Resolves when none of these kinds is left, or after `ms`. */
  async whenOver(ms: number, ...kinds: readonly Counted[]): Promise<void> {
    await within(
      this.clock,
      ms,
      new Promise<void>((resolve) => {
        this.#waits.push({ kinds, resolve });
        this.given();
      }),
    );
  }

  /** @internal */
  given(): void {
    if (this.#waits.length === 0) return;
    const isOver = ({ kinds }: { kinds: readonly Counted[] }) => kinds.every((kind) => this.counts[kind] === 0);
    const over = this.#waits.filter(isOver);
    this.#waits = this.#waits.filter((wait) => !isOver(wait));
    for (const { resolve } of over) resolve();
  }
}

/** The resources that the clients of one principal hold. */
export class Account {
  quotas: Quotas | undefined;
  /** If true, the principal gets at most half of each limit without a quota, while others are active. */
  sharesEqually = false;
  readonly counts = noCounts();
  readonly limits: Limits;
  share: QuotaShare | undefined;
  #bucket: TokenBucket | undefined;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  get isIdle(): boolean {
    const { sessions, streams, inFlight, waitingBytes } = this.counts;
    if (sessions + streams + inFlight + waitingBytes > 0) return false;
    if (this.share && !this.share.isIdle) return false;
    return this.#bucket === undefined || this.#bucket.isFull(this.limits.clock.nowMs());
  }

  /**
   * True if too many bytes are pending. Streams then queue less data, so that one principal cannot exhaust the shared
   * limit.
   */
  get isFull(): boolean {
    const { max, counts } = this.limits;
    if (counts.waitingBytes > max.waitingBytes) return true;
    return this.counts.waitingBytes > this.#quotaOf('waitingBytes', max.waitingBytes, true);
  }

  shareFrom(shared: SharedQuotas, name: string, quotas: Quotas): void {
    this.share ??= shared(name, quotas, this.counts);
    if (this.share) this.share.quotas = quotas;
  }

  countRequest(): LimitRefusal | undefined {
    const perMinute = this.quotas?.requestsPerMinute;
    if (perMinute === undefined) return undefined;
    const waitMs = this.share ? this.share.takeRequest() : this.#takeToken(perMinute, this.limits.clock.nowMs());
    if (waitMs === 0) return undefined;
    const after = Math.ceil(waitMs / 1000);
    return {
      status: 429,
      message: `Too many requests: this principal may send ${perMinute} a minute. Send it again in ${after} s.`,
      limit: 'requestsPerMinute',
      value: perMinute,
      retryAfterS: after,
    };
  }

  /** `isKept`: the client decides how long the resource is held, so part of the limit must remain for others. */
  take(kind: Counted, amount = 1, isKept = false): LimitRefusal | undefined {
    const { limits, counts } = this;
    const max = limits.max[kind];
    const quota = this.#quotaOf(kind, max, isKept);
    if (quota < max && counts[kind] + amount > this.#shareOf(kind, quota)) return this.#refusal(429, kind, quota);
    if (limits.counts[kind] + amount > max) return this.#refusal(503, kind, max);
    this.add(kind, amount);
    return undefined;
  }

  /**
   * If quotas are shared, requests a larger share before refusing. Other requests may take it first, so this is repeated while more is
   * available. `refusal`: the result of an earlier attempt.
   */
  async takeOrAsk(kind: Counted, refusal = this.take(kind)): Promise<LimitRefusal | undefined> {
    for (let tries = 0; this.share && refusal?.status === 429 && tries < MOST_TRIES; tries += 1) {
      const isMore = await this.share.refill();
      refusal = (refusal.limit === 'requestsPerMinute' ? this.countRequest() : undefined) ?? this.take(kind);
      if (!isMore) break;
    }
    return refusal;
  }

  /** Counts without a check, for data that must be sent. */
  add(kind: Counted, amount: number): void {
    this.counts[kind] += amount;
    this.limits.counts[kind] += amount;
  }

  give(kind: Counted, amount = 1): void {
    this.add(kind, -amount);
    this.limits.given();
  }

  #takeToken(perMinute: number, nowMs: number): number {
    if (this.#bucket?.perMinute !== perMinute) this.#bucket = new TokenBucket(perMinute, nowMs);
    return this.#bucket.take(nowMs);
  }

  #shareOf(kind: Counted, quota: number): number {
    return this.share && this.quotas?.[kind] !== undefined ? Math.min(quota, this.share.limitOf(kind)) : quota;
  }

  #quotaOf(kind: Counted, max: number, isKept: boolean): number {
    const own = this.quotas?.[kind];
    if (own !== undefined) return own;
    return this.sharesEqually && (isKept || this.limits.principals > 1) ? Math.max(1, Math.floor(max / 2)) : max;
  }

  #refusal(status: 429 | 503, kind: Counted, value: number): LimitRefusal {
    const where = status === 429 ? 'this principal may have' : 'this server allows';
    const raise = status === 429 ? 'its quota' : optionOf[kind];
    const message = `Too many ${names[kind]}: ${where} ${value}. To go on, ${cures[kind]}; the operator can raise ${raise}.`;
    return { status, message, limit: kind, value, retryAfterS: retryAfterS[kind] };
  }
}
