// Puts a command of Standpipe before the servers of a host's config, and removes it. Both are idempotent: an entry that already
// is as wanted is not changed. The file as it was before the first change is kept beside it.

import { readFile, rm, stat } from 'node:fs/promises';
import { rewriteFile } from '../edit/rewrite-file.ts';
import { decodeFile } from '../files/disk.ts';
import { type TextOptions, unwrapText, type WrappedServer, type WrapTextOptions, wrapText } from './wrap-text.ts';

interface BackupOptions {
  /** The backup is `<file>.before-<this>`. */
  backup: string;
}

export interface WrapResult {
  servers: WrappedServer[];
  /** The file as it was before the first change, if it exists. */
  backup: string | undefined;
}

export async function wrapServers(configFile: string, options: WrapTextOptions & BackupOptions): Promise<WrapResult> {
  let servers: WrappedServer[] = [];
  let isPristine = true;
  const rewrite = (text: string): string => {
    const wrapped = wrapText(text, configFile, options);
    ({ servers, isPristine } = wrapped);
    return wrapped.text;
  };
  // If some are wrapped already, an existing backup is older than that and stays.
  const backup = async (path: string) =>
    isPristine || !(await existing(backupOf(path, options))) ? backupOf(path, options) : undefined;
  const { path } = await rewriteFile(configFile, { rewrite, backup });
  return { servers, backup: await existing(backupOf(path, options)) };
}

export async function unwrapServers(configFile: string, options: TextOptions & BackupOptions): Promise<WrapResult> {
  let servers: WrappedServer[] = [];
  let before: string | undefined;
  const rewrite = async (text: string, path: string): Promise<string> => {
    before = await readFile(backupOf(path, options)).then(decodeFile, () => undefined); // there may be no backup
    const unwrapped = unwrapText(text, configFile, before, options);
    servers = unwrapped.servers;
    return unwrapped.text;
  };
  const { path, after } = await rewriteFile(configFile, { rewrite });
  if (after === before) await rm(backupOf(path, options), { force: true });
  return { servers, backup: await existing(backupOf(path, options)) };
}

function backupOf(path: string, { backup }: BackupOptions): string {
  return `${path}.before-${backup}`;
}

async function existing(file: string): Promise<string | undefined> {
  return stat(file).then(
    () => file,
    () => undefined,
  );
}
