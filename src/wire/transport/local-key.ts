// The secret of a local socket: a private file beside the socket, replaced by each listener. Programs of the same user read it to find the
// listener and to prove that they may connect. On Windows, the pipe name is derived from the secret: all users share one pipe namespace,
// and another user could occupy a predictable name first.

import { createHmac, randomBytes } from 'node:crypto';
import { rmSync, utimesSync } from 'node:fs';
import { readPrivately, replacePrivately } from '../process/files/private-file.ts';

export interface LocalKey {
  /** The secret: 256 random bits in hexadecimal. */
  readonly secret: string;
  /** Pid of the current or last listener. */
  readonly pid: number;
}

export function keyFileOf(path: string): string {
  return `${path}.key`;
}

/** Replaces the key of an earlier listener. */
export function makeKey(path: string): LocalKey {
  const key = { pid: process.pid, secret: randomBytes(32).toString('hex') };
  replacePrivately(keyFileOf(path), `${JSON.stringify(key)}\n`);
  return key;
}

/** Returns undefined if there is no valid key. Throws FILE_NOT_PRIVATE if other users can read it. */
export function readKey(path: string): LocalKey | undefined {
  const text = readPrivately(keyFileOf(path));
  try {
    const { secret, pid } = JSON.parse(text ?? '') as Partial<LocalKey>;
    return typeof secret === 'string' && typeof pid === 'number' ? { secret, pid } : undefined;
  } catch {
    return undefined;
  }
}

/** Never throws. A leftover key is useless without a listener. */
export function removeKey(path: string): void {
  try {
    rmSync(keyFileOf(path), { force: true });
  } catch {
    // on Windows, another program may have the file open
  }
}

/** Updates the timestamps, because cleaners of temporary folders remove files that were unused for several days. */
export function refreshKey(path: string): void {
  const now = new Date();
  try {
    utimesSync(keyFileOf(path), now, now);
  } catch {
    // the file was removed
  }
}

/** The address to listen at: `path`, or on Windows a pipe name that cannot be predicted without the key. */
export function socketAddressOf(path: string, key: LocalKey, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? `\\\\.\\pipe\\standpipe-${keyProof(key.secret, 'name').slice(0, 32)}` : path;
}

/** An HMAC that only holders of the secret can compute and that does not reveal it. */
export function keyProof(secret: string, ...words: readonly string[]): string {
  return createHmac('sha256', secret).update(words.join(' ')).digest('hex');
}
