// A private file for lines of JSON that only grows, rotated by size. Recordings and audit trails use it.

import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openPrivate, openPrivateSync } from '../../wire/process/files/private-file.ts';
import { renameOver } from '../../wire/process/files/rename-over.ts';

interface RotatingFileOptions {
  path: string;
  /** When this size is reached, the next append begins a new file. */
  maxFileBytes: number;
  /** Maximum number of files, including FILE itself. */
  maxFiles: number;
  /** The first line that is written after each opening of a file, without its newline. */
  header: () => string;
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
      writeFileSync(descriptor, Buffer.concat([Buffer.from(`\n${header()}\n`), lines]));
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

  /** Resolves to true if the file is full, moved or removed and must no longer be written. */
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
    await handle.appendFile(`${torn ? '\n' : ''}${header()}\n`);
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
