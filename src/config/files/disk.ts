// Reads config files: from the disk, or from the contents that a watch has just read.

import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

export type ReadBytes = (file: string) => Promise<Uint8Array>;

/** The content of a file. Of `folder/*`, the names in that folder, one a line. */
export async function fromDisk(file: string): Promise<Buffer> {
  if (basename(file) !== '*') return readFile(file);
  return Buffer.from((await readdir(dirname(file))).sort().join('\n'));
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
