// Bytes as text, where they are text.

import { CapturedText } from './captured-frame.ts';
import type { FrameFact } from './event.ts';

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

/** The payload of a frame as `lenientText`; without a copy where it was captured as text. */
export function frameText(frame: FrameFact): string {
  return frame instanceof CapturedText ? frame.text : lenientText(frame.payload);
}
