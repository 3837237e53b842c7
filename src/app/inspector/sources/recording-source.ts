// A recording with its rotated files: read once, in order, and then shown like any other source. Missing or damaged parts of the file
// are shown as notes at their position.

import { basename } from 'node:path';
import { toError, UsageError } from '../../../base/errors.ts';
import { readRecordings } from '../../../observe/record/reader.ts';
import { RestoredFlow } from '../../../observe/record/restored-flow.ts';
import type { InspectorSource } from './source.ts';

export interface RecordingSourceOptions {
  /** Limits; the newest events are kept. Defaults: 1,000,000 events, 256 MiB. */
  maxEvents?: number;
  maxBytes?: number;
  /** Called every 10,000 events while the file is read. */
  onProgress?: (events: number) => void;
}

const PROGRESS_EVENTS = 10_000;

export function recordingSource(file: string, options: RecordingSourceOptions = {}): InspectorSource {
  return new RecordingSource(file, options);
}

class RecordingSource implements InspectorSource {
  readonly kind = 'recording';
  readonly title: string;
  readonly live = false;
  readonly #file: string;
  readonly #restored: RestoredFlow;
  readonly #onProgress: ((events: number) => void) | undefined;

  constructor(
    file: string,
    { maxEvents = 1_000_000, maxBytes = 256 * 1024 * 1024, onProgress }: RecordingSourceOptions,
  ) {
    this.#file = file;
    this.title = basename(file);
    this.#restored = new RestoredFlow({ maxEvents, maxBytes }, this.title);
    this.#onProgress = onProgress;
  }

  get flow() {
    return this.#restored.store;
  }

  get lost(): number {
    return this.#restored.missing;
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
        this.#restored.take(item);
        if (item.type === 'event' && ++events % PROGRESS_EVENTS === 0) this.#onProgress?.(events);
      }
    } catch (error) {
      throw this.#unreadable(toError(error).message);
    }
    if (items === 0) throw this.#unreadable('there is no such file, or it is empty');
    if (events === 0 && this.#restored.damaged > 0) throw this.#unreadable('it is not a recording');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #unreadable(why: string): UsageError {
    return new UsageError('INVALID_OPTION', `The recording ${this.#file} cannot be read: ${why}`);
  }
}
