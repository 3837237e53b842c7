// Bytes as text, where they are text.

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined where the bytes are not UTF-8. A byte order mark stays. */
export function strictText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined; // which is the answer
  }
}
