// Encodes a text as UTF-8 for a store, which copies it. Short texts share one buffer.

const encoder = new TextEncoder();
const scratch = new Uint8Array(16 * 1024);

/** The result is valid until the next call. */
export function encodeOnce(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}
