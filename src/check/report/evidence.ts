// Entries of a transcript as readable lines: masked, escaped, and limited in length and number.

import { ERROR_LINE } from '../../wire/diagnosis/rule.ts';
import type { Entry } from '../transcript.ts';
import type { EvidenceLine } from './report.ts';

export interface EvidenceLimits {
  lines: number;
  chars: number;
}

const usual: EvidenceLimits = { lines: 40, chars: 2_000 };
/** Limits for a rule that a user debugs. */
export const allEvidence: EvidenceLimits = { lines: 2_000, chars: 20_000 };

/** Returns the last entries, because the violation is at the end. `hide` masks secrets. */
export function evidenceOf(
  entries: readonly Entry[],
  hide: (text: string) => string,
  { lines, chars }: EvidenceLimits = usual,
): EvidenceLine[] {
  // More text is masked than is shown, so that a secret at the cut is found.
  const all = joined(entries, 4 * chars);
  const left = all.length - lines;
  const shown = all.slice(-lines).map(({ kind, start, length }) => {
    const bytes = Buffer.concat(start);
    const whole = escaped(hide(decoded(kind === 'stderr' ? bytes.subarray(-4 * chars) : bytes, 4 * chars)));
    return { kind, text: kind === 'stderr' ? endOf(whole, chars) : startOf(whole, chars), bytes: length };
  });
  return left > 0 ? [{ kind: 'event', text: `${left} earlier entries are left out`, bytes: 0 }, ...shown] : shown;
}

function startOf(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

const MOST_ERROR_CHARS = 300;

/** The end of stderr has the cause of a failure. If a longer trace follows the line with the error, that line is kept too. */
export function endOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = `…${text.slice(-chars).replace(/^[\udc00-\udfff]/, '')}`;
  if (ERROR_LINE.test(end)) return end;
  const error = [...text.slice(0, -chars).matchAll(new RegExp(ERROR_LINE, 'gm'))].at(-1);
  const [line = ''] = error ? text.slice(error.index).split('\n', 1) : [];
  return error ? `…${startOf(line, MOST_ERROR_CHARS)}\n${end}` : end;
}

/** Joins consecutive chunks of stderr: a pipe may cut them inside a secret. Keeps the end. */
function joined(entries: readonly Entry[], mostBytes: number) {
  const all: { kind: Entry['kind']; start: Uint8Array[]; length: number; kept: number }[] = [];
  for (const { kind, bytes } of entries) {
    const last = all.at(-1);
    if (kind === 'stderr' && last?.kind === 'stderr') {
      last.start.push(bytes);
      last.length += bytes.length;
      last.kept += bytes.length;
      while (last.kept - last.start[0]!.length >= mostBytes) last.kept -= last.start.shift()!.length;
    } else all.push({ kind, start: [bytes], length: bytes.length, kept: bytes.length });
  }
  return all;
}

const utf8 =
  /((?:[^\x80-\xff]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+)|./gs;

/** Decodes UTF-8, with any other bytes as `\xNN`. */
function decoded(bytes: Buffer, most: number): string {
  let end = Math.min(bytes.length, most);
  while (end < bytes.length && end > most - 4 && (bytes[end]! & 0xc0) === 0x80) end--; // the cut is not inside a character
  const part = bytes.subarray(0, end);
  const text = part.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  return part.toString('latin1').replace(utf8, (byte, valid?: string) => {
    return valid === undefined ? hexadecimal(byte) : Buffer.from(valid, 'latin1').toString('utf8');
  });
}

function escaped(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, hexadecimal);
}

function hexadecimal(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
