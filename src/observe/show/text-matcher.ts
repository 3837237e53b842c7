// Finds text in messages and output, regardless of case and of how JSON escapes it.

import { decodeText } from '../../base/decode-text.ts';

/** Matches the text as given, and as JSON escapes it. */
export function textMatcher(text: string): (part: Uint8Array | string) => boolean {
  const plain = text.toLowerCase();
  const quoted = JSON.stringify(plain).slice(1, -1);
  const isAscii = [...plain].every((character) => character < '\x80');
  const isIn = (whole: string) => {
    const lower = whole.toLowerCase();
    return lower.includes(plain) || (quoted !== plain && lower.includes(quoted));
  };
  return (part) => {
    const whole = typeof part === 'string' ? part : isAscii ? latin1(part) : decodeText(part);
    return isIn(whole) || (whole.includes('\\u') && isIn(unescaped(whole)));
  };
}

/** ASCII reads the same in Latin-1, at a fraction of the cost. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Many programs escape non-ASCII characters, or those with a meaning in HTML, by their code. */
function unescaped(json: string): string {
  return json.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
