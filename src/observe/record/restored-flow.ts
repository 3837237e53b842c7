// Merges events of other stores into one: from recordings, and from taps and hosts in other processes. Each event keeps its time,
// moved to a common clock, and gets the next number. Process runs are numbered again, because each origin starts at 1.

import { type Clock, systemClock } from '../../base/clock.ts';
import { keepNewest } from '../analysis/exchange.ts';
import { type ClientFact, type FlowEvent, type FlowFact, isOfClient } from '../flow/event.ts';
import { FlowStore, type FlowStoreOptions } from '../flow/store.ts';
import type { RecordingItem } from './reader.ts';

export interface Origin {
  /** Unique id of a run of a program. */
  readonly run: string;
  readonly startedAt?: Date | undefined;
}

const MOST_DAMAGE_NOTES = 100;
/** Limit of process runs whose numbers are remembered. */
const MOST_LIVES = 10_000;

export class RestoredFlow {
  readonly store: FlowStore;
  readonly #time = new RestoredTime();
  readonly #lives = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #startedAt: Date | undefined;
  /** Connected clients, by the run of their host. */
  readonly #clients = new Map<string, Map<string, { life: number; fact: ClientFact }>>();
  /** The last place of an event of a server: the next event mostly has the same. */
  #last: { run: string; ownName: string; ownLife: number; server: string; life: number } | undefined;
  /** The first run that has clients. */
  #firstRun: string | undefined;

  /** Events that are missing in the items of a recording. */
  missing = 0;
  /** Lines of a recording that cannot be read. */
  damaged = 0;
  /** The server with which a note about the recording is shown. */
  #noted: string;

  constructor(options: Omit<FlowStoreOptions, 'clock'> = {}, title = '') {
    this.store = new FlowStore({ ...options, clock: this.#time });
    this.#noted = title;
  }

  /** Adds an item of a recording. Missing and damaged parts become notes at their place. */
  take(item: RecordingItem): void {
    switch (item.type) {
      case 'event':
        if (!isOfClient(item.event)) this.#noted = item.event.server;
        this.add(item.run, item.event);
        return;
      case 'gap': {
        const missing = item.toSeq - item.fromSeq + 1;
        this.missing += missing;
        this.note(this.#noted, `${missing} ${missing === 1 ? 'event is' : 'events are'} missing here in the recording`);
        return;
      }
      case 'damage':
        if (++this.damaged > MOST_DAMAGE_NOTES) return;
        this.note(this.#noted, `Damaged at byte ${item.offset} (${item.length} bytes): ${item.reason}`);
    }
  }

  /** The date of `atMs` 0: that of the earliest origin. */
  get startedAt(): Date {
    return this.#startedAt ?? this.store.startedAt;
  }

  /** Starts the clock now, unless events have arrived already. */
  beginClock(): void {
    this.#startedAt ??= new Date();
  }

  /** Announces an origin. The clock starts with the earliest origin that is known at the first event. */
  expect({ startedAt }: Origin): void {
    if (!startedAt || this.store.lastSeq > 0) return;
    if (!this.#startedAt || startedAt < this.#startedAt) this.#startedAt = startedAt;
  }

  /** The time of the event on the common clock. */
  #timeOf({ startedAt }: Origin, atMs: number): number {
    if (!startedAt) return atMs;
    this.#startedAt ??= startedAt;
    return startedAt.getTime() - this.#startedAt.getTime() + atMs;
  }

  /** `nameOf`: the name under which a server of the origin is shown. */
  add(origin: Origin, event: FlowEvent, nameOf: (server: string) => string = (server) => server): void {
    const { seq, atMs, server: ownName, life: ownLife, ...fact } = event;
    this.#time.atMs = this.#timeOf(origin, atMs);
    const isClient = isOfClient(event);
    const { server, life } = this.#placeOf(origin, ownName, ownLife, isClient, nameOf);
    if (isWhole(fact)) {
      this.store.appendFrame(server, life, fact.direction, fact.payload, fact.offset, fact.http);
    } else if (fact.kind === 'link') {
      const isToClient = fact.direction === 'toClient';
      const wire = this.#placeOf(origin, fact.wire, fact.wireLife, isToClient, nameOf);
      this.store.append(server, life, { ...fact, wire: wire.server, wireLife: wire.life });
    } else this.store.append(server, life, fact);
    if (fact.kind === 'client') this.#note(origin, server, life, fact);
  }

  /** The origin has ended: its clients are disconnected. */
  ended({ run }: Origin): void {
    for (const [server, { life, fact }] of this.#clients.get(run) ?? []) {
      this.store.append(server, life, { ...fact, state: 'closed' });
    }
    this.#clients.delete(run);
  }

  #note({ run }: Origin, server: string, life: number, fact: ClientFact): void {
    const known = this.#clients.get(run) ?? new Map();
    this.#clients.set(run, known);
    if (fact.state === 'closed' || fact.stateless) known.delete(server);
    else known.set(server, { life, fact });
    keepNewest(known, MOST_LIVES);
    keepNewest(this.#clients, MOST_LIVES);
  }

  note(server: string, text: string): void {
    this.store.append(server, this.#counts.get(server) ?? 0, { kind: 'note', text });
  }

  #placeOf(
    { run }: Origin,
    ownName: string,
    ownLife: number,
    isClient: boolean,
    nameOf: (server: string) => string,
  ): { server: string; life: number } {
    if (isClient) {
      // A server that is started again is the same server. The clients of each run are numbered from 1 and are different clients.
      this.#firstRun ??= run;
      return { server: run === this.#firstRun ? ownName : `${ownName} of ${run}`, life: ownLife };
    }
    const last = this.#last;
    if (last?.run === run && last.ownName === ownName && last.ownLife === ownLife && last.server === nameOf(ownName))
      return last;
    const server = nameOf(ownName);
    const key = JSON.stringify([run, ownName, ownLife]);
    let life = this.#lives.get(key);
    if (life === undefined) {
      life = (this.#counts.get(server) ?? 0) + 1;
      this.#counts.set(server, life);
      this.#lives.set(key, life);
      keepNewest(this.#counts, MOST_LIVES);
      keepNewest(this.#lives, MOST_LIVES);
    }
    this.#last = { run, ownName, ownLife, server, life };
    return this.#last;
  }
}

/** A clock that shows the time of the event being added. */
class RestoredTime implements Clock {
  atMs = 0;

  nowMs(): number {
    return this.atMs;
  }

  after(delayMs: number, callback: () => void) {
    return systemClock.after(delayMs, callback);
  }
}

/** Returns true for a frame that is fully described by its bytes: the store packs these together. */
function isWhole(fact: FlowFact): fact is FlowFact & { kind: 'frame' } {
  return fact.kind === 'frame' && !fact.cut && !fact.redacted && fact.length === fact.payload.length;
}
