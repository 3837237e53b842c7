// Writes the events of a store to a file, many at a time. The traffic never waits for it. A file failure is reported once, and writing
// is retried later. Memory is bounded: events that a slow disk cannot take are skipped, and gaps in their numbers show it.

import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import { openPrivate, openPrivateSync } from '../../wire/process/files/private-file.ts';
import { renameOver } from '../../wire/process/files/rename-over.ts';
import type { FlowEvent } from '../flow/event.ts';
import type { FlowStore } from '../flow/store.ts';
import { EventLines } from './event-line.ts';
import { LineBuffer } from './line-buffer.ts';
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
    this.#rotating = new RotatingFile({ path: file, maxFileBytes, maxFiles, header });
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

interface RotatingFileOptions {
  path: string;
  /** When this size is reached, the next append begins a new file. */
  maxFileBytes: number;
  /** Maximum number of files, including FILE itself. */
  maxFiles: number;
  header: string;
}

/**
 * An append-only file that is rotated by size: FILE is the newest, FILE.1 the one before, and so on; the oldest is deleted. Two lines are
 * never joined, even after a partial line of a killed writer, a moved or removed file, or appends of another program. The files are private
 * to this user (private-file.ts). Calls must not overlap.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #handle: FileHandle | undefined;
  /** Data of the current append that may be unwritten. */
  #unwritten: Uint8Array | undefined;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /** `lines` must end with a newline. Rejects with the system error; the next call starts over. */
  async append(lines: Uint8Array): Promise<void> {
    this.#unwritten = lines;
    try {
      this.#handle = await this.#ready();
      // Usually one write, so that a process that ends during it leaves the whole batch or nothing.
      for (let at = 0; at < lines.length; ) at += (await this.#handle.write(lines, at)).bytesWritten;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.#unwritten = undefined;
    }
  }

  get hasUnwritten(): boolean {
    return this.#unwritten !== undefined;
  }

  /**
   * Called at process exit, when nothing can be awaited: writes possibly unwritten lines and `last`. The system may
   * still complete the pending write, which duplicates its lines. Throws the system error.
   */
  appendSync(last: Uint8Array): void {
    const lines = Buffer.concat([this.#unwritten ?? new Uint8Array(), last]);
    if (this.#handle) {
      writeFileSync(this.#handle.fd, lines);
      return;
    }
    const { path, header } = this.#options;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Readers skip the empty line, which separates this from a partial line of an earlier writer.
    const descriptor = openPrivateSync(path);
    try {
      writeFileSync(descriptor, Buffer.concat([Buffer.from(`\n${header}\n`), lines]));
    } finally {
      closeSync(descriptor);
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined); // the write before has reported any failure
  }

  async #ready(): Promise<FileHandle> {
    if (this.#handle && (await this.#isFull(this.#handle))) await this.close();
    return this.#handle ?? (await this.#open());
  }

  /** Resolves to true if the file is full, moved or removed and must not be written any more. */
  async #isFull(handle: FileHandle): Promise<boolean> {
    const { path, maxFileBytes } = this.#options;
    const [ours, there] = await Promise.all([handle.stat(), lstat(path).catch(() => undefined)]);
    if (!there || there.ino !== ours.ino || there.dev !== ours.dev) return true;
    if (ours.size < maxFileBytes) return false;
    await this.#moveAside();
    return true;
  }

  async #open(): Promise<FileHandle> {
    const { path, maxFileBytes, header } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    let handle = await openPrivate(path);
    let { size } = await handle.stat();
    if (size >= maxFileBytes) {
      await handle.close();
      await this.#moveAside();
      handle = await openPrivate(path);
      size = 0;
    }
    this.#handle = handle;
    const torn = size > 0 && (await lastByte(handle, size)) !== 0x0a;
    await handle.appendFile(`${torn ? '\n' : ''}${header}\n`);
    return handle;
  }

  async #moveAside(): Promise<void> {
    const { path, maxFiles } = this.#options;
    if (maxFiles <= 1) return unlink(path).catch(ignoreMissing);
    for (let number = maxFiles - 2; number >= 0; number--) {
      const from = number === 0 ? path : `${path}.${number}`;
      await renameOver(from, `${path}.${number + 1}`).catch(ignoreMissing);
    }
  }
}

async function lastByte(handle: FileHandle, size: number): Promise<number> {
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, size - 1);
  return byte[0]!;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
