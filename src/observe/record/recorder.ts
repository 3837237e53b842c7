// Writes the events of a store to a file, many at a time. The traffic never waits for it. A file failure is reported once, and writing
// is retried later. Memory is bounded: events that a slow disk cannot take are skipped, and gaps in their numbers show it.

import type { Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import type { FlowEvent } from '../flow/event.ts';
import type { FlowStore } from '../flow/store.ts';
import { EventLines } from './event-line.ts';
import { LineBuffer } from './line-buffer.ts';
import { RotatingFile } from './rotating-file.ts';
import { headerLine, newRunId } from './run-header.ts';

export interface RecorderOptions {
  file: string;
  redact?: Redact;
  maxFileBytes?: number;
  /** Total number of files: FILE, FILE.1 … */
  maxFiles?: number;
  /** Maximum delay before an event is written. */
  flushMs?: number;
  /** Maximum bytes queued for a slow disk before events are skipped. */
  maxPendingBytes?: number;
  retryMs?: number;
  about?: Readonly<Record<string, unknown>>;
  /** Called when recording fails, and again only after it has worked in between. */
  onFailure?: (error: Error) => void;
}

/** Queued bytes that trigger a write before `flushMs` has passed. */
const FLUSH_BYTES = 1024 * 1024;

export function record(store: FlowStore, options: RecorderOptions): Recorder {
  return new Recorder(store, options);
}

export class Recorder {
  readonly run = newRunId();
  readonly file: string;
  /** Number of events skipped because the file could not be written. */
  skippedEvents = 0;
  readonly #options: RecorderOptions;
  readonly #store: FlowStore;
  readonly #lines: EventLines;
  readonly #rotating: RotatingFile;
  readonly #unsubscribe: () => void;
  readonly #onExit = () => this.#flushSync();
  readonly #flushMs: number;
  readonly #maxPendingBytes: number;
  readonly #pending = new LineBuffer();
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #failed = false;
  #retryAtMs = 0;

  constructor(store: FlowStore, options: RecorderOptions) {
    const { file, redact, about = {}, maxFileBytes = 64 * 1024 * 1024, maxFiles = 4 } = options;
    this.#store = store;
    this.file = file;
    this.#options = options;
    this.#flushMs = options.flushMs ?? 50;
    this.#maxPendingBytes = options.maxPendingBytes ?? 16 * 1024 * 1024;
    this.#lines = new EventLines(this.run, redact);
    const header = headerLine({ run: this.run, startedAt: store.startedAt, pid: process.pid, about });
    this.#rotating = new RotatingFile({ path: file, maxFileBytes, maxFiles, header: () => header });
    process.once('exit', this.#onExit);
    for (const event of store.since(0)) this.#see(event);
    this.#unsubscribe = store.subscribe((event) => this.#see(event));
  }

  /** Opens the file. Resolves to whether it can be written; a failure is reported, and retried with the next events. */
  async open(): Promise<boolean> {
    this.#writing ??= this.#write();
    await this.#writing;
    this.#writing = undefined;
    return !this.#failed;
  }

  /** Writes the queued events and closes the file. Never rejects. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#timer?.cancel();
    await this.#writing;
    await this.#flush();
    await this.#rotating.close();
    process.off('exit', this.#onExit);
  }

  #see(event: FlowEvent): void {
    if (this.#pending.usedBytes > this.#maxPendingBytes || this.#waitsToRetry()) {
      this.skippedEvents++;
      return;
    }
    try {
      this.#lines.write(event, this.#pending);
    } catch (thrown) {
      this.skippedEvents++;
      this.#report(thrown);
    }
    if (this.#pending.usedBytes > FLUSH_BYTES) void this.#flush();
    else this.#timer ??= this.#startTimer();
  }

  #startTimer(): Timer {
    const timer = this.#store.clock.after(this.#flushMs, () => void this.#flush());
    timer.keepAlive(false);
    return timer;
  }

  async #flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#writing || this.#pending.lines === 0) return;
    this.#writing = this.#write();
    await this.#writing;
    this.#writing = undefined;
    if (this.#pending.lines > 0) this.#timer ??= this.#startTimer();
  }

  async #write(): Promise<void> {
    const events = this.#pending.lines;
    try {
      await this.#rotating.append(this.#pending.take());
      this.#failed = false;
    } catch (thrown) {
      this.skippedEvents += events;
      this.#retryAtMs = this.#store.clock.nowMs() + (this.#options.retryMs ?? 5000);
      this.#report(thrown);
    }
  }

  #waitsToRetry(): boolean {
    return this.#failed && this.#store.clock.nowMs() < this.#retryAtMs;
  }

  #report(thrown: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#options.onFailure?.(toError(thrown));
  }

  /** Called at process exit, when nothing can be awaited. */
  #flushSync(): void {
    if (this.#pending.lines === 0 && !this.#rotating.hasUnwritten) return;
    try {
      this.#rotating.appendSync(this.#pending.take());
    } catch (thrown) {
      this.#report(thrown);
    }
  }
}
