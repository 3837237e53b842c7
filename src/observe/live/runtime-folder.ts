// The folder where running taps and hosts are found: one per user, which only that user can read and write. On Windows it is in the user's
// profile and inherits its access control list: the user, administrators and the system.

import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join, win32 } from 'node:path';
import { toError, UsageError } from '../../base/errors.ts';

/** A socket path has at most 103 bytes on macOS. The longest socket name is `control-node-0123456789abcdef.sock`. */
const MOST_BYTES = 68;

/** The environment variable that selects another folder. */
export const RUNTIME_VARIABLE = process.platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_RUNTIME_DIR';

/**
 * All programs of a user must find the same folder. Hosts start their servers with few variables, so the usual value of XDG_RUNTIME_DIR or
 * LOCALAPPDATA must be found without the variable, and TMPDIR must be ignored.
 */
export function runtimeFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home = () => userInfo().homedir, // ignores environment variables; throws for a user without an entry
): string {
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA;
    const isGiven = local && win32.isAbsolute(local);
    return win32.join(isGiven ? local : win32.join(home(), 'AppData', 'Local'), 'standpipe');
  }
  const ofSession = env.XDG_RUNTIME_DIR;
  if (ofSession && isAbsolute(ofSession)) return join(ofSession, 'standpipe');
  // macOS lacks such a folder, and removes files from /tmp that were unused for three days.
  const support = platform === 'darwin' ? join(home(), 'Library', 'Application Support', 'standpipe') : '';
  if (support !== '' && Buffer.byteLength(support) <= MOST_BYTES) return support;
  const user = process.getuid?.();
  const usual = `/run/user/${user}`;
  return isTrusted(usual) ? join(usual, 'standpipe') : `/tmp/standpipe-${user}`;
}

/**
 * True if only this user can have created its content. In a world-writable folder, another user may have been first.
 */
export function isTrusted(folder: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === user && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/**
 * Creates the folder if necessary. Throws RUNTIME_FOLDER_UNUSABLE if it cannot be created or trusted: in a world-writable folder, another
 * user may have created it first.
 */
export function ensureRuntimeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unusable(folder, `it cannot be created (${toError(cause).message})`, cause);
  }
  const found = lstatSync(folder); // must not follow links
  if (!found.isDirectory()) throw unusable(folder, 'it is not a folder');
  const user = process.getuid?.();
  if (user === undefined) return; // on Windows the folder has the access control list of the user's profile
  if (found.uid !== user) throw unusable(folder, `it belongs to the user with uid ${found.uid}`);
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function unusable(folder: string, why: string, cause?: unknown): UsageError {
  return new UsageError('RUNTIME_FOLDER_UNUSABLE', `The runtime folder ${folder} cannot be used: ${why}`, {
    hint: `Set ${RUNTIME_VARIABLE} to a folder of your own that you can write to, the same for all programs, or have ${folder} removed by its owner.`,
    cause,
  });
}
