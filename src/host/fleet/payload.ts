// The data of one published message. A long text is encoded once, where it is produced: the same bytes are observed, sent, and kept
// for sending again. If it were kept as a string, the garbage collector would copy it.

import { decodeText } from '../../base/decode-text.ts';

export type Payload = string | Uint8Array;

/** A shorter text stays a string, because off-heap memory would cost more. */
const LONG_CHARS = 4 * 1024;

const encoder = new TextEncoder();

export function payloadOf(text: string): Payload {
  return text.length < LONG_CHARS ? text : encoder.encode(text);
}

export function textOfPayload(payload: Payload): string {
  return typeof payload === 'string' ? payload : decodeText(payload);
}

/** The payload with a protocol prefix (`call-protocol.ts`). */
export function withWord(word: string, payload: Payload): Payload {
  return typeof payload === 'string' ? word + payload : Buffer.concat([encoder.encode(word), payload]);
}
