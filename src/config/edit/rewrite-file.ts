// Replaces the content of a config file atomically and keeps its owner, permissions, encoding and byte order mark. The target of a
// link is replaced, not the link. Standpipe processes change a file one after another. If another program changes the file in the
// meantime, the new content is computed again from its current content.

import type { Stats } from 'node:fs';
import { mkdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StandpipeError, toError, UsageError } from '../../base/errors.ts';
import { withFileLock } from '../../wire/process/files/file-lock.ts';
import { replaceAlike } from '../../wire/process/files/private-file.ts';
import { isMissing } from '../files/disk.ts';

interface RewriteOptions {
  /** Returns the new text. Called again if the file has changed in the meantime. `''` stands for a missing file. */
  rewrite: (text: string, path: string) => string | Promise<string>;
  /** Path of the backup, or undefined for none. Called before the file is replaced. */
  backup?: (path: string) => string | undefined | Promise<string | undefined>;
  /** Whether to create the file and its folder. */
  create?: boolean;
  /** Make a created file or folder readable only by its owner. */
  isPrivate?: boolean;
  /** Whether the new text requires a created file to be private. */
  hasSecrets?: () => boolean;
  /** Do not write the file. */
  dryRun?: boolean;
}

export interface Rewritten {
  /** Path of the file after resolving links. */
  path: string;
  isNew: boolean;
  before: string;
  after: string;
  backup: string | undefined;
}

const MAX_TRIES = 10;
/** Limit for links in a chain, as on Linux. */
const MOST_LINKS = 40;

export async function rewriteFile(file: string, options: RewriteOptions): Promise<Rewritten> {
  const path = await behindLinks(file);
  const { result: first } = await computed(file, path, options);
  if (options.dryRun || first.after === first.before) return first;
  try {
    if (options.create) await mkdir(dirname(path), { recursive: true, ...(options.isPrivate ? { mode: 0o700 } : {}) });
    return await withFileLock(path, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const done = await replaced(file, path, options);
        if (done) return done;
      }
      throw new UsageError('FILE_NOT_WRITABLE', `Cannot write ${path}: another program keeps changing it`, {
        hint: 'Retry after that program has finished.',
      });
    });
  } catch (cause) {
    if (cause instanceof StandpipeError || !('code' in toError(cause))) throw cause;
    throw notWritable(path, cause);
  }
}

function notWritable(path: string, cause: unknown): UsageError {
  return new UsageError('FILE_NOT_WRITABLE', `Cannot write ${path}: ${toError(cause).message}`, {
    hint: `The file is replaced by a new one: make the folder ${dirname(path)} writable, or run this as its owner.`,
    cause,
  });
}

/** Returns undefined if the file has changed in the meantime. */
async function replaced(file: string, path: string, options: RewriteOptions): Promise<Rewritten | undefined> {
  const { result, bytes, like, encode } = await computed(file, path, options);
  if (result.after === result.before) return result;
  if (like && (like.mode & 0o222) === 0) {
    throw new UsageError('FILE_NOT_WRITABLE', `Cannot write ${path}: the file is read-only`, {
      hint: 'Make it writable, or use another file with --config.',
    });
  }
  const backup = bytes && (await options.backup?.(path));
  const now = await readIfThere(path);
  if (now === undefined ? bytes !== undefined : !bytes?.equals(now)) return undefined;
  if (backup !== undefined) keep(backup, bytes!, like);
  replaceAlike(path, encode(result.after), like, options.isPrivate || options.hasSecrets?.() ? 0o600 : undefined);
  return { ...result, backup };
}

function keep(backup: string, bytes: Buffer, like: Stats | undefined): void {
  try {
    replaceAlike(backup, bytes, like);
  } catch (cause) {
    throw notWritable(backup, cause);
  }
}

async function computed(file: string, path: string, { rewrite, create }: RewriteOptions) {
  const bytes = await readIfThere(path);
  if (!bytes && !create) throw new UsageError('CONFIG_NOT_FOUND', `There is no config ${file}`);
  const like = bytes && (await stat(path));
  const { text: before, encode } = decoded(bytes ?? Buffer.alloc(0), file);
  const after = await rewrite(before, path);
  const result: Rewritten = { path, isNew: bytes === undefined, before, after, backup: undefined };
  return { result, bytes, like, encode };
}

/** The text without its byte order mark, and how to write one in the same encoding. */
function decoded(bytes: Buffer, file: string): { text: string; encode: (text: string) => Buffer } {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
    return {
      text: text.slice(mark.length),
      encode: (after) => Buffer.from(mark + after, isUtf16 ? 'utf16le' : 'utf8'),
    };
  } catch (cause) {
    throw new UsageError('CONFIG_INVALID', `${file} is not UTF-8`, { hint: 'Save it as UTF-8 first.', cause });
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a regular file');
    return await readFile(path);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new UsageError('CONFIG_INVALID', `Cannot read ${path}: ${toError(cause).message}`, {
      hint: 'Use a config file that you can read.',
      cause,
    });
  }
}

/** A link, or a chain of them, may lead to a file that does not exist yet. */
async function behindLinks(file: string, links = 0): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const target = links < MOST_LINKS ? await readlink(file).catch(() => undefined) : undefined; // the path may not be a link
    return target === undefined ? resolve(file) : behindLinks(resolve(dirname(file), target), links + 1);
  }
}
