// Reads config files from the disk.

import { constants } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';

export type ReadBytes = (file: string) => Promise<Uint8Array>;

/** Content of a file. For `folder/*`, the names in that folder, one per line. */
export async function fromDisk(file: string, clock: Clock = systemClock): Promise<Buffer> {
  if (basename(file) === '*') return Buffer.from((await readdir(dirname(file))).sort().join('\n'));
  const stats = await stat(file);
  return stats.isFIFO() || stats.isCharacterDevice() ? readStream(file, stats.isFIFO(), clock) : readFile(file);
}

/** Limits for reading a FIFO or a device, which may never end. */
const LONGEST_PAUSE_MS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
const POLL_MS = 20;

/** Reads a FIFO, such as `--config <(command)`, from its next writer. */
async function readStream(file: string, isFifo: boolean, clock: Clock): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK); // opening a FIFO would wait for a writer
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let lastMs = clock.nowMs();
    for (;;) {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(65_536) }).catch(nothingYet);
      if (bytesRead > 0) {
        chunks.push(buffer.subarray(0, bytesRead));
        bytes += bytesRead;
        lastMs = clock.nowMs();
        if (bytes > MOST_BYTES) throw new Error(`it is not a regular file, and has more than ${MOST_BYTES} bytes`);
        continue;
      }
      if (bytesRead === 0 && (chunks.length > 0 || !isFifo)) return Buffer.concat(chunks);
      if (clock.nowMs() - lastMs >= LONGEST_PAUSE_MS) {
        throw new Error(`it is not a regular file, and nothing was written to it for ${LONGEST_PAUSE_MS / 1000} s`);
      }
      await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
    }
  } finally {
    await handle.close();
  }
}

/** A writer has opened the FIFO but has not written yet. */
function nothingYet(error: { code?: unknown }): { bytesRead: number; buffer: Buffer } {
  if (error.code === 'EAGAIN') return { bytesRead: -1, buffer: Buffer.alloc(0) };
  throw error;
}

/** A file may start with a byte order mark of UTF-8 or, from some Windows programs, of UTF-16. */
export function decodeFile(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

export function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}
