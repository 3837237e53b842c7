// A stream is cut anywhere, and so inside of a known value: each half alone is not recognised. This says how much of the end of
// a chunk may be the beginning of one, so that it can wait for the rest.

import { masksByForm } from './mask-values.ts';

/** How many bytes at the end may be the beginning of a known value, and not all of it; 0 where none. */
export type Unfinished = (bytes: Uint8Array) => number;

/** A longer value is recognised by its beginning only. It bounds what waits. */
const MOST_BYTES = 4096;

export function unfinishedValue(
  env: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[] = [],
): Unfinished {
  const encoder = new TextEncoder();
  const values = [...masksByForm(env, secrets).keys()].map((form) => encoder.encode(form).subarray(0, MOST_BYTES));
  if (values.length === 0) return () => 0;
  return (bytes) => Math.max(...values.map((value) => longestBeginning(value, bytes)));
}

function longestBeginning(value: Uint8Array, bytes: Uint8Array): number {
  const first = value[0]!;
  const earliest = Math.max(0, bytes.length - value.length + 1);
  for (let start = bytes.indexOf(first, earliest); start >= 0; start = bytes.indexOf(first, start + 1)) {
    let at = start;
    while (at < bytes.length && bytes[at] === value[at - start]) at++;
    if (at === bytes.length) return bytes.length - start;
  }
  return 0;
}
