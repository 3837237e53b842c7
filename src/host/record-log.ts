// Records of extensions in one file, so that they outlive the host: a line of JSON for each, the last line of an id counts. A record
// is kept when its line was written; the system writes it to the disk later. Only one host may use the file at a time. It is created
// with the first record and opened for each access, so that there is nothing to close.
//
// Memory holds the place of each line. A line that a killed host wrote in part is skipped. The file is rewritten when more than half of
// it is outdated, and removed with its last record.

import { type FileHandle, lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RpcCode, RpcError, toError } from '../base/errors.ts';
import { requireJson } from '../base/to-json.ts';
import type { FoundRecord, KeptRecord, KeptRecords } from '../mcp/extensions/extension.ts';
import { openPrivate } from '../wire/process/files/private-file.ts';
import { renameOver } from '../wire/process/files/rename-over.ts';

export interface RecordLogOptions {
  /**
   * Limit of the bytes of all records; further ones are refused. The file has at most twice as many. Default: 256 MiB.
   */
  maxBytes?: number;
  /** Called when records cannot be written. If the first record cannot be written, no record outlives the host. */
  onProblem?: ((error: Error) => void) | undefined;
  nowMs?: () => number;
}

interface Place {
  at: number;
  readonly bytes: number;
  readonly untilMs: number;
  /** Whether an earlier host wrote the record. */
  readonly isEarlier: boolean;
}

interface Write {
  readonly key: string;
  readonly line: Buffer;
  readonly untilMs: number;
  done(error?: Error): void;
}

const MIB = 1024 * 1024;
const CHUNK_BYTES = MIB;
const NEWLINE = 10;

export class RecordLog {
  readonly #file: string;
  readonly #options: Required<Omit<RecordLogOptions, 'onProblem'>>;
  readonly #onProblem: (error: Error) => void;
  readonly #places = new Map<string, Place>();
  /** Total bytes of all records, including those in pending writes. */
  #usedBytes = 0;
  #fileBytes = 0;
  #writes: Write[] = [];
  /** Accesses to the file run one after another. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #opening: Promise<void> | undefined;
  #hasWritten = false;
  /** True if the file cannot be written. Records then end with the host. */
  #isUnusable = false;

  constructor(file: string, { maxBytes = 256 * MIB, nowMs = Date.now, onProblem }: RecordLogOptions = {}) {
    this.#file = file;
    this.#options = { maxBytes, nowMs };
    this.#onProblem = onProblem ?? (({ message }) => process.emitWarning(message));
  }

  of(server: string): KeptRecords {
    const keyOf = (id: string) => JSON.stringify([server, id]);
    return {
      put: (id, record) => this.#put(keyOf(id), record),
      get: (id) => this.#run(() => this.#get(keyOf(id))),
      delete: (id) => this.#run(() => this.#delete(keyOf(id))),
    };
  }

  /** Removes expired records. Resolves when everything that was put is written. */
  tidy(): Promise<void> {
    return this.#run(() => this.#inTurn(() => this.#tidy()));
  }

  #put(key: string, { value, untilMs, isFinal }: KeptRecord): Promise<void> {
    const line = Buffer.from(`${requireJson({ key, untilMs, isFinal, value })}\n`);
    return this.#run(async () => {
      if (this.#isUnusable) return;
      const { maxBytes } = this.#options;
      if (this.#usedBytes + line.length > maxBytes) this.#dropExpired();
      if (this.#usedBytes + line.length > maxBytes) throw full(maxBytes);
      this.#usedBytes += line.length;
      // Lines that wait are written together.
      await new Promise<void>((resolve, reject) => {
        const done = (error?: Error) => (error ? reject(error) : resolve());
        this.#writes.push({ key, line, untilMs, done });
        if (this.#writes.length === 1) void this.#inTurn(() => this.#write());
      });
    });
  }

  async #get(key: string): Promise<FoundRecord | undefined> {
    return this.#inTurn(async () => {
      const place = this.#places.get(key);
      if (!place) return undefined;
      const { value, untilMs, isFinal } = JSON.parse((await this.#read(place)).toString()) as KeptRecord;
      return { value, untilMs, isFinal, isOrphaned: place.isEarlier };
    });
  }

  /** After a restart of the host, a removed record is found again until it expires. */
  async #delete(key: string): Promise<void> {
    this.#remove(key);
    await this.#inTurn(() => this.#tidy());
  }

  async #run<T>(run: () => Promise<T>): Promise<T> {
    this.#opening ??= this.#inTurn(() => this.#open());
    await this.#opening;
    return run();
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => undefined); // `result` reports the error
    return result;
  }

  async #open(): Promise<void> {
    if (!(await lstat(this.#file).catch(() => undefined))) return;
    try {
      await this.#withFile(async (handle) => {
        for await (const { at, line } of linesOf(handle)) this.#load(at, line);
        this.#fileBytes = (await handle.stat()).size;
      });
    } catch (error) {
      return this.#failed(error);
    }
    this.#dropExpired();
    await this.#tidy();
  }

  #load(at: number, line: Buffer): void {
    try {
      const { key, untilMs } = JSON.parse(line.toString());
      if (typeof key === 'string' && typeof untilMs === 'number') {
        this.#place(key, { at, bytes: line.length, untilMs, isEarlier: true });
      }
    } catch {
      // a line that was written in part
    }
  }

  async #write(): Promise<void> {
    const writes = this.#writes;
    this.#writes = [];
    for (const { line } of writes) this.#usedBytes -= line.length;
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await this.#withFile((handle) => this.#append(handle, writes));
      this.#hasWritten = true;
    } catch (error) {
      this.#failed(error);
      const refusal = this.#isUnusable ? undefined : new RpcError(RpcCode.internalError, 'The record was not kept');
      for (const { done } of writes) done(refusal);
      return;
    }
    for (const { done } of writes) done();
    await this.#tidy();
  }

  async #append(handle: FileHandle, writes: readonly Write[]): Promise<void> {
    const { size } = await handle.stat();
    // Ends a line that was written in part: otherwise the next line would be appended to it.
    const start = size > 0 && (await byteAt(handle, size - 1)) !== NEWLINE ? '\n' : '';
    await handle.appendFile(Buffer.concat([Buffer.from(start), ...writes.map(({ line }) => line)]));
    let at = size + start.length;
    for (const { key, line, untilMs } of writes) {
      this.#place(key, { at, bytes: line.length, untilMs, isEarlier: false });
      at += line.length;
    }
    this.#fileBytes = at;
  }

  #failed(error: unknown): void {
    this.#isUnusable = !this.#hasWritten;
    const { message } = toError(error);
    this.#onProblem(new Error(`${this.#file} cannot be used: ${message}`, { cause: error }));
  }

  #place(key: string, place: Place): void {
    this.#remove(key);
    this.#places.set(key, place);
    this.#usedBytes += place.bytes;
  }

  #remove(key: string): void {
    const place = this.#places.get(key);
    if (!place) return;
    this.#places.delete(key);
    this.#usedBytes -= place.bytes;
  }

  #dropExpired(): void {
    const nowMs = this.#options.nowMs();
    for (const [key, { untilMs }] of this.#places) if (untilMs <= nowMs) this.#remove(key);
  }

  /** A failed rewrite leaves the file valid. */
  async #tidy(): Promise<void> {
    if (this.#fileBytes === 0) return;
    try {
      if (this.#places.size > 0) {
        if (this.#fileBytes > 2 * this.#usedBytes + MIB) await this.#rewrite();
        return;
      }
      await rm(this.#file, { force: true });
      this.#fileBytes = 0;
    } catch (error) {
      this.#failed(error);
    }
  }

  async #rewrite(): Promise<void> {
    const beside = `${this.#file}.new`;
    const current = new Map([...this.#places.values()].map((place) => [place.at, place]));
    const moved: [Place, number][] = [];
    let size = 0;
    await rm(beside, { force: true }); // left by a host that was killed
    const target = await open(beside, 'wx', 0o600);
    try {
      await this.#withFile(async (handle) => {
        for await (const { at, line } of linesOf(handle)) {
          const place = current.get(at);
          if (!place) continue;
          await target.appendFile(line);
          moved.push([place, size]);
          size += line.length;
        }
      });
    } finally {
      await target.close();
    }
    await renameOver(beside, this.#file);
    for (const [place, at] of moved) place.at = at;
    this.#fileBytes = size;
  }

  async #read({ at, bytes }: Place): Promise<Buffer> {
    return this.#withFile(async (handle) => {
      const { buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
      return buffer;
    });
  }

  async #withFile<T>(use: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await openPrivate(this.#file);
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  }
}

/** The complete lines of a file with their line breaks, and where they begin. */
async function* linesOf(handle: FileHandle): AsyncGenerator<{ at: number; line: Buffer }> {
  let rest: Buffer = Buffer.alloc(0);
  for (let from = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, from + rest.length);
    if (bytesRead === 0) return;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      yield { at: from + start, line: rest.subarray(start, end + 1) };
      start = end + 1;
    }
    rest = rest.subarray(start);
    from += start;
  }
}

async function byteAt(handle: FileHandle, at: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  return buffer[0];
}

function full(maxBytes: number): RpcError {
  return new RpcError(RpcCode.serverBusy, `The records of this host would have more than ${maxBytes} bytes`);
}
