// Words of a call: `name=value` or `name:=json`, with `@file` for the content of a file. LiteMCP also takes values by position:
// `call calculator 2 3`.

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { shellHere } from '../../../base/command-line.ts';
import { toError } from '../../../base/errors.ts';
import { propertiesOf, requiredOf } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema, Tool } from '../../../mcp/types.ts';
import { invalidOption } from '../invocation.ts';

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
    throw invalidOption(
      `Cannot read "${file}": ${toError(error).message}`,
      'A value that begins with @ names a file; write @@ for a literal @.',
      error,
    );
  }
  return isUtf8(bytes) ? { text: bytes.toString() } : { bytes };
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidOption(
      `${what} is not JSON: ${toError(error).message}`,
      shellHere === 'posix'
        ? 'Shells remove quotes: put JSON in single quotes.'
        : 'Shells remove quotes: put JSON in single quotes in PowerShell 7.3 or later; elsewhere in a file, and write --args @FILE.',
      error,
    );
  }
}

let stdin: Promise<Buffer> | undefined;

/** stdin can be read only once, so a second caller gets the same text. */
export function readStdin(): Promise<Buffer> {
  stdin ??= buffer(process.stdin);
  return stdin;
}

/** Parameters in protocol order. `required` lists all of them and keeps the order even for numeric keys. */
export function parameterNames(schema: JsonSchema): string[] {
  const names = Object.keys(propertiesOf(schema));
  const required = requiredOf(schema);
  return required.length === names.length ? required : names;
}

export async function readPositional(
  words: readonly string[],
  tool: Tool,
): Promise<Record<string, string> | undefined> {
  const names = parameterNames(tool.inputSchema);
  const isNamed = (word: string) => names.includes(readAssignment(word)?.name ?? '');
  if (words.includes('-') || (words.length > 0 && words.every(isNamed))) return undefined;
  const [{ argumentsByPosition }, ...values] = await Promise.all([
    import('../../../litemcp/tool-as-mcp.ts'),
    ...words.map(readText),
  ]);
  return argumentsByPosition(tool, values);
}

async function readText(word: string): Promise<string> {
  const source = await readSource(word);
  return 'text' in source ? source.text : source.bytes.toString('base64');
}
