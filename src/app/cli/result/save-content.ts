// Saves images, audio and other bytes of a result to the path that the user gave. Names from a server are never used as file names.

import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shellHere, shellWord } from '../../../base/command-line.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { counted } from '../../../base/terminal/counted.ts';

export interface Piece {
  mimeType: string | undefined;
  bytes: Uint8Array;
}

const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/markdown': 'md',
};

/** In a folder Standpipe chooses the names, which could already exist as links. A file named by the user may be a link. */
const withoutLinks = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

/** Checks the path before the call, because a call cannot be undone if saving its result fails. */
export async function checkOutput(target: string | undefined, option = '--output'): Promise<void> {
  if (target === undefined) return;
  const found = await stat(target).catch(() => undefined);
  const namesFolder = /[\\/]$/.test(target);
  const folder = found?.isDirectory() || namesFolder ? target : dirname(target);
  const cannot = (why: string, hint: string) =>
    new UsageError('INVALID_OPTION', `${option} cannot be "${target}": ${why}`, { hint });
  if (namesFolder && found && !found.isDirectory()) throw cannot('it is a file', 'Remove the slash at its end.');
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    throw cannot(
      `there is no folder "${folder}"`,
      `Create it first: mkdir ${shellHere === 'posix' ? '-p ' : ''}${shellWord(folder)}`,
    );
  }
  const isWritable = await access(found ? target : folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) throw cannot('it cannot be written to', 'Change its permissions, or use another path.');
}

/** Resolves to the written files. */
export async function savePieces(pieces: readonly Piece[], target: string): Promise<string[]> {
  const isFolder = (await stat(target).catch(() => undefined))?.isDirectory() ?? false;
  if (!isFolder && pieces.length > 1) {
    throw new UsageError(
      'INVALID_OPTION',
      `There are ${pieces.length} files to save, and "${target}" is not a folder`,
      {
        hint: 'Pass an existing folder with --output.',
      },
    );
  }
  const files: string[] = [];
  for (const [at, { bytes, mimeType }] of pieces.entries()) {
    const file = isFolder ? join(target, `${at + 1}.${extensions[mimeType ?? ''] ?? 'bin'}`) : target;
    try {
      await writeFile(file, bytes, { mode: 0o600, flag: isFolder ? withoutLinks : 'w' });
    } catch (error) {
      throw new UsageError('INVALID_OPTION', `Cannot write "${file}": ${toError(error).message}`, { cause: error });
    }
    files.push(file);
  }
  return files;
}

export function describePiece({ mimeType, bytes }: Piece, what: string): string {
  return `[${what}${mimeType ? ` ${mimeType}` : ''}, ${describeSize(bytes.length)}; --output FILE saves it]`;
}

function describeSize(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
