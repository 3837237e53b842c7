// Runs a decoder over chunks and records its events in a form that tests can compare. Bytes become latin1 text, one
// character per byte, so that a difference is readable.

import type { FrameDecoder, FrameFaultCode, FrameSink } from './framing.ts';

export type FrameEvent =
  | { frame: string; offset: number }
  | { fault: FrameFaultCode; offset: number; length: number; prefix: string };

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

export function collector(): { events: FrameEvent[]; sink: FrameSink } {
  const events: FrameEvent[] = [];
  const sink: FrameSink = {
    frame: (bytes, offset) => events.push({ frame: latin1(bytes), offset }),
    fault: ({ code, offset, length, prefix }) => events.push({ fault: code, offset, length, prefix: latin1(prefix) }),
  };
  return { events, sink };
}

/** All events of a stream. `afterPush` receives the decoder after each chunk. */
export function decodeAll(
  decoder: FrameDecoder,
  chunks: Iterable<Uint8Array>,
  afterPush: (decoder: FrameDecoder, chunk: Uint8Array) => void = () => undefined,
): FrameEvent[] {
  const { events, sink } = collector();
  for (const chunk of chunks) {
    decoder.push(chunk, sink);
    afterPush(decoder, chunk);
  }
  decoder.end(sink);
  return events;
}

/** The frames alone, for examples without faults. */
export function framesOf(decoder: FrameDecoder, chunks: Iterable<Uint8Array>): string[] {
  return decodeAll(decoder, chunks).map((event) => {
    if ('fault' in event) throw new Error(`unexpected ${JSON.stringify(event)}`);
    return Buffer.from(event.frame, 'latin1').toString('utf8');
  });
}

/** Every way to cut the bytes in two, and the cut into single bytes. Each chunk has a separate buffer. */
export function* everySplit(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) {
    yield [new Uint8Array(bytes.subarray(0, at)), new Uint8Array(bytes.subarray(at))];
  }
  yield [...bytes].map((byte) => Uint8Array.of(byte));
}
