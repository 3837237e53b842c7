// Hashes of definitions, as in "Tool definition hash, version 1" of mcp-pin: SHA-256 of the RFC 8785 text of a whole definition, of the
// sorted lines `name:hash` of a list, and of the text of instructions. Other programs that implement it get the same hashes.

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { isObject } from '../../base/json-object.ts';

/** 64 lowercase hexadecimal characters. The definition must be JSON. */
export function definitionHash(definition: unknown): string {
  return textHash(canonicalJson(definition));
}

/** An unpaired surrogate is encoded as U+FFFD. */
export function textHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The hash of a whole list, whatever its order. Undefined if an entry has no name. */
export function setHash(definitions: readonly unknown[], nameKey = 'name'): string | undefined {
  const lines: { name: string; hash: string }[] = [];
  for (const definition of definitions) {
    const name = isObject(definition) ? definition[nameKey] : undefined;
    if (typeof name !== 'string') return undefined;
    lines.push({ name, hash: definitionHash(definition) });
  }
  return setHashOf(lines);
}

/** Names are compared by UTF-16 code units, equal names by their hashes. */
export function setHashOf(lines: { name: string; hash: string }[]): string {
  const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  const sorted = [...lines].sort((a, b) => order(a.name, b.name) || order(a.hash, b.hash));
  return textHash(sorted.map(({ name, hash }) => `${name}:${hash}`).join('\n'));
}
