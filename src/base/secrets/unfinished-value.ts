// A chunk of a stream can end inside a secret, and neither half alone is recognised. This file computes how many bytes at the end of a chunk
// may begin a secret and must wait for the rest: the beginning of a known value, or an incomplete line with a secret name or form.

import { masksByForm } from './mask-values.ts';
import { mayHoldSecret } from './redact-text.ts';

/** The number of bytes at the end that may be an incomplete secret; 0 if none. */
export type Unfinished = (bytes: Uint8Array) => number;

/** The maximum number of bytes that wait. A longer value is recognised only by its beginning, a longer line by its end. */
const MOST_BYTES = 4096;

export function unfinishedValue(
  env: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[] = [],
): Unfinished {
  const encoder = new TextEncoder();
  const values = [...masksByForm(env, secrets).keys()].map((form) => encoder.encode(form).subarray(0, MOST_BYTES));
  return (bytes) => Math.max(unfinishedLine(bytes), ...values.map((value) => longestPrefix(value, bytes)));
}

const LF = 0x0a;

function unfinishedLine(bytes: Uint8Array): number {
  const start = Math.max(bytes.lastIndexOf(LF) + 1, bytes.length - MOST_BYTES);
  return mayHoldSecret(new TextDecoder().decode(bytes.subarray(start))) ? bytes.length - start : 0;
}

function longestPrefix(value: Uint8Array, bytes: Uint8Array): number {
  const first = value[0]!;
  const earliest = Math.max(0, bytes.length - value.length + 1);
  for (let start = bytes.indexOf(first, earliest); start >= 0; start = bytes.indexOf(first, start + 1)) {
    let at = start;
    while (at < bytes.length && bytes[at] === value[at - start]) at++;
    if (at === bytes.length) return bytes.length - start;
  }
  return 0;
}
