// Where running taps and hosts can be found: one folder per user, which only that user can read and write. On Windows it is in the
// profile of the user, whose access control list it inherits: the user, administrators and the system.

import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join, win32 } from 'node:path';
import { toError, UsageError } from '../base/errors.ts';

/** The path of a socket has at most 103 bytes on macOS. The longest name of one is `control-node-0123456789abcdef.sock`. */
const MOST_BYTES = 68;

/** The variable that selects another folder. */
export const RUNTIME_VARIABLE = process.platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_RUNTIME_DIR';

/**
 * The same for all programs of a user. Hosts start their servers with a few variables only, so that what XDG_RUNTIME_DIR or LOCALAPPDATA
 * usually is must be found without it, and TMPDIR must not count.
 */
export function runtimeFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home = () => userInfo().homedir, // not that of a variable. A user may have no entry
): string {
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA;
    const isGiven = local && win32.isAbsolute(local);
    return win32.join(isGiven ? local : win32.join(home(), 'AppData', 'Local'), 'standpipe');
  }
  const ofSession = env.XDG_RUNTIME_DIR;
  if (ofSession && isAbsolute(ofSession)) return join(ofSession, 'standpipe');
  // macOS has no such folder, and removes what was not used for three days from /tmp.
  const support = platform === 'darwin' ? join(home(), 'Library', 'Application Support', 'standpipe') : '';
  if (support !== '' && Buffer.byteLength(support) <= MOST_BYTES) return support;
  const user = process.getuid?.();
  const usual = `/run/user/${user}`;
  return isTrusted(usual) ? join(usual, 'standpipe') : `/tmp/standpipe-${user}`;
}

/** Whether what lies in it was put there by this user: in a folder that all can write to, others come first. */
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
 * Makes the folder if need be. Throws RUNTIME_FOLDER_UNUSABLE where it cannot be made or trusted: in a folder that all can
 * write to, others come first.
 */
export function ensureRuntimeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unusable(folder, `it cannot be created (${toError(cause).message})`, cause);
  }
  const found = lstatSync(folder); // not where a link leads
  if (!found.isDirectory()) throw unusable(folder, 'it is not a folder');
  const user = process.getuid?.();
  if (user === undefined) return; // Windows: the folder has the access control list of the user's profile
  if (found.uid !== user) throw unusable(folder, `it belongs to the user with uid ${found.uid}`);
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function unusable(folder: string, why: string, cause?: unknown): UsageError {
  return new UsageError('RUNTIME_FOLDER_UNUSABLE', `The runtime folder ${folder} cannot be used: ${why}`, {
    hint: `Remove it, or set ${RUNTIME_VARIABLE} to a folder of your own that you can write to.`,
    cause,
  });
}
