// The recordings of `tap --keep`: one private folder of this user. Each has a name: that of the server and a number.

import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { hintOfNames } from '../../config/nearest.ts';
import { stateFolder } from '../../wire/process/files/cache-folder.ts';
import { recordingFiles } from './reader.ts';

export interface KeptRecording {
  readonly name: string;
  readonly file: string;
  /** The size of the recording, including its rotated files. */
  readonly bytes: number;
  readonly changedAt: Date;
}

export interface KeepLimits {
  mostRecordings: number;
  mostBytes: number;
}

export const usualLimits: KeepLimits = { mostRecordings: 100, mostBytes: 1024 * 1024 * 1024 };

const EXTENSION = '.jsonl';
const LONGEST_NAME = 60;
const MOST_ATTEMPTS = 1000;
const named = /^[\w.-]+-\d+$/;

export function keptFolder(): string {
  return join(stateFolder(), 'recordings');
}

/** Returns the file of the kept recording with this name, if it exists. */
export function keptRecording(name: string): string | undefined {
  if (!named.test(name)) return undefined;
  const file = fileOf(name);
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

/** Returns all kept recordings, oldest first. */
export async function keptRecordings(): Promise<KeptRecording[]> {
  const names = await readdir(keptFolder()).catch(() => []); // nothing was kept yet
  const kept = names.filter((each) => each.endsWith(EXTENSION)).map((each) => basename(each, EXTENSION));
  const found = await Promise.all(kept.filter((name) => named.test(name)).map(described));
  return found.filter((each) => each !== undefined).sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime());
}

/** Creates the file of a new recording. Removes the oldest recordings if the limits are exceeded, except those in use. */
export async function newKeptRecording(
  server: string,
  isUsed: (file: string) => boolean = () => false,
  { mostRecordings, mostBytes } = usualLimits,
): Promise<string> {
  ensureFolder();
  await pruneKept({ mostRecordings: mostRecordings - 1, mostBytes }, isUsed);
  const plain =
    server
      .replace(/[^\w.-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, LONGEST_NAME) || 'server';
  const numbers = (await keptRecordings()).flatMap(({ name }) => numberIn(name, plain));
  const newest = numbers.reduce((a, b) => Math.max(a, b), 0);
  for (let number = newest + 1; number <= newest + MOST_ATTEMPTS; number++) {
    const file = fileOf(`${plain}-${number}`);
    const handle = await open(file, 'wx', 0o600).catch(unlessThere); // another tap may take the same number
    if (!handle) continue;
    await handle.close();
    return file;
  }
  throw new UsageError('RECORDING_UNUSABLE', `No name is free in ${keptFolder()}`, {
    hint: `Remove recordings: ${ownCommand} recordings prune`,
  });
}

/** Removes the oldest recordings until the others are within the limits. Resolves to the removed ones. */
export async function pruneKept(
  { mostRecordings, mostBytes }: KeepLimits,
  isUsed: (file: string) => boolean = () => false,
): Promise<KeptRecording[]> {
  const kept = await keptRecordings();
  let [count, bytes] = [kept.length, kept.reduce((sum, each) => sum + each.bytes, 0)];
  const removed: KeptRecording[] = [];
  for (const each of kept) {
    if (count <= mostRecordings && bytes <= mostBytes) break;
    if (isUsed(each.file)) continue;
    await removeKept(each.name);
    removed.push(each);
    count--;
    bytes -= each.bytes;
  }
  return removed;
}

export async function removeKept(name: string): Promise<void> {
  if (!keptRecording(name)) throw unknown(name, await keptRecordings());
  for (const file of (await recordingFiles(fileOf(name))).toReversed()) await rm(file, { force: true });
}

function unknown(name: string, kept: readonly KeptRecording[]): UsageError {
  return new UsageError('NAME_UNKNOWN', `There is no kept recording "${name}"`, {
    hint: hintOfNames(
      name,
      kept.map((each) => each.name),
      `\`${ownCommand} tap --keep -- <command …>\` keeps one.`,
    ),
  });
}

function fileOf(name: string): string {
  return join(keptFolder(), `${name}${EXTENSION}`);
}

function numberIn(name: string, server: string): number[] {
  const digits = name.startsWith(`${server}-`) ? name.slice(server.length + 1) : '';
  return /^\d{1,15}$/.test(digits) ? [Number(digits)] : [];
}

async function described(name: string): Promise<KeptRecording | undefined> {
  const files = await recordingFiles(fileOf(name));
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined))); // the file was removed after it was listed
  const newest = stats.at(-1);
  if (!newest?.isFile()) return undefined;
  const bytes = stats.reduce((sum, each) => sum + (each?.size ?? 0), 0);
  return { name, file: fileOf(name), bytes, changedAt: newest.mtime };
}

function ensureFolder(): void {
  const folder = keptFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const user = process.getuid?.();
  const isOurs = found.isDirectory() && (user === undefined || (found.uid === user && (found.mode & 0o077) === 0));
  if (isOurs) return;
  throw new UsageError('FILE_NOT_PRIVATE', `${folder} is not a folder that only you can read and write`, {
    hint: `Run \`chmod 700 ${folder}\`, or remove it.`,
  });
}

function unlessThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
}
