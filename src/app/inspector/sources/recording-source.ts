// A recording with its rotated files: read once, in order, and then shown like any other source. Missing or damaged parts of the file
// are shown as notes at their position.

import { basename } from 'node:path';
import { toError, UsageError } from '../../../base/errors.ts';
import { isOfClient } from '../../../observe/flow/event.ts';
import { type RecordingItem, readRecordings } from '../../../observe/record/reader.ts';
import { RestoredFlow } from './restored-flow.ts';
import type { InspectorSource } from './source.ts';

export interface RecordingSourceOptions {
  /** Limits; the newest events are kept. Defaults: 1,000,000 events, 256 MiB. */
  maxEvents?: number;
  maxBytes?: number;
  /** Called every 10,000 events while the file is read. */
  onProgress?: (events: number) => void;
}

const MOST_DAMAGE_NOTES = 100;
const PROGRESS_EVENTS = 10_000;

export function recordingSource(file: string, options: RecordingSourceOptions = {}): InspectorSource {
  return new RecordingSource(file, options);
}

class RecordingSource implements InspectorSource {
  readonly kind = 'recording';
  readonly title: string;
  readonly live = false;
  lost = 0;
  readonly #file: string;
  readonly #restored: RestoredFlow;
  readonly #onProgress: ((events: number) => void) | undefined;
  /** The server with which a note about the file is shown. */
  #server: string;
  #damaged = 0;

  constructor(
    file: string,
    { maxEvents = 1_000_000, maxBytes = 256 * 1024 * 1024, onProgress }: RecordingSourceOptions,
  ) {
    this.#file = file;
    this.title = basename(file);
    this.#server = this.title;
    this.#restored = new RestoredFlow({ maxEvents, maxBytes });
    this.#onProgress = onProgress;
  }

  get flow() {
    return this.#restored.store;
  }

  get startedAt(): Date {
    return this.#restored.startedAt;
  }

  async open(): Promise<void> {
    let events = 0;
    let items = 0;
    try {
      for await (const item of readRecordings(this.#file)) {
        items++;
        this.#take(item);
        if (item.type === 'event' && ++events % PROGRESS_EVENTS === 0) this.#onProgress?.(events);
      }
    } catch (error) {
      throw this.#unreadable(toError(error).message);
    }
    if (items === 0) throw this.#unreadable('there is no such file, or it is empty');
    if (events === 0 && this.#damaged > 0) throw this.#unreadable('it is not a recording');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #take(item: RecordingItem): void {
    switch (item.type) {
      case 'event':
        if (!isOfClient(item.event)) this.#server = item.event.server;
        this.#restored.add(item.run, item.event);
        return;
      case 'gap': {
        const missing = item.toSeq - item.fromSeq + 1;
        this.lost += missing;
        this.#note(`${missing} ${missing === 1 ? 'event is' : 'events are'} missing here in the recording`);
        return;
      }
      case 'damage':
        if (++this.#damaged > MOST_DAMAGE_NOTES) return;
        this.#note(`Damaged at byte ${item.offset} (${item.length} bytes): ${item.reason}`);
    }
  }

  #note(text: string): void {
    this.#restored.note(this.#server, text);
  }

  #unreadable(why: string): UsageError {
    return new UsageError('INVALID_OPTION', `The recording ${this.#file} cannot be read: ${why}`);
  }
}
