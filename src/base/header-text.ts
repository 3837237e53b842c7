// Encodes text as an HTTP header value as MCP 2026-07-28 specifies: `=?base64?…?=` carries text that a header cannot hold.

const BEGIN = '=?base64?';
const END = '?=';
/** Visible ASCII characters, with spaces only between them. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

export function isEncodedHeader(value: string): boolean {
  return value.length >= BEGIN.length + END.length && value.startsWith(BEGIN) && value.endsWith(END);
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

/** Returns undefined if the Base64 is invalid. */
export function decodeHeader(value: string): string | undefined {
  if (!isEncodedHeader(value)) return value;
  const encoded = value.slice(BEGIN.length, -END.length);
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined;
  return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
}
