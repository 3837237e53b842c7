// The events that all sessions keep for their clients, by principal. While a principal keeps the most, only its own events are dropped for
// it, and a named principal keeps at most half of the limit. Unsent messages are counted separately and never displace events.

import { EventLog } from './event-log.ts';

/** Limit of unsent messages, as a fraction of the limit of events. */
const UNSENT_PART = 1 / 4;
/**
 * Fraction of the limit that remains after events were dropped. Dropping in larger steps limits the searches through
 * all logs of a principal.
 */
const LEFT_PART = 7 / 8;

export class KeptEvents {
  readonly #maxChars: number;
  readonly #shares = new Map<string | undefined, KeptShare>();
  chars = 0;
  unsentChars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  open(principal: string | undefined, maxChars: number): EventLog {
    let share = this.#shares.get(principal);
    if (!share) {
      share = new KeptShare(this, principal === undefined ? this.#maxChars : this.#maxChars / 2);
      this.#shares.set(principal, share);
    }
    const log = new EventLog(maxChars, share, () => {
      if (share.logs.size === 0) this.#shares.delete(principal);
    });
    share.logs.add(log);
    return log;
  }

  hasRoomForUnsent(more: number): boolean {
    return this.unsentChars + more <= this.#maxChars * UNSENT_PART;
  }

  makeRoom(): void {
    if (this.chars <= this.#maxChars) return;
    while (this.chars > this.#maxChars * LEFT_PART) largest(this.#shares.values())?.shorten();
  }
}

/** The events that the sessions of one principal keep. */
export class KeptShare {
  chars = 0;
  unsentChars = 0;
  readonly logs = new Set<EventLog>();
  readonly #all: KeptEvents;
  readonly #maxChars: number;

  constructor(all: KeptEvents, maxChars: number) {
    this.#all = all;
    this.#maxChars = maxChars;
  }

  /** `more` may be negative. */
  count(more: number): void {
    this.chars += more;
    this.#all.chars += more;
  }

  countUnsent(more: number): void {
    this.unsentChars += more;
    this.#all.unsentChars += more;
  }

  hasRoomForUnsent(more: number): boolean {
    return this.unsentChars + more <= this.#maxChars * UNSENT_PART && this.#all.hasRoomForUnsent(more);
  }

  makeRoom(): void {
    if (this.chars > this.#maxChars) while (this.chars > this.#maxChars * LEFT_PART) this.shorten();
    this.#all.makeRoom();
  }

  shorten(): void {
    largest(this.logs)?.dropHalf();
  }
}

function largest<T extends { chars: number }>(all: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const each of all) if (each.chars > (found?.chars ?? 0)) found = each;
  return found;
}
