// One word of a call: `name=value` or `name:=json`, with `@file` for the content of a file.

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { shellHere } from '../../../base/command-line.ts';
import { toError, UsageError } from '../../../base/errors.ts';

export interface Assignment {
  name: string;
  isJson: boolean;
  value: string;
}

export function readAssignment(word: string): Assignment | undefined {
  const at = word.indexOf('=');
  if (at < 1) return undefined;
  const isJson = word[at - 1] === ':';
  const name = word.slice(0, isJson ? at - 1 : at);
  return name === '' ? undefined : { name, isJson, value: word.slice(at + 1) };
}

/** `@file` is the content of the file, `@-` that of stdin; `@@x` is the text `@x`. */
export async function readSource(value: string): Promise<{ text: string } | { bytes: Buffer }> {
  if (!value.startsWith('@')) return { text: value };
  if (value.startsWith('@@')) return { text: value.slice(1) };
  const file = value.slice(1);
  let bytes: Buffer;
  try {
    bytes = file === '-' ? await readStdin() : await readFile(file);
  } catch (error) {
    throw new UsageError('INVALID_OPTION', `Cannot read "${file}": ${toError(error).message}`, {
      hint: 'A value that begins with @ names a file; write @@ for a literal @.',
      cause: error,
    });
  }
  return isUtf8(bytes) ? { text: bytes.toString() } : { bytes };
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError('INVALID_OPTION', `${what} is not JSON: ${toError(error).message}`, {
      hint:
        shellHere === 'posix'
          ? 'Shells remove quotes: put JSON in single quotes.'
          : 'Shells remove quotes: put JSON in single quotes in PowerShell 7.3 or later; elsewhere in a file, and write --args @FILE.',
      cause: error,
    });
  }
}

let stdin: Promise<Buffer> | undefined;

/** stdin can be read only once, so a second caller gets the same text. */
export function readStdin(): Promise<Buffer> {
  stdin ??= buffer(process.stdin);
  return stdin;
}
