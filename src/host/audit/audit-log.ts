// Writes the audit trail of a host. Calls never wait for the disk, unless the trail is required: then each call waits until its line is
// in the file, and is refused if it cannot be written. A line is kept in memory until it was written; memory is bounded.

import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { RpcCode, RpcError, toError } from '../../base/errors.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import { escapeLineSeparators } from '../../base/to-json.ts';
import { RotatingFile } from '../../observe/record/rotating-file.ts';
import {
  AUDIT_VERSION,
  type AuditHeader,
  type AuditLine,
  type ChainLink,
  chained,
  headerText,
  sha256,
  unchained,
} from './audit-line.ts';

export interface AuditOptions {
  file: string;
  /** Refuses calls that cannot be recorded. Default: they run, and the trail has the number of missing lines. */
  isRequired?: boolean | undefined;
  /** Keeps the arguments of calls. Default: only their digest. */
  keepsArguments?: boolean | undefined;
  /** Hides secrets in URIs and in arguments. */
  redact?: Redact | undefined;
  /** Name of the node of a fleet. */
  node?: string | undefined;
  maxFileBytes?: number | undefined;
  /** Total number of files: FILE, FILE.1 … */
  maxFiles?: number | undefined;
  /** Limit of the lines that wait for the disk. The ends of calls may take half as much again. */
  maxPendingBytes?: number | undefined;
  retryMs?: number | undefined;
  clock?: Clock | undefined;
  /** Called when writing fails, and again only after it has worked in between. */
  onFailure?: ((error: Error) => void) | undefined;
}

type Fields<Line> = Line extends unknown ? Omit<Line, 'run' | 'seq' | 'at'> : never;

const FLUSH_MS = 50;
const MIB = 1024 * 1024;
/** Bytes that are read from the end of a file to find its last line. A line has at most about half of this length. */
const TAIL_BYTES = 256 * 1024;

export class AuditLog {
  readonly file: string;
  readonly isRequired: boolean;
  readonly keepsArguments: boolean;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly #run = randomBytes(6).toString('hex');
  readonly #rotating: RotatingFile;
  readonly #options: AuditOptions;
  readonly #maxPendingBytes: number;
  readonly #onExit = () => this.#flushSync();
  readonly #startedAt = new Date().toISOString();
  /** The header, and the last lines of the chain and of the file. Set when the first line is made. */
  #begun: { header: AuditHeader; last: ChainLink; written: ChainLink } | undefined;
  #lines: string[] = [];
  #lineBytes = 0;
  /** The lines that are being written. They are kept until the write has succeeded. */
  #batch: { lines: string[]; bytes: number; last: ChainLink } | undefined;
  #missing = 0;
  #waiting: { seq: number; done: (error?: Error) => void }[] = [];
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;
  #retryAtMs = 0;
  #closed = false;

  /** Neither reads nor writes the file. */
  constructor(options: AuditOptions) {
    const { file, maxFileBytes = 64 * MIB, maxFiles = 10, clock = systemClock } = options;
    this.file = file;
    this.isRequired = options.isRequired ?? false;
    this.keepsArguments = options.keepsArguments ?? false;
    this.redact = options.redact ?? ((text) => text);
    this.clock = clock;
    this.#options = options;
    this.#maxPendingBytes = options.maxPendingBytes ?? 16 * MIB;
    this.#rotating = new RotatingFile({
      path: file,
      maxFileBytes,
      maxFiles,
      header: () => {
        const { header, written } = this.#begin();
        return headerText(header, { seq: written.seq, hash: written.hash });
      },
    });
    process.once('exit', this.#onExit);
  }

  /** Creates the file. Rejects if that fails. */
  async open(): Promise<void> {
    await this.#rotating.append(new Uint8Array());
  }

  /**
   * Records a request that is about to run. Returns the number of its line, or undefined if it could not be recorded. A trail that is
   * required returns a promise, which rejects with SERVER_BUSY.
   */
  begin(fields: Fields<AuditLine>): number | undefined | Promise<number> {
    const isFull = this.#pendingBytes > this.#maxPendingBytes;
    if (!this.isRequired) {
      if (!isFull && !this.#closed) return this.#add(fields);
      this.#missing++;
      return undefined;
    }
    if (isFull || this.#closed || this.#waitsToRetry()) return Promise.reject(this.#refusal());
    const seq = this.#add(fields);
    const written = new Promise<number>((resolve, reject) => {
      this.#waiting.push({ seq, done: (error) => (error ? reject(error) : resolve(seq)) });
    });
    void this.#flush();
    return written;
  }

  /** Records an event that never waits: the end of a call, or a refusal. */
  note(fields: Fields<AuditLine>): void {
    if (this.#closed || this.#pendingBytes > 1.5 * this.#maxPendingBytes) this.#missing++;
    else this.#add(fields);
  }

  /** Writes all lines and a last one, and closes the file. Never rejects; a failure was reported. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.note({ kind: 'stop' });
    this.#closed = true;
    this.#retryAtMs = 0;
    this.#timer?.cancel();
    await this.#writing;
    await this.#flush(); // a batch that could not be written before is written alone
    if (!this.#failure) await this.#flush();
    await this.#rotating.close();
    process.off('exit', this.#onExit);
  }

  #begin(): { header: AuditHeader; last: ChainLink; written: ChainLink } {
    if (this.#begun) return this.#begun;
    const header: AuditHeader = {
      standpipe: 'audit',
      version: AUDIT_VERSION,
      run: this.#run,
      startedAt: this.#startedAt,
      pid: process.pid,
      node: this.#options.node,
      before: lastLink(this.file),
    };
    const last = { run: this.#run, seq: 0, hash: sha256(headerText(header)) };
    this.#begun = { header, last, written: last };
    return this.#begun;
  }

  get #pendingBytes(): number {
    return this.#lineBytes + (this.#batch?.bytes ?? 0);
  }

  #add(fields: Fields<AuditLine>): number {
    if (this.#missing > 0) {
      const lines = this.#missing;
      this.#missing = 0;
      this.#chain({ kind: 'gap', lines });
    }
    const seq = this.#chain(fields);
    this.#timer ??= this.#startTimer(FLUSH_MS);
    return seq;
  }

  #chain(fields: Fields<AuditLine>): number {
    const begun = this.#begin();
    const seq = begun.last.seq + 1;
    const text = JSON.stringify({ run: this.#run, seq, at: new Date().toISOString(), ...fields });
    const { line, hash } = chained(begun.last.hash, escapeLineSeparators(text));
    begun.last = { run: this.#run, seq, hash };
    this.#lines.push(line);
    this.#lineBytes += Buffer.byteLength(line) + 1;
    return seq;
  }

  #startTimer(ms: number): Timer {
    const timer = this.clock.after(ms, () => {
      this.#timer = undefined;
      void this.#flush();
    });
    timer.keepAlive(false);
    return timer;
  }

  #waitsToRetry(): boolean {
    return this.#failure !== undefined && this.clock.nowMs() < this.#retryAtMs;
  }

  async #flush(): Promise<void> {
    if (this.#writing || (!this.#batch && this.#lines.length === 0) || this.#waitsToRetry()) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#writing = this.#write();
    await this.#writing;
    this.#writing = undefined;
    if (this.#failure) this.#timer ??= this.#startTimer(this.#options.retryMs ?? 5000);
    else if (this.#waiting.length > 0) void this.#flush();
    else if (this.#lines.length > 0) this.#timer ??= this.#startTimer(FLUSH_MS);
  }

  async #write(): Promise<void> {
    this.#batch ??= this.#takeLines();
    const batch = this.#batch;
    try {
      await this.#rotating.append(Buffer.from(`${batch.lines.join('\n')}\n`));
      this.#batch = undefined;
      this.#begin().written = batch.last;
      this.#failure = undefined;
      this.#settle(batch.last.seq);
    } catch (thrown) {
      this.#retryAtMs = this.clock.nowMs() + (this.#options.retryMs ?? 5000);
      const isNew = this.#failure === undefined;
      this.#failure = toError(thrown);
      if (isNew) this.#options.onFailure?.(this.#failure);
      this.#settle(Number.POSITIVE_INFINITY, this.#refusal());
    }
  }

  #takeLines(): { lines: string[]; bytes: number; last: ChainLink } {
    const batch = { lines: this.#lines, bytes: this.#lineBytes, last: this.#begin().last };
    this.#lines = [];
    this.#lineBytes = 0;
    return batch;
  }

  #settle(upToSeq: number, error?: Error): void {
    const settled = this.#waiting.filter(({ seq }) => seq <= upToSeq);
    this.#waiting = this.#waiting.filter(({ seq }) => seq > upToSeq);
    for (const { seq, done } of settled) {
      if (error) this.note({ kind: 'end', call: seq, outcome: 'refused', ms: 0 });
      done(error);
    }
  }

  #refusal(): RpcError {
    const why = this.#failure?.message ?? (this.#closed ? 'the host ends' : 'the disk is too slow');
    return new RpcError(
      RpcCode.serverBusy,
      `The audit trail cannot be written: ${why}. The request did not run`,
      undefined,
      {
        hint: `Make ${this.file} writable, or run the host without --audit-required.`,
      },
    );
  }

  /** Called at process exit, when nothing can be awaited. A reader ignores lines that were written twice. */
  #flushSync(): void {
    const lines = [...(this.#batch?.lines ?? []), ...this.#lines];
    if (lines.length === 0) return;
    try {
      this.#rotating.appendSync(Buffer.from(`${lines.join('\n')}\n`));
    } catch (thrown) {
      this.#options.onFailure?.(toError(thrown));
    }
  }
}

/** The last line of the file that has a run and a number. Undefined for a new file. */
function lastLink(file: string): ChainLink | undefined {
  // Other kinds of files are refused when they are opened for writing. Opening a named pipe here would wait for a writer.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    readSync(descriptor, bytes, 0, bytes.length, from);
    const lines = bytes.toString().split('\n').reverse();
    for (const line of lines) {
      const link = linkOf(line);
      if (link) return link;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

function linkOf(line: string): ChainLink | undefined {
  try {
    const { standpipe, run, seq, after } = JSON.parse(line) as Record<string, unknown>;
    if (typeof run !== 'string') return undefined;
    if (standpipe === 'audit') {
      return after === undefined ? { run, seq: 0, hash: sha256(line) } : { run, ...(after as Omit<ChainLink, 'run'>) };
    }
    const hash = unchained(line)?.hash;
    return hash !== undefined && typeof seq === 'number' ? { run, seq, hash } : undefined;
  } catch {
    return undefined; // a line that a killed host wrote in part
  }
}
