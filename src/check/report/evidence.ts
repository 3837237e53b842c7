// Entries of a transcript as lines that people read: masked, escaped, cut and few.

import type { Entry } from '../transcript.ts';
import type { EvidenceLine } from './report.ts';

export interface EvidenceLimits {
  lines: number;
  chars: number;
}

const usual: EvidenceLimits = { lines: 40, chars: 2_000 };
/** Of a rule that somebody works on. */
export const allEvidence: EvidenceLimits = { lines: 2_000, chars: 20_000 };

/** The last entries: the violation is at the end. `hide` masks secrets. */
export function evidenceOf(
  entries: readonly Entry[],
  hide: (text: string) => string,
  { lines, chars }: EvidenceLimits = usual,
): EvidenceLine[] {
  const left = entries.length - lines;
  const shown = entries.slice(-lines).map(({ kind, bytes }) => {
    // More is masked than is shown, so that no secret is cut in two before it is found.
    const start = hide(decoded(bytes.subarray(0, 4 * chars)));
    const text = start.length > chars ? `${start.slice(0, chars).replace(/[\ud800-\udbff]$/, '')}…` : start;
    return { kind, text, bytes: bytes.length };
  });
  return left > 0 ? [{ kind: 'event', text: `${left} earlier entries are left out`, bytes: 0 }, ...shown] : shown;
}

/** Bytes that are not UTF-8 and control characters as `\xNN`. */
function decoded(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const valid = text.toString('utf8');
  const shown = valid.includes('\ufffd') ? text.toString('latin1') : valid;
  const unprintable = valid === shown ? /(?![\n\t])\p{Cc}/gu : /(?![\n\t])[\p{Cc}\u0080-\u00ff]/gu;
  return shown.replace(unprintable, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
