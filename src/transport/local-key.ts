// The secret of a local socket: a private file beside it, which the listener makes anew each time. Programs of the same user read it to
// find the listener and to prove that they may connect. On Windows the name of the pipe is derived from it: pipes have one namespace for
// all users, so that a name that others can guess could be taken before.

import { createHmac, randomBytes } from 'node:crypto';
import { rmSync, utimesSync } from 'node:fs';
import { readPrivately, replacePrivately } from '../process/files/private-file.ts';

export interface LocalKey {
  /** 256 random bits, in hexadecimal. */
  readonly secret: string;
  /** Process that listens, or has listened. */
  readonly pid: number;
}

export function keyFileOf(path: string): string {
  return `${path}.key`;
}

/** Replaces that of an earlier listener. */
export function makeKey(path: string): LocalKey {
  const key = { pid: process.pid, secret: randomBytes(32).toString('hex') };
  replacePrivately(keyFileOf(path), `${JSON.stringify(key)}\n`);
  return key;
}

/** Undefined where there is none. Throws FILE_NOT_PRIVATE if others can read it. */
export function readKey(path: string): LocalKey | undefined {
  const text = readPrivately(keyFileOf(path));
  try {
    const { secret, pid } = JSON.parse(text ?? '') as Partial<LocalKey>;
    return typeof secret === 'string' && typeof pid === 'number' ? { secret, pid } : undefined;
  } catch {
    return undefined;
  }
}

/** Never throws: a key without a listener is useless. */
export function removeKey(path: string): void {
  try {
    rmSync(keyFileOf(path), { force: true });
  } catch {
    // on Windows, another program may have it open
  }
}

/** Programs that clean the folder of temporary files remove what was not used for some days. */
export function refreshKey(path: string): void {
  const now = new Date();
  try {
    utimesSync(keyFileOf(path), now, now);
  } catch {
    // it was removed
  }
}

/** Where the system listens: `path` itself, or on Windows a pipe that only those who have the key can name in advance. */
export function addressOf(path: string, key: LocalKey, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? `\\\\.\\pipe\\standpipe-${proofOf(key.secret, 'name').slice(0, 32)}` : path;
}

/** What only those who know the secret can compute, and what does not reveal it. */
export function proofOf(secret: string, ...words: readonly string[]): string {
  return createHmac('sha256', secret).update(words.join(' ')).digest('hex');
}
