// What the clients of a door hold at a time: sessions, event streams, requests in flight, and bytes that wait. A principal is
// refused beyond its quotas (429), all together beyond the limits of the door (503). It only counts: the end of whatever was
// counted takes it back.

import { type Clock, systemClock } from '../base/clock.ts';
import { within } from '../base/wait.ts';
import { KeptEvents } from './http/kept-events.ts';
import type { Principal, Quotas } from './principal.ts';
import type { QuotaShare, SharedQuotas } from './shared-quotas.ts';
import { Ticket } from './ticket.ts';
import { TokenBucket } from './token-bucket.ts';

export interface LimitOptions {
  /** How many sessions may be open. 10,000 unless given. */
  maxSessions?: number;
  /** How many event streams may be open that belong to no call. 10,000 unless given. */
  maxStreams?: number;
  /** How many requests may run or wait. 10,000 unless given. */
  maxInFlight?: number;
  /** How many bytes requests that run or wait, and answers that were not read yet, may have. 512 MiB unless given. */
  maxWaitingBytes?: number;
  /** How many characters of events sessions keep together for clients that come back. 256 Mi unless given. */
  maxKeptCharsInAll?: number;
  /** For principals without quotas of their own. Of a limit without a quota, one may use half while others use the gateway. */
  quotas?: Quotas;
  /** Where the quotas hold over several gateways together. */
  shared?: SharedQuotas | undefined;
}

export type Counted = 'sessions' | 'streams' | 'inFlight' | 'waitingBytes';
export type Counts = Record<Counted, number>;

/** Why a request is refused, and when to try again. */
export interface LimitRefusal {
  status: 429 | 503;
  message: string;
  limit: Counted | 'requestsPerMinute';
  value: number;
  retryAfterS: number;
}

export type Admission = Ticket | LimitRefusal;

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

/** How often more is asked for, for one request. */
const MOST_TRIES = 10;

const noCounts = (): Counts => ({ sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 });

export class Limits {
  readonly max: Counts;
  /** Of all clients. */
  readonly counts = noCounts();
  readonly clock: Clock;
  /** What sessions keep for clients that come back. */
  readonly kept: KeptEvents;
  /** Those that hold something, or have sent requests in the last minute. */
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

  /** How many principals hold something. */
  get principals(): number {
    return this.#accounts.size;
  }

  /** A request has arrived. `kind`: what it is counted as until it ends. A promise only where quotas are shared. */
  admit(principal: Principal | undefined, kind: 'inFlight' | 'streams'): Admission | Promise<Admission> {
    const account = this.of(principal);
    const refusal = account.countRequest() ?? account.take(kind);
    if (!refusal) return new Ticket(account, kind);
    if (!account.share || refusal.status !== 429) return refusal;
    return account.takeOrAsk(kind, refusal).then((last) => last ?? new Ticket(account, kind));
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

  /** To be called again and again: forgets principals that hold nothing. */
  sweep(): void {
    for (const [name, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(name);
  }

  /** From now on no new requests are taken. */
  drain(ms: number): void {
    this.#drainUntilMs = this.clock.nowMs() + ms;
  }

  get isDraining(): boolean {
    return this.#drainUntilMs !== undefined;
  }

  /** When the process that comes next may be there. */
  get retryAfterS(): number {
    return Math.max(1, Math.ceil(((this.#drainUntilMs ?? 0) - this.clock.nowMs()) / 1000));
  }

  /** Resolves when none of these is left, or after the time. */
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

/** What the clients of one principal hold. */
export class Account {
  quotas: Quotas | undefined;
  /** It has at most half of each limit for which it has no quota, while there are others. */
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

  /** Streams are given less to wait while this holds: a principal alone does not use up what is for all. */
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

  /** `isKept`: for as long as the client wants. Then others must find something left when they come. */
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
   * Where quotas are shared, more is asked for before it is refused. Others may take what was given for this request first: it is
   * asked for again while there is more. `refusal`: of an attempt that was made already.
   */
  async takeOrAsk(kind: Counted, refusal = this.take(kind)): Promise<LimitRefusal | undefined> {
    for (let tries = 0; this.share && refusal?.status === 429 && tries < MOST_TRIES; tries += 1) {
      const isMore = await this.share.refill();
      refusal = (refusal.limit === 'requestsPerMinute' ? this.countRequest() : undefined) ?? this.take(kind);
      if (!isMore) break;
    }
    return refusal;
  }

  /** Without asking: what has to be sent is sent. */
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
