// What is published as one message. A long text is encoded once, where it is made: the same bytes are observed, sent, and kept to be
// sent again. As a string, each text that is kept would be copied by the garbage collector, and its memory be taken and given back.

import { decodeText } from '../base/decode-text.ts';

export type Payload = string | Uint8Array;

/** A shorter text stays a string: memory outside of the heap would cost more. */
const LONG_CHARS = 4 * 1024;

const encoder = new TextEncoder();

export function payloadOf(text: string): Payload {
  return text.length < LONG_CHARS ? text : encoder.encode(text);
}

export function textOf(payload: Payload): string {
  return typeof payload === 'string' ? payload : decodeText(payload);
}

/** The same behind a word (`call-protocol.ts`). */
export function withWord(word: string, payload: Payload): Payload {
  return typeof payload === 'string' ? word + payload : Buffer.concat([encoder.encode(word), payload]);
}
