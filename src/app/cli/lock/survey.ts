// Servers of a config, listed anew and compared with their locks. The servers run without their locks, in a host of this command.

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { toError } from '../../../base/errors.ts';
import { redactor } from '../../../base/secrets/redact.ts';
import { decodeFile, isMissing } from '../../../config/files/disk.ts';
import { type Lock, parseLock } from '../../../config/lock/lock-file.ts';
import type { LockedServer } from '../../../config/lock/locked-server.ts';
import { packageOf } from '../../../config/lock/package-of.ts';
import { LOCK_FILE } from '../../../config/lock/server-lock.ts';
import { maskOf } from '../../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import type { Host } from '../../../host/host.ts';
import type { ClassifiedChange } from '../../../mcp/classified-change.ts';
import type { Client } from '../../../mcp/client/client.ts';
import type { Invocation } from '../invocation.ts';
import { forOneCommand, ownHost } from '../servers/own-host.ts';
import { whyItFailed } from '../servers/reach-host.ts';
import { changesSince, lockedParts, packageChange, type Volatile, volatileParts } from './compare-listing.ts';
import { type Listing, readListing } from './listing.ts';

export type LockStatus = 'approved' | 'changed' | 'new' | 'unsound' | 'volatile' | 'failed';

export interface Surveyed {
  config: ServerConfig;
  /** The file of the lock. */
  file: string;
  status: LockStatus;
  changes: ClassifiedChange[];
  volatile: Volatile;
  /** What was approved. */
  before: LockedServer | undefined;
  /** What can be approved now. Undefined if the server could not be listed. */
  after: LockedServer | undefined;
  /** Why the approved part cannot be used, or why the server could not be listed. */
  error: Error | undefined;
}

export interface SurveyOptions {
  /** Masks besides those in the lock. */
  masks: readonly string[];
  /** Start each server a second time, because a definition may differ only between two processes. */
  restart: boolean;
  approved: LockedServer['approved'];
}

export function lockFileOf({ source }: ServerConfig): string {
  return join(dirname(source.file), LOCK_FILE);
}

/** The lock, or undefined if there is none. Throws LOCK_INVALID. */
export async function readLockFile(file: string): Promise<Lock | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return parseLock(decodeFile(bytes), file);
}

export async function survey(
  invocation: Invocation,
  servers: readonly ServerConfig[],
  options: SurveyOptions,
): Promise<Surveyed[]> {
  const files = [...new Set(servers.map(lockFileOf))];
  const locks = new Map(await Promise.all(files.map(async (file) => [file, await readLockFile(file)] as const)));
  const bare = servers.map((server) => ({ ...forOneCommand(server, invocation.settings), tools: {}, lock: undefined }));
  const host = await ownHost(invocation, bare, []);
  invocation.out.activity.begin('listing definitions');
  try {
    return await Promise.all(
      servers.map((server) => surveyOne(host, server, locks.get(lockFileOf(server)), options, invocation)),
    );
  } finally {
    invocation.out.activity.begin('stopping the servers');
    await host.stop();
    invocation.out.activity.end();
  }
}

const quiet: Volatile = { masks: [], others: [] };

async function surveyOne(
  host: Host,
  config: ServerConfig,
  lock: Lock | undefined,
  { masks: added, restart, approved }: SurveyOptions,
  { signal }: Invocation,
): Promise<Surveyed> {
  const before = lock?.servers.get(config.name);
  const unsound = lock?.unsound.get(config.name);
  const found = { config, file: lockFileOf(config), before };
  const masks = [...new Set([...(before?.masks ?? []), ...added])];
  try {
    const list = (): Promise<Listing> =>
      host.use(config.name, (client: Client) => readListing(client, signal), { repeatable: true });
    const listings = [await list(), await list()];
    if (restart) {
      await host.restartServer(config.name);
      listings.push(await list());
    }
    const parts = listings.map((listing) => lockedParts(listing, masks));
    const [first, ...others] = parts as [(typeof parts)[0], ...typeof parts];
    const unstable = others
      .map((other) => volatileParts(first, other))
      .find(({ masks, others }) => masks.length + others.length > 0);
    const packaged = config.command === undefined ? undefined : await packageOf(config, context());
    const changes = [...changesSince(before, first), ...packageChange(before?.package, packaged)];
    const after: LockedServer = {
      approved,
      ...commandOf(config),
      ...(packaged && { package: packaged }),
      server: listings[0]!.server,
      masks,
      ...first,
    };
    const status = unstable
      ? 'volatile'
      : unsound !== undefined
        ? 'unsound'
        : !before
          ? 'new'
          : changes.length > 0
            ? 'changed'
            : 'approved';
    const error = unsound === undefined ? undefined : new Error(unsound);
    return { ...found, status, changes, volatile: unstable ?? quiet, after, error };
  } catch (error) {
    signal.throwIfAborted();
    return {
      ...found,
      status: 'failed',
      changes: [],
      volatile: quiet,
      after: undefined,
      error: whyItFailed(toError(error)),
    };
  }
}

function context() {
  return { env: process.env, home: homedir(), platform: process.platform };
}

/** The command or address, with secrets replaced by their names. */
function commandOf(config: ServerConfig): Pick<LockedServer, 'command' | 'url'> {
  const redact = redactor({ mask: maskOf(config) });
  return config.command === undefined
    ? { url: redact(config.url) }
    : { command: [config.command, ...config.args].map(redact) };
}
