// The parts kept of a frame that is too long to store: enough at both ends to find its method and id. The ends are cut
// between characters, so that text stays valid.

const CUT_HEAD_BYTES = 1024;
export const CUT_TAIL_BYTES = 256;

export function cutFrame(bytes: Uint8Array): { length: number; payload: Uint8Array; tail: Uint8Array } {
  const tailStart = Math.max(CUT_HEAD_BYTES, bytes.length - CUT_TAIL_BYTES);
  return { length: bytes.length, payload: headOf(bytes), tail: tailOf(bytes.subarray(tailStart)) };
}

export function headOf(bytes: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, CUT_HEAD_BYTES);
  return copy(head, 0, head.length - openCharacterBytes(head));
}

export function tailOf(bytes: Uint8Array): Uint8Array {
  let start = Math.max(0, bytes.length - CUT_TAIL_BYTES);
  for (let skipped = 0; skipped < 3 && isContinuation(bytes[start]); skipped++) start++;
  return copy(bytes, start);
}

/** Always copies, even from a Buffer, whose own `slice` returns a view. */
export function copy(bytes: Uint8Array, from?: number, to?: number): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes, from, to);
}

/** Number of bytes at the end that belong to an incomplete UTF-8 character. */
function openCharacterBytes(bytes: Uint8Array): number {
  let back = 1;
  while (back < 4 && isContinuation(bytes[bytes.length - back])) back++;
  const lead = bytes[bytes.length - back] ?? 0;
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return back < wanted ? back : 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

const encoder = new TextEncoder();
const scratch = new Uint8Array(16 * 1024);

/** Encodes a text as UTF-8. Short texts share one buffer: the result is valid until the next call. */
export function encodeOnce(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}
