// Classifies one line in the place of a header. Only `Content-…` fields are headers: LSP defines no others, and a log
// line such as `INFO: ready` must count as stray output. Must not know about blocks, chunks or bodies.

export type HeaderLine =
  | { kind: 'length'; length: number | undefined }
  | { kind: 'other' }
  | { kind: 'noise' }
  /** Stray output without a line end, such as a stray body, directly followed by a whole header. */
  | { kind: 'noise-then-length'; headerBytes: number; length: number };

/** A header that directly follows stray output is searched for within this many bytes of the end of the line. */
export const STUCK_HEADER_BYTES = 64;

export function readHeaderLine(line: Uint8Array): HeaderLine {
  const text = latin1(line);
  const name = /^content-[a-z-]+(?=[ \t]*:)/i.exec(text)?.[0];
  if (!name) return readLineEnd(line.subarray(Math.max(0, line.length - STUCK_HEADER_BYTES)));
  if (name.toLowerCase() !== 'content-length') return { kind: 'other' };
  const value = text.slice(text.indexOf(':') + 1).trim();
  return { kind: 'length', length: /^\d{1,15}$/.test(value) ? Number(value) : undefined };
}

/** Classifies a line of which only the end is left, at most STUCK_HEADER_BYTES of it. */
export function readLineEnd(lineEnd: Uint8Array): HeaderLine {
  const stuck = /content-length[ \t]*:[ \t]*(\d{1,15})$/i.exec(latin1(lineEnd));
  return stuck
    ? { kind: 'noise-then-length', headerBytes: stuck[0].length, length: Number(stuck[1]) }
    : { kind: 'noise' };
}

function latin1(bytes: Uint8Array): string {
  // Avoids spreading, which uses an iterator: this call is most of the cost of a header.
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}
