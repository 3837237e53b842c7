// The folder where running taps and hosts are found: one per user, which only that user can read and write. On Windows it inherits the
// access control list of the user's profile.

import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join, win32 } from 'node:path';
import { toError, UsageError } from '../../base/errors.ts';
import { replacePrivately } from '../../wire/process/files/private-file.ts';
import { keyFileOf } from '../../wire/transport/local-key.ts';

/** A socket path has at most 103 bytes on macOS. The longest socket name is `control-node-0123456789abcdef.sock`. */
const MOST_BYTES = 68;

/**
 * All programs of a user must find the same folder. Hosts start servers with few variables, so the usual value of XDG_RUNTIME_DIR or
 * LOCALAPPDATA must be found without the variable, and TMPDIR is ignored.
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

/** Returns true if only this user can have created the content of the folder. */
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

/** Creates the folder if necessary. In a world-writable parent, another user may have created it first. */
export function ensureRuntimeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unusable(folder, `it cannot be created (${toError(cause).message})`, cause);
  }
  const found = lstatSync(folder); // lstat, because links must not be followed
  if (!found.isDirectory()) throw unusable(folder, 'it is not a folder');
  const user = process.getuid?.();
  if (user === undefined) return; // on Windows the folder has the access control list of the user's profile
  if (found.uid !== user) throw unusable(folder, `it belongs to the user with uid ${found.uid}`);
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function unusable(folder: string, why: string, cause?: unknown): UsageError {
  const variable = process.platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_RUNTIME_DIR';
  return new UsageError('RUNTIME_FOLDER_UNUSABLE', `The runtime folder ${folder} cannot be used: ${why}`, {
    hint: `Set ${variable} to a folder of your own that you can write to, the same for all programs, or have ${folder} removed by its owner.`,
    cause,
  });
}

/** The content of the file by which a running tap or host is found. */
export interface LiveDescriptor {
  standpipe: 'live';
  version: 1;
  kind: 'tap' | 'host';
  /** Display name. For a tap, the name of the server. */
  name: string;
  pid: number;
  startedAt: string;
  /** Socket that streams the flow in the recording format to programs that have its key: see `watchLive`. */
  socket: string;
  control?: string | undefined;
  command?: string | undefined;
  cwd?: string | undefined;
  /** The command-line options that select a host, such as `--config FILE`. */
  cliOptions?: readonly string[] | undefined;
  record?: string | undefined;
}

/** Writes the descriptor atomically, so that readers never see a partial file. */
export function writeDescriptor(folder: string, id: string, descriptor: LiveDescriptor): string {
  const file = join(folder, `${id}.json`);
  replacePrivately(file, `${JSON.stringify(descriptor, null, 2)}\n`);
  return file;
}

/** Returns undefined if the file is not a descriptor or was removed. */
export function readDescriptor(file: string): LiveDescriptor | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<LiveDescriptor> | null;
    const sound = value?.standpipe === 'live' && typeof value.pid === 'number' && typeof value.socket === 'string';
    return sound ? (value as LiveDescriptor) : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the descriptor, and the socket and key beside it. The paths in the descriptor are not trusted. */
export function removeDescriptor(file: string): void {
  const socket = file.replace(/\.json$/, '.sock');
  for (const each of [file, socket, keyFileOf(socket)]) rmSync(each, { force: true });
}
