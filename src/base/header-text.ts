// Text as the value of an HTTP header, as MCP 2026-07-28 has it: `=?base64?…?=` carries what a header cannot.

const BEGIN = '=?base64?';
const END = '?=';
/** Visible characters, with spaces between them. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

export function isEncodedHeader(value: string): boolean {
  return value.startsWith(BEGIN) && value.endsWith(END);
}

export function encodeHeader(value: string): string {
  if (PLAIN.test(value) && !isEncodedHeader(value)) return value;
  return `${BEGIN}${base64OfText(value)}${END}`;
}

export function base64OfText(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

/** Undefined if it is not encoded as it should be. */
export function decodeHeader(value: string): string | undefined {
  if (!isEncodedHeader(value)) return value;
  const encoded = value.slice(BEGIN.length, -END.length);
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined;
  return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
}
