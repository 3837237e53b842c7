// The items of a recording or of a running tap or host, as entries with dates and with the bytes of their messages.

import type { FrameEvent } from '../flow/event.ts';
import type { FlowStoreOptions } from '../flow/store.ts';
import type { RecordingItem } from '../record/reader.ts';
import { RestoredFlow } from '../record/restored-flow.ts';
import { Entries, type Entry, type EntryOptions } from './entries.ts';

export interface TrafficOptions extends EntryOptions, Pick<FlowStoreOptions, 'maxBytes' | 'maxEvents'> {
  title: string;
}

export class Traffic {
  readonly #restored: RestoredFlow;
  readonly #entries: Entries;

  constructor({ title, maxBytes = 64 * 1024 * 1024, maxEvents = 50_000, ...options }: TrafficOptions) {
    this.#restored = new RestoredFlow({ maxBytes, maxEvents }, title);
    this.#entries = new Entries(options);
  }

  take(item: RecordingItem): void {
    if (item.type === 'run') return this.#restored.expect(item.run);
    const { store } = this.#restored;
    const before = store.lastSeq;
    if (item.type === 'damage' && before === 0) return; // the time is unknown before the first event
    this.#restored.take(item);
    for (const event of store.since(before)) this.#entries.see(event);
  }

  get pending() {
    return this.#entries.pending;
  }

  end(): void {
    this.#entries.end();
  }

  /** The date of an event, in milliseconds since 1970. */
  dateMs(atMs: number): number {
    return this.#restored.startedAt.getTime() + atMs;
  }

  /** The messages of an entry that are still in memory, oldest first. */
  messagesOf(entry: Entry): FrameEvent[] {
    if (entry.type !== 'exchange') return entry.type === 'message' ? [entry.event] : [];
    return entry.seqs.flatMap((seq) => {
      const event = this.#restored.store.get(seq);
      return event?.kind === 'frame' ? event : [];
    });
  }
}
