// Entries of a transcript as lines that people read: masked, escaped, cut and few.

import type { Entry } from '../transcript.ts';
import type { EvidenceLine } from './report.ts';

const MOST_LINES = 40;
const MOST_CHARS = 2_000;

/** The last entries: the violation is at the end. `hide` masks secrets. */
export function evidenceOf(entries: readonly Entry[], hide: (text: string) => string): EvidenceLine[] {
  return entries.slice(-MOST_LINES).map(({ kind, bytes }) => {
    // More is masked than is shown, so that no secret is cut in two before it is found.
    const start = hide(decoded(bytes.subarray(0, 4 * MOST_CHARS)));
    const text = start.length > MOST_CHARS ? `${start.slice(0, MOST_CHARS)}…` : start;
    return { kind, text, bytes: bytes.length };
  });
}

/** Bytes that are not UTF-8 and control characters as `\xNN`. */
function decoded(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const valid = text.toString('utf8');
  const shown = valid.includes('\ufffd') ? text.toString('latin1') : valid;
  const unprintable = valid === shown ? /(?![\n\t])\p{Cc}/gu : /(?![\n\t])[\p{Cc}\u0080-\u00ff]/gu;
  return shown.replace(unprintable, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
