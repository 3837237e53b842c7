// Reads config files: from the disk, or from the contents that a watch has just read.

import { readFile } from 'node:fs/promises';

export type ReadBytes = (file: string) => Promise<Uint8Array>;

export const fromDisk: ReadBytes = (file) => readFile(file);

/** A file may start with a byte order mark of UTF-8 or, from some Windows programs, of UTF-16. */
export function decodeFile(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

export function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}
