// Prints the content of a result. Text goes to stdout; bytes are saved with --output, and described otherwise. Names from a server are never
// used as file names.

import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { shellHere, shellWord } from '../../../base/command-line.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { visibleJson, visibleLine } from '../../../base/terminal/visible.ts';
import { isKnownBlock } from '../../../mcp/client/known-content.ts';
import type { CallToolResult, ContentBlock } from '../../../mcp/types.ts';
import { invalidOption } from '../invocation.ts';
import type { Output } from './output.ts';

interface Part {
  text?: string;
  piece?: Piece;
  what: string;
}

export async function printContent(
  blocks: readonly ContentBlock[],
  structured: unknown,
  output: string | undefined,
  out: Output,
): Promise<string[]> {
  const parts = blocks.map(readBlock);
  const pieces = parts.flatMap(({ piece }) => (piece ? [piece] : []));
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  // Servers repeat structured content as text for clients that do not support it.
  const isRepeated = structured !== undefined && texts.length > 0 && texts.every((text) => repeats(text, structured));
  const shown = isRepeated ? [] : texts;
  if (structured !== undefined) shown.push(visibleJson(structured));
  if (output !== undefined && pieces.length === 0) {
    return saved(await savePieces([{ mimeType: 'text/plain', bytes: Buffer.from(shown.join('\n')) }], output), out);
  }
  if (!out.json) for (const text of shown) out.text(text.endsWith('\n') ? text : `${text}\n`);
  if (output !== undefined) return saved(await savePieces(pieces, output), out);
  for (const { piece, what } of parts) if (piece) out.say(visibleLine(describePiece(piece, what)));
  return [];
}

export function errorText({ content }: CallToolResult): string {
  const texts = content
    .map(readBlock)
    .flatMap(({ text, piece, what }) => text ?? (piece ? describePiece(piece, what) : []));
  return texts.join('\n');
}

/** A block that cannot be read is shown as JSON. */
export function readBlock(block: ContentBlock): Part {
  if (!isKnownBlock(block)) return { what: 'content', text: visibleJson(block) };
  switch (block.type) {
    case 'text':
      return { what: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { what: block.type, piece: { mimeType: block.mimeType, bytes: Buffer.from(block.data, 'base64') } };
    case 'resource_link':
      return { what: 'link', text: block.name === undefined ? block.uri : `${block.name}: ${block.uri}` };
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { what: 'resource', text: resource.text };
      return { what: 'resource', piece: { mimeType: resource.mimeType, bytes: Buffer.from(resource.blob, 'base64') } };
    }
  }
}

function saved(files: string[], out: Output): string[] {
  for (const file of files) out.say(`Saved ${visibleLine(file)}`);
  return files;
}

/** Whether the text is the JSON of the value or of its only member: libraries wrap a list in an object for structured content. */
function repeats(text: string, structured: unknown): boolean {
  const members = isObject(structured) ? Object.values(structured) : [];
  try {
    const value: unknown = JSON.parse(text);
    return isDeepStrictEqual(value, structured) || (members.length === 1 && isDeepStrictEqual(value, members[0]));
  } catch {
    return false; // the text is not JSON, so it is not a copy
  }
}

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
  const cannot = (why: string, hint: string) => invalidOption(`${option} cannot be "${target}": ${why}`, hint);
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
      throw invalidOption(`Cannot write "${file}": ${toError(error).message}`, undefined, error);
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

/**
 * The --json document of a result: all members that the server sent, plus members of the command. These replace members of the same name, so
 * that a server cannot forge, for example, the server name that a script reads.
 */
export function besideResult(result: object, facts: object): object {
  return { ...facts, ...result, ...facts };
}
