// Adds a Standpipe command before the commands in a host's config, and removes it. Both are idempotent: an entry in the wanted state
// is not changed. A backup from before the first change is kept beside the file.

import { rm, stat } from 'node:fs/promises';
import { type Rewritten, rewriteFile } from '../edit/rewrite-file.ts';
import { decodeFile, fromDisk } from '../files/disk.ts';
import {
  pristineText,
  type TextOptions,
  unwrapText,
  type WrappedServer,
  type WrapTextOptions,
  wrapText,
} from './wrap-text.ts';
import { type Wrapper, wrappers } from './wrapped-entry.ts';

interface WriteOptions {
  /** Do not write the file. */
  dryRun?: boolean | undefined;
}

export interface WrapResult extends Pick<Rewritten, 'before' | 'after'> {
  servers: WrappedServer[];
  /** Backup from before the first change, if it exists. */
  backup: string | undefined;
}

export async function wrapServers(configFile: string, options: WrapTextOptions & WriteOptions): Promise<WrapResult> {
  let servers: WrappedServer[] = [];
  let isPristine = true;
  const rewrite = (text: string): string => {
    const wrapped = wrapText(text, configFile, options);
    ({ servers, isPristine } = wrapped);
    return wrapped.text;
  };
  const { wrapper, dryRun = false } = options;
  // If some entries are already wrapped, an existing backup is older than the wrapping and is kept.
  const backup = async (path: string) =>
    isPristine || !(await existing(backupOf(path, wrapper))) ? backupOf(path, wrapper) : undefined;
  const { path, before, after } = await rewriteFile(configFile, { rewrite, backup, dryRun });
  return { servers, before, after, backup: await existing(backupOf(path, wrapper)) };
}

/** Wrappers can be removed in any order, so the backups of all wrappers are searched for the original entry. */
export async function unwrapServers(configFile: string, options: TextOptions & WriteOptions): Promise<WrapResult> {
  let servers: WrappedServer[] = [];
  let backups: ReadonlyMap<string, string> = new Map();
  const rewrite = async (text: string, path: string): Promise<string> => {
    backups = await readBackups(path);
    const unwrapped = unwrapText(text, configFile, [...backups.values()], options);
    servers = unwrapped.servers;
    return unwrapped.text;
  };
  const { wrapper, dryRun = false } = options;
  const { path, before, after } = await rewriteFile(configFile, { rewrite, dryRun });
  const texts = [...backups.values()];
  for (const [file, text] of dryRun ? [] : backups) {
    if (text === after || pristineText(text, configFile, texts) === after) await rm(file, { force: true });
  }
  return { servers, before, after, backup: await existing(backupOf(path, wrapper)) };
}

const suffixes: Readonly<Record<Wrapper, string>> = { tap: 'before-tap', connect: 'before-share' };

function backupOf(path: string, wrapper: Wrapper): string {
  return `${path}.${suffixes[wrapper]}`;
}

/** The text of each backup, by its path. */
async function readBackups(path: string): Promise<ReadonlyMap<string, string>> {
  const read = wrappers.map(async (wrapper) => {
    const file = backupOf(path, wrapper);
    const text = await fromDisk(file).then(decodeFile, () => undefined); // there may be no backup
    return text === undefined ? [] : [[file, text] as const];
  });
  return new Map((await Promise.all(read)).flat());
}

async function existing(file: string): Promise<string | undefined> {
  return stat(file).then(
    () => file,
    () => undefined,
  );
}
