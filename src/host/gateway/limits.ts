// Counts the resources that a gateway's clients hold: sessions, event streams, requests in flight and pending bytes. A principal is refused
// beyond its quotas (429), and all clients together beyond the gateway's limits (503). The code that ends a counted resource must release it.

import { type Clock, systemClock } from '../../base/clock.ts';
import { within } from '../../base/wait.ts';
import type { Principal, Quotas } from './access/auth.ts';
import { KeptEvents } from './http/event-log.ts';
import { TokenBucket } from './token-bucket.ts';

/** `counts`: resources that the principal's clients hold at this gateway. Undefined if the quotas are not shared. */
export type SharedQuotas = (principal: string, quotas: Quotas, counts: Readonly<Counts>) => QuotaShare | undefined;

/** The share of one gateway in the quotas of a principal, which apply to several gateways together. */
export interface QuotaShare {
  quotas: Quotas;
  /** Number of resources of this kind that clients of this gateway may hold now. */
  limitOf(kind: Counted): number;
  /** Returns 0 if a request may pass, otherwise the milliseconds until one may. */
  takeRequest(): number;
  /** Requests a larger share. Resolves to true if even more may be available; the caller then retries the refused request. */
  refill(): Promise<boolean>;
  /** True if the share can be discarded without loss. */
  readonly isIdle: boolean;
}

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
  /**
   * Quotas of principals without their own. Without a quota, a principal gets at most half of the sessions and streams, and
   * half of another limit while others are active.
   */
  quotas?: Quotas;
  shared?: SharedQuotas | undefined;
}

export type Counted = 'sessions' | 'streams' | 'inFlight' | 'waitingBytes';
export type Counts = Record<Counted, number>;

export interface LimitRefusal {
  status: 429 | 503;
  message: string;
  limit: Counted | 'requestsPerMinute';
  value: number;
  retryAfterS: number;
}

export type AdmissionResult = Admission | LimitRefusal;

const kinds: Record<Counted, { max: number; retryAfterS: number; what: string; cure: string }> = {
  sessions: { max: 10_000, retryAfterS: 10, what: 'open sessions', cure: 'close one (DELETE) or wait' },
  streams: { max: 10_000, retryAfterS: 10, what: 'open event streams', cure: 'close one or wait' },
  inFlight: { max: 10_000, retryAfterS: 1, what: 'requests in flight', cure: 'wait for answers, then send it again' },
  waitingBytes: {
    max: 512 * 1024 * 1024,
    retryAfterS: 2,
    what: 'bytes of requests and unread answers',
    cure: 'read the answers or end subscriptions, then send it again',
  },
};
const optionOf = {
  sessions: 'maxSessions',
  streams: 'maxStreams',
  inFlight: 'maxInFlight',
  waitingBytes: 'maxWaitingBytes',
} as const;

/** Maximum refill attempts for one request. */
const MOST_TRIES = 10;

const noCounts = (): Counts => ({ sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 });

export class Limits {
  readonly max = noCounts();
  readonly counts = noCounts();
  readonly clock: Clock;
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
    for (const kind of Object.keys(kinds) as Counted[]) this.max[kind] = given[optionOf[kind]] ?? kinds[kind].max;
  }

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

  /** Removes idle accounts. Must be called periodically. */
  sweep(): void {
    for (const [name, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(name);
  }

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
    const over = new Promise<void>((resolve) => this.#waits.push({ kinds, resolve }));
    this.given();
    await within(this.clock, ms, over);
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
  /**
   * If true, the principal gets at most half of each limit for which it has no quota: of limits for kept data always,
   * of other limits while other principals are active.
   */
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

  /** True if too many bytes are pending. Streams then queue less data, so that one principal cannot exhaust the shared limit. */
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
  take(kind: Counted, amount = 1, isKept = kind === 'sessions' || kind === 'streams'): LimitRefusal | undefined {
    const { limits, counts } = this;
    const max = limits.max[kind];
    const quota = this.#quotaOf(kind, max, isKept);
    if (quota < max && counts[kind] + amount > this.#shareOf(kind, quota)) return this.#refusal(429, kind, quota);
    if (limits.counts[kind] + amount > max) return this.#refusal(503, kind, max);
    this.add(kind, amount);
    return undefined;
  }

  /**
   * With shared quotas, requests a larger share before refusing. Other requests may use it up, so this is repeated while more is
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

  /** Counts data that must be sent, without a check. */
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
    const { what, cure, retryAfterS } = kinds[kind];
    const raise = status === 429 ? 'its quota' : optionOf[kind];
    const message = `Too many ${what}: ${where} ${value}. To continue, ${cure}; the operator can raise ${raise}.`;
    return { status, message, limit: kind, value, retryAfterS };
  }
}

/** The resources that one HTTP request holds. They count until all holders have released the admission. */
export class Admission {
  readonly account: Account;
  #kind: 'inFlight' | 'streams';
  #bodyBytes = 0;
  #unreadBytes = 0;
  #holders = 1;

  constructor(account: Account, kind: 'inFlight' | 'streams') {
    this.account = account;
    this.#kind = kind;
  }

  get isStream(): boolean {
    return this.#kind === 'streams';
  }

  hold(): void {
    this.#holders++;
  }

  release(): void {
    if (this.#holders === 1) {
      this.#setBytes(0, 0);
      this.account.give(this.#kind);
    }
    this.#holders--;
  }

  /** Counts the request as a stream instead of as work. `keptBytes`: memory held besides the body. */
  becomeStream(keptBytes = 0): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    if (this.#kind === 'streams') return undefined;
    if (this.account.share) {
      return this.account.takeOrAsk('streams').then((refusal) => this.#changed(refusal, keptBytes));
    }
    return this.#changed(this.account.take('streams'), keptBytes);
  }

  #changed(refusal: LimitRefusal | undefined, keptBytes: number): LimitRefusal | undefined {
    if (refusal) return refusal;
    if (this.#holders === 0) {
      this.account.give('streams'); // the admission was released in the meantime
      return undefined;
    }
    this.account.give(this.#kind);
    this.#kind = 'streams';
    return this.addBody(keptBytes, true);
  }

  /** Adds bytes of the request body, which count until the answer. */
  addBody(bytes: number, isKept = false): LimitRefusal | undefined {
    const refusal = this.account.take('waitingBytes', bytes, isKept);
    if (!refusal) this.#bodyBytes += bytes;
    return refusal;
  }

  /** Adds stored events that are sent again. Unlike an answer, they are refused beyond the quota. */
  addUnread(bytes: number): LimitRefusal | undefined {
    const refusal = this.account.take('waitingBytes', bytes);
    if (!refusal) this.#unreadBytes += bytes;
    return refusal;
  }

  /** Sets the bytes that the client has not read yet. They are never refused, but while there are too many, further requests are. */
  setUnread(bytes: number): void {
    if (this.#holders > 0) this.#setBytes(this.#bodyBytes, bytes);
  }

  /** Counts the bytes of the answer instead of those of the request body. */
  answered(bytes: number): void {
    if (this.#holders > 0) this.#setBytes(0, bytes);
  }

  #setBytes(body: number, unread: number): void {
    const more = body + unread - this.#bodyBytes - this.#unreadBytes;
    if (more !== 0) this.account.add('waitingBytes', more);
    this.#bodyBytes = body;
    this.#unreadBytes = unread;
  }
}
