// The servers of a config file with the lock beside it. A running host keeps the last sound lock while the file is missing or unsound.

import type { ConfigFile } from '../config-file.ts';
import type { ConfigProblem } from '../problem.ts';
import { LOCK_FILE, lockedConfig } from './server-lock.ts';

type FileLock = NonNullable<ConfigFile['lock']>;

export function withLock(file: ConfigFile, lock: FileLock): ConfigFile {
  const { found } = lock;
  const servers = file.servers.map((server) => lockedConfig(server, found));
  const problems =
    found instanceof Error
      ? [...file.problems, lockProblem(lock.file, `${found.message}. Nothing is approved`)]
      : file.problems;
  return { ...file, servers, problems, lock };
}

/** `last`: the file as it was read before, when its lock was sound. */
export function withLastLock(last: ConfigFile, file: ConfigFile): ConfigFile {
  if (!last.lock?.found || last.lock.found instanceof Error || !file.lock) return file;
  const { found } = file.lock;
  if (found && !(found instanceof Error)) return file;
  const servers = file.servers.map((server) => lockedConfig({ ...server, lock: undefined }, last.lock!.found));
  const others = file.problems.filter((problem) => problem.file !== file.lock!.file);
  const what = found?.message ?? `${LOCK_FILE} was removed`;
  const problem = lockProblem(
    file.lock.file,
    `${what}. The last approved definitions stay in force until this host ends`,
  );
  return { ...file, servers, problems: [...others, problem], lock: last.lock };
}

function lockProblem(file: string, message: string): ConfigProblem {
  return { severity: 'warning', file, line: 1, column: 1, message };
}
