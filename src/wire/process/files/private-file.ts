// Files that may contain secrets: created with mode 0600, and never written through a link or a file of another user. An existing
// file is checked by its descriptor, so that it cannot be replaced between the check and the write. On Windows, files have the
// permissions of their folder; only links are refused.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, lstat, open, rm, writeFile } from 'node:fs/promises';
import { shellWord } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { renameOver, renameOverSync } from './rename-over.ts';

// O_NONBLOCK: opening a named pipe at this path must not block.
const unfollowed = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const existing = constants.O_RDWR | constants.O_APPEND | unfollowed;
const fresh = existing | constants.O_CREAT | constants.O_EXCL;

/** Opens a file for appending and reading, and creates it if needed. Throws FILE_NOT_PRIVATE. */
export async function openPrivate(path: string): Promise<FileHandle> {
  if (process.platform === 'win32') refuseLink(path, await lstat(path).catch(() => undefined));
  const handle = await open(path, existing)
    .catch((error) => onlyIf('ENOENT', error, path, () => open(path, fresh, 0o600)))
    .catch((error) => onlyIf('EEXIST', error, path, () => open(path, existing))); // another program created it first
  try {
    refuseShared(path, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A synchronous `openPrivate`, for use at process exit. */
export function openPrivateSync(path: string): number {
  if (process.platform === 'win32') refuseLink(path, lstatSync(path, { throwIfNoEntry: false }));
  const descriptor = openOneSync(path);
  try {
    refuseShared(path, fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * The text of a file that only this user can read and write, or undefined if it does not exist. Throws
 * FILE_NOT_PRIVATE.
 */
export function readPrivately(path: string): string | undefined {
  if (process.platform === 'win32') refuseLink(path, lstatSync(path, { throwIfNoEntry: false }));
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | unfollowed);
  } catch (error) {
    return onlyIf('ENOENT', error, path, () => undefined);
  }
  try {
    refuseShared(path, fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the file atomically. */
export function replacePrivately(path: string, text: string): void {
  replaceFile(path, (beside) => writeFileSync(beside, text, { flag: 'wx', mode: 0o600 }));
}

/** Writes to a path that the user chose: a file is replaced, a device or pipe is written. Throws FILE_NOT_PRIVATE for a link to a file. */
export function writePrivately(path: string, text: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) return writeFileSync(path, text);
  refuseLink(path, lstatSync(path, { throwIfNoEntry: false }));
  replacePrivately(path, text);
}

/**
 * Replaces a file that this process may be reading because it watches it. On Windows the rename must wait for that read, which cannot
 * finish while the process is blocked, so this is asynchronous.
 */
export async function replaceWatched(path: string, text: string): Promise<void> {
  const beside = nameBeside(path);
  try {
    await writeFile(beside, text, { flag: 'wx', mode: 0o600 });
    await renameOver(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Replaces the file atomically with what `write` puts into the new one, which is synced to disk first. Throws FILE_NOT_PRIVATE for a link. */
export async function rewritePrivately(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  refuseLink(path, await lstat(path).catch(() => undefined));
  const beside = nameBeside(path);
  try {
    const file = await open(beside, 'wx', 0o600);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameOver(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Replaces a file of the user atomically. Owner and permissions are copied from `like`, and the content is synced to disk first. */
export function replaceAlike(path: string, content: Uint8Array, like: Stats | undefined, newMode = 0o666): void {
  replaceFile(path, (beside) => {
    const descriptor = openSync(beside, 'wx', like ? 0o600 : newMode);
    try {
      writeFileSync(descriptor, content);
      const own = fstatSync(descriptor);
      if (like && (own.uid !== like.uid || own.gid !== like.gid)) fchownSync(descriptor, like.uid, like.gid);
      if (like) fchmodSync(descriptor, like.mode & 0o777);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** The name is random and must not exist, so that others cannot prepare the file. */
function nameBeside(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.new`;
}

function replaceFile(path: string, write: (beside: string) => void): void {
  const beside = nameBeside(path);
  try {
    write(beside);
    renameOverSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

function openOneSync(path: string): number {
  try {
    return openSync(path, existing);
  } catch (error) {
    return onlyIf('ENOENT', error, path, () => openSync(path, fresh, 0o600));
  }
}

function onlyIf<T>(expected: string, error: unknown, path: string, proceed: () => T): T {
  const { code } = error as NodeJS.ErrnoException;
  if (code === expected) return proceed();
  if (code === 'ELOOP' || code === 'EMLINK')
    throw refusal(path, 'is a symbolic link', 'Use the path of the file itself.');
  throw error;
}

function refuseLink(path: string, found: Stats | undefined): void {
  if (found?.isSymbolicLink()) throw refusal(path, 'is a symbolic link', 'Use the path of the file itself.');
}

function refuseShared(path: string, found: Stats): void {
  const elsewhere = 'Use a path that does not exist yet.';
  if (!found.isFile()) throw refusal(path, 'is not a regular file', elsewhere);
  const user = process.getuid?.();
  if (user === undefined) return;
  if (found.uid !== user) throw refusal(path, `belongs to the user with uid ${found.uid}`, elsewhere);
  if (found.nlink > 1) throw refusal(path, 'has more than one hard link', elsewhere);
  if ((found.mode & 0o077) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  throw refusal(
    path,
    `is accessible to other users (mode ${mode})`,
    `Run \`chmod 600 ${shellWord(path)}\`, or use another file.`,
  );
}

function refusal(path: string, why: string, hint: string): UsageError {
  return new UsageError('FILE_NOT_PRIVATE', `${path} ${why}. ${hint}`, { hint });
}
