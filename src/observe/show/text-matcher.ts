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

/** ASCII is the same text in Latin-1, which is decoded much faster. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Many programs escape non-ASCII characters and characters with a meaning in HTML as `\uXXXX`. */
function unescaped(json: string): string {
  return json.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
