// The lease of a node, or the right to place. Its holder may act as an owner. The entry in NATS disappears one lifetime after its
// last renewal, and only then do others take over.
// The lease is trusted for 0.6 × lifetime from the time *before* the last acknowledged write was sent, by the monotonic and by the
// wall clock: a process that was suspended, or a machine that slept, finds its lease expired before it does anything else. An
// acknowledged compare-and-set at the known revision proves that the entry never disappeared in between. A read only yields the
// revision to write at, which is how a lost acknowledgement is resolved. A session that has lost its lease never regains it.
// The lifetime is that of the table when the session begins. It can be changed in NATS. So claims name the lifetime that their
// session relies on, and other nodes do not mistake a lease that disappeared early for one that has ended.

import { randomBytes } from 'node:crypto';
import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import { SILENT, within } from '../../../base/wait.ts';
import type { ClusterNetwork, LeaseRecord } from '../cluster-network.ts';

/**
 * Part of the lifetime during which a lease is trusted. The watchdog ends the processes of the claims at 0.8; NATS
 * drops the entry at 1.
 */
const TRUSTED = 0.6;
/** Fractions of the lifetime. */
const RENEWAL = 1 / 4;
const RETRY = 1 / 16;
/** Unit: lifetimes. NATS removes an entry slightly after it expires. */
const PATIENCE = 2;

export interface NodeLeaseOptions {
  clock?: Clock | undefined;
  /** Default: `Date.now`. */
  wallMs?: (() => number) | undefined;
}

/** One session, from the first attempt to get the lease to its loss. */
interface Term {
  readonly session: string;
  /** Revision of the entry; 0 if none is known. */
  revision: number;
  /** The lifetime of the lease; 0 before it is read from NATS. */
  lifetimeMs: number;
}

type Entry = { session: string; revision: number };
type Written = 'written' | 'unsure' | 'gone' | Entry;

export class NodeLease {
  session: string | undefined;
  onHeld: ((session: string) => void) | undefined;
  /** The next session begins when the promise has resolved (all processes have exited), or when NATS has dropped the entry. */
  onLost: ((reason: string) => void | Promise<void>) | undefined;
  /** True after a loss if another process has the lease, and with it the name of the node. */
  isTaken = false;
  onTaken: (() => void) | undefined;
  /** Called after each acknowledged write, with the time since it was sent and the lifetime that the session relies on. */
  onRenewed: ((session: string, ageMs: number, lifetimeMs: number) => void) | undefined;
  readonly #network: ClusterNetwork;
  readonly #key: string;
  readonly #node: string;
  readonly #clock: Clock;
  readonly #wallMs: () => number;
  #untilMs = Number.NEGATIVE_INFINITY;
  #untilWallMs = Number.NEGATIVE_INFINITY;
  #term: Term | undefined;
  /** The last lost session of this object whose processes have exited: its entry may be replaced. */
  #ended: string | undefined;
  /** The last lost session. Its entry can outlive it. */
  #lost: string | undefined;
  #expiry: Timer | undefined;
  #pause: { timer: Timer; resolve: () => void } | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(
    network: ClusterNetwork,
    key: string,
    node: string,
    { clock = systemClock, wallMs = Date.now }: NodeLeaseOptions = {},
  ) {
    this.#network = network;
    this.#key = key;
    this.#node = node;
    this.#clock = clock;
    this.#wallMs = wallMs;
  }

  get lifetimeMs(): number {
    return this.#term?.lifetimeMs || this.#network.leases.lifetimeMs;
  }

  /** Hot path: read for every call. */
  get isHeld(): boolean {
    return this.#clock.nowMs() < this.#untilMs && this.#wallMs() < this.#untilWallMs;
  }

  /** The session, unless the lease has expired by the clock. */
  get heldSession(): string | undefined {
    return this.isHeld ? this.session : undefined;
  }

  /** Resolves with the promise, or to undefined as soon as the lease ends: nothing may delay the work that is due then. */
  unlessLost<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const wake = () => resolve(undefined);
      this.#waiting.add(wake);
      void promise.then(resolve, reject).finally(() => this.#waiting.delete(wake));
    });
  }

  /**
   * `node.<name>`: resolves when the lease is held, and acquires it again after every loss. Waits until the entry of a predecessor
   * expires, and rejects with NODE_NAME_TAKEN if it is still renewed. `placer`: makes one attempt.
   */
  async acquire(): Promise<boolean> {
    if (this.session !== undefined) return true;
    this.#term ??= newTerm();
    return this.#key === 'placer' ? this.#tryOnce(this.#term) : this.#acquireNode(this.#term);
  }

  /** Gives the lease back. All processes of the session must have exited. */
  async release(): Promise<void> {
    const term = this.#term;
    this.#end();
    if (!term) return;
    // A write in progress can change the revision once more.
    for (let i = 0; i < 2; i++) {
      const entry = await this.#bounded(this.#network.leases.table.get(this.#key));
      if (!entry || entry === SILENT || entry.value.session !== term.session) return;
      if ((await this.#bounded(this.#network.leases.table.remove(this.#key, entry.revision))) === true) return;
    }
  }

  async #tryOnce(term: Term): Promise<boolean> {
    let written = await this.#write(term);
    if (typeof written === 'object' && written.session === term.session) {
      term.revision = written.revision;
      written = await this.#write(term);
    }
    if (this.#term !== term) return false;
    if (written === 'written' && this.isHeld) {
      void this.#keep(term);
      return true;
    }
    // After a write without an answer, the next attempt has to recognise its own session.
    if (written !== 'unsure') this.#term = undefined;
    return false;
  }

  async #acquireNode(term: Term): Promise<boolean> {
    const sinceMs = this.#clock.nowMs();
    let seen: number | undefined;
    return this.#obtain(term, async ({ revision }, mayAdopt) => {
      if (mayAdopt) return;
      seen ??= revision;
      const isLate = this.#clock.nowMs() - sinceMs > PATIENCE * this.lifetimeMs;
      if (seen === revision && !isLate) return;
      this.#end();
      throw await nameTaken(this.#node, this.#network);
    });
  }

  /** Tries until the lease is held, or the term ends. `found`: called with an entry that is in the way. */
  async #obtain(term: Term, found: (entry: Entry, mayAdopt: boolean) => void | Promise<void>): Promise<boolean> {
    for (;;) {
      const written = await this.#write(term);
      if (this.#term !== term) return false;
      if (written === 'written' && this.isHeld) break;
      if (typeof written === 'object') await found(written, this.#adopt(term, written));
      await this.#wait(RETRY);
      if (this.#term !== term) return false;
    }
    void this.#keep(term);
    return true;
  }

  async #keep(term: Term): Promise<void> {
    for (let wait = RENEWAL; ; ) {
      await this.#wait(wait);
      if (this.#term !== term) return;
      const written = await this.#write(term);
      if (this.#term !== term) return;
      if (written === 'gone') return this.#lose(`NATS no longer has the lease ${this.#key}`);
      if (typeof written === 'object' && !this.#adopt(term, written)) {
        return this.#lose(`another process has taken the lease ${this.#key}`);
      }
      wait = written === 'written' ? RENEWAL : typeof written === 'object' ? 0 : RETRY;
    }
  }

  async #regain(term: Term): Promise<void> {
    const isHeld = await this.#obtain(term, ({ session }, mayAdopt) =>
      this.#setTaken(!mayAdopt && session !== this.#lost),
    );
    if (isHeld) this.#setTaken(false);
  }

  #setTaken(isTaken: boolean): void {
    const isNew = isTaken && !this.isTaken;
    this.isTaken = isTaken;
    if (isNew) this.onTaken?.();
  }

  /**
   * Returns true if the entry belongs to this session, or to an earlier one of this object whose processes have exited.
   */
  #adopt(term: Term, { session, revision }: Entry): boolean {
    if (session !== term.session && session !== this.#ended) return false;
    term.revision = revision;
    return true;
  }

  async #write(term: Term): Promise<Written> {
    const { table } = this.#network.leases;
    if (term.lifetimeMs === 0) {
      // No process runs under the lease of the placer, so its lifetime need not be read again.
      const { leases } = this.#network;
      const read = this.#key === 'placer' ? leases.lifetimeMs : await this.#bounded(leases.readLifetime());
      if (read === SILENT || this.#term !== term) return 'unsure';
      term.lifetimeMs = read;
    }
    const sentMs = this.#clock.nowMs();
    const sentWallMs = this.#wallMs();
    const value: LeaseRecord = { session: term.session, node: this.#node };
    const written = await this.#bounded(
      term.revision === 0 ? table.create(this.#key, value) : table.update(this.#key, value, term.revision),
    );
    if (this.#term !== term) return 'unsure';
    if (typeof written === 'number') {
      term.revision = written;
      this.#extend(term, sentMs, sentWallMs);
      return 'written';
    }
    const entry = await this.#bounded(table.get(this.#key));
    if (entry === SILENT) return 'unsure';
    if (entry) return { session: entry.value.session, revision: entry.revision };
    term.revision = 0;
    return 'gone';
  }

  #extend(term: Term, sentMs: number, sentWallMs: number): void {
    const trustedMs = TRUSTED * term.lifetimeMs;
    this.#untilMs = sentMs + trustedMs;
    this.#untilWallMs = sentWallMs + trustedMs;
    this.#expiry?.cancel();
    const ageMs = this.#clock.nowMs() - sentMs;
    if (!this.isHeld) return this.session === undefined ? undefined : this.#lose('it was renewed too late');
    this.#expiry = this.#after(trustedMs - ageMs, () => {
      if (this.session !== undefined) this.#lose('it could not be renewed in time');
    });
    this.onRenewed?.(term.session, ageMs, term.lifetimeMs);
    if (this.session !== undefined) return;
    this.session = term.session;
    this.onHeld?.(term.session);
  }

  #lose(reason: string): void {
    const { session } = this.#term!;
    this.#lost = session;
    this.#end();
    const ended = this.onLost?.(reason);
    // If something could not be ended, the old entry stays until NATS drops it.
    Promise.resolve(ended).then(
      () => (this.#ended = session),
      () => undefined,
    );
    if (this.#key === 'placer') return;
    this.#term = newTerm();
    void this.#regain(this.#term);
  }

  #end(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#term = undefined;
    this.session = undefined;
    this.#expiry?.cancel();
    this.#pause?.timer.cancel();
    this.#pause?.resolve();
    for (const wake of this.#waiting) wake();
  }

  /** Waits for a fraction of the lifetime, or until the term ends. */
  #wait(part: number): Promise<void> {
    return new Promise((resolve) => {
      this.#pause = { timer: this.#after(part * this.lifetimeMs, resolve), resolve };
    });
  }

  #after(ms: number, callback: () => void): Timer {
    const timer = this.#clock.after(ms, callback);
    timer.keepAlive(false);
    return timer;
  }

  /** `SILENT` if the request failed or takes too long: its outcome is then unknown. */
  #bounded<T>(request: Promise<T>): Promise<T | typeof SILENT> {
    return within(
      this.#clock,
      RENEWAL * this.lifetimeMs,
      request.catch((): typeof SILENT => SILENT),
    );
  }
}

function newTerm(): Term {
  return { session: randomBytes(8).toString('hex'), revision: 0, lifetimeMs: 0 };
}

async function nameTaken(node: string, { fleet, directory }: ClusterNetwork): Promise<UsageError> {
  const other = await directory.nodes.get(node).catch(() => undefined);
  const where = other?.value.pid ? ` (process ${other.value.pid} on ${other.value.hostname})` : '';
  return new UsageError('NODE_NAME_TAKEN', `Another host runs as node "${node}" of the fleet "${fleet}"${where}`, {
    hint: 'Give this host another name with --node, or stop the other one.',
  });
}
