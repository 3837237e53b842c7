// Bytes as text, where they are text.

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** Undefined where the bytes are not UTF-8. A byte order mark stays. */
export function strictText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined; // which is the answer
  }
}

/** What is no UTF-8 shows as U+FFFD. */
export function lenientText(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}
