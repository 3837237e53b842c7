// Contract of every framing. The test of a codec supplies the codec, its naive counterpart and the pieces that its
// streams consist of. A skip carries its reason, which the report shows.

import { describe, expect, it } from 'vitest';
import { decodeAll, everySplit, framesOf } from './events.contract.ts';
import { type Framing, HELD_EXTRA_BYTES, LARGEST_MAX_FRAME_BYTES, PREFIX_BYTES } from './framing.ts';
import { framingProperties, type PropertyInputs } from './framing-properties.contract.ts';
import { chunksOf } from './streams.contract.ts';

export interface ContractInputs extends PropertyInputs {
  /** Rules below that this framing cannot satisfy, each with the reason. */
  skip?: Record<string, string>;
}

export function framingContract(name: string, framing: Framing, inputs: ContractInputs): void {
  const skip = new Map(Object.entries(inputs.skip ?? {}));
  const rule = (sentence: string, check: () => void) => {
    const reason = skip.get(sentence);
    skip.delete(sentence);
    if (reason === undefined) it(sentence, check);
    else it.skip(`${sentence} (${reason})`, check);
  };
  const encodeAll = (...texts: string[]) => Buffer.concat(texts.map((text) => framing.encode(Buffer.from(text))));
  const headerBytes = framing.encode(Buffer.from('x')).indexOf('x'.charCodeAt(0));
  const numbered = ['{"id":1}', '{"id":"é漢😀"}', '{"id":3}'];

  describe(`${name} as a framing`, () => {
    rule('frames arrive as they were sent, wherever the chunks are cut', () => {
      for (const chunks of everySplit(encodeAll(...numbered))) {
        expect(framesOf(framing.decoder(), chunks)).toEqual(numbered);
      }
    });

    rule('JSON written as text and as bytes is the same', () => {
      const json = JSON.stringify({ id: 1, text: 'a\nb\r\n\n\n漢' });
      expect(framing.encodeJson!(json).startsWith(json)).toBe(true);
      expect(Buffer.from(framing.encodeJson!(json))).toEqual(Buffer.from(framing.encode(Buffer.from(json))));
    });

    rule('a payload may contain a newline', () => {
      expect(framesOf(framing.decoder(), [encodeAll('{\n  "id": 1\r\n}')])).toEqual(['{\n  "id": 1\r\n}']);
    });

    rule('a payload may contain three newlines', () => {
      expect(framesOf(framing.decoder(), [encodeAll('{\n\n\n}')])).toEqual(['{\n\n\n}']);
    });

    rule('a payload may contain the line separators of Unicode', () => {
      const payload = '{"id":"\u2028 \u2029 \u0085"}';
      for (const chunks of everySplit(encodeAll(payload)))
        expect(framesOf(framing.decoder(), chunks)).toEqual([payload]);
    });

    rule('a payload may be any bytes', () => {
      const every = Uint8Array.from({ length: 257 }, (_, i) => i);
      const wide = Uint8Array.from({ length: 600 }, (_, i) => (i % 7 === 0 ? 0xff : i % 2));
      for (const payload of [every, wide]) {
        const events = decodeAll(framing.decoder(), [framing.encode(payload)]);
        expect(events).toMatchObject([{ frame: Buffer.from(payload).toString('latin1') }]);
      }
    });

    rule('a payload may be empty', () => {
      expect(framesOf(framing.decoder(), [encodeAll('', '{"id":1}', '')])).toEqual(['', '{"id":1}', '']);
    });

    rule('a frame inside one chunk is a view of it', () => {
      const chunk = new Uint8Array(encodeAll(...numbered));
      let frames = 0;
      framing.decoder().push(chunk, {
        frame: (bytes, offset) => {
          frames++;
          expect(bytes.buffer).toBe(chunk.buffer);
          expect(bytes.byteOffset).toBe(offset);
        },
        fault: (fault) => expect.fail(JSON.stringify(fault)),
      });
      expect(frames).toBe(3);
    });

    rule('a frame as long as the limit is accepted; a longer one fails alone', () => {
      for (const maxFrameBytes of [2, 3, 5, 64, 1023, 1024, 1025, 5000, 9000]) {
        const [less, exact, more] = [-1, 0, 1].map((d) => 'y'.repeat(maxFrameBytes + d)) as [string, string, string];
        const stream = encodeAll(less, more, exact);
        const offset =
          framing.encode(Buffer.from(less)).length + framing.encode(Buffer.from(more)).indexOf('y'.charCodeAt(0));
        for (const cuts of [[stream.length], [1], [4096], [7, 1024]]) {
          const events = decodeAll(framing.decoder({ maxFrameBytes }), chunksOf({ bytes: stream, cuts }));
          expect(events).toMatchObject([
            { frame: less },
            { fault: 'FRAME_TOO_LONG', offset, length: more.length, prefix: more.slice(0, PREFIX_BYTES) },
            { frame: exact },
          ]);
        }
      }
    });

    rule('a stream that ends inside a frame is reported, with the bytes received', () => {
      const whole = encodeAll('{"id":1}');
      const stream = Buffer.concat([whole, whole.subarray(0, headerBytes + 5)]);
      const fault = { fault: 'FRAME_TRUNCATED', offset: whole.length + headerBytes, length: 5, prefix: '{"id"' };
      for (const chunks of everySplit(stream)) {
        expect(decodeAll(framing.decoder(), chunks)).toEqual([{ frame: '{"id":1}', offset: headerBytes }, fault]);
      }
    });

    rule('a decoder can be reused after its end', () => {
      const decoder = framing.decoder();
      const stream = encodeAll(...numbered);
      const cutOff = decodeAll(decoder, [stream.subarray(0, stream.length - 1)]);
      expect(cutOff.at(-1)).toHaveProperty('fault');
      expect(decoder.heldBytes).toBe(framing.decoder().heldBytes);
      for (const next of [stream, Buffer.concat([Buffer.from('\ufeff'), stream])]) {
        expect(decodeAll(decoder, [next])).toEqual(decodeAll(framing.decoder(), [next]));
      }
      expect(decodeAll(decoder, [])).toEqual([]);
    });

    rule('a sink that throws loses only the frame it threw for', () => {
      const seen: string[] = [];
      const sink = {
        frame: (bytes: Uint8Array) => {
          const text = Buffer.from(bytes).toString();
          if (text === numbered[0]) throw new Error('not this one');
          seen.push(text);
        },
        fault: (fault: object) => expect.fail(JSON.stringify(fault)),
      };
      const decoder = framing.decoder();
      const stream = encodeAll(...numbered);
      expect(() => decoder.push(stream.subarray(0, stream.length - 3), sink)).toThrow('not this one');
      decoder.push(stream.subarray(stream.length - 3), sink);
      decoder.end(sink);
      expect(seen).toEqual(numbered.slice(1));
    });

    rule('a chunk that arrives while a sink runs is read after the current one', () => {
      const decoder = framing.decoder();
      const stream = encodeAll(...numbered);
      const seen: string[] = [];
      const sink = {
        frame: (bytes: Uint8Array) => {
          seen.push(Buffer.from(bytes).toString());
          if (seen.length > 1) return;
          decoder.push(stream.subarray(stream.length - 3), sink);
          decoder.end(sink);
        },
        fault: (fault: object) => expect.fail(JSON.stringify(fault)),
      };
      decoder.push(stream.subarray(0, stream.length - 3), sink);
      expect(seen).toEqual(numbered);
      expect(decodeAll(decoder, [stream])).toEqual(decodeAll(framing.decoder(), [stream]));
    });

    rule('an invalid limit is refused', () => {
      for (const maxFrameBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, LARGEST_MAX_FRAME_BYTES + 1]) {
        expect(() => framing.decoder({ maxFrameBytes })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
      }
      framing.decoder({ maxFrameBytes: LARGEST_MAX_FRAME_BYTES });
    });

    rule('two megabytes fed byte by byte stay within the limit', () => {
      const payload = Buffer.alloc(2 * 1024 * 1024, '{"text":"drip"}\n'.slice(0, -1));
      const stream = framing.encode(payload);
      const decoder = framing.decoder({ maxFrameBytes: payload.length });
      const lengths: number[] = [];
      const sink = { frame: (bytes: Uint8Array) => lengths.push(bytes.length), fault: () => lengths.push(-1) };
      let most = 0;
      for (let at = 0; at < stream.length; at++) {
        decoder.push(stream.subarray(at, at + 1), sink);
        most = Math.max(most, decoder.heldBytes);
      }
      decoder.end(sink);
      expect(lengths).toEqual([payload.length]);
      expect(most).toBeLessThanOrEqual(payload.length + 1 + HELD_EXTRA_BYTES);
    });

    rule('the work grows with the bytes and not with the chunks', () => {
      const payloads = ['{"id":1}', 'z'.repeat(100_000), '{"id":2}'];
      const stream = new Uint8Array(encodeAll(...payloads));
      const notPayload = stream.length - payloads.join('').length;
      for (const cuts of [[1], [7, 300], [5000], [1, 4096], [70_000], [Infinity]]) {
        const decoder = framing.decoder();
        const chunks = [...chunksOf({ bytes: stream, cuts })];
        const sink = { frame: () => undefined, fault: (fault: object) => expect.fail(JSON.stringify(fault)) };
        const { searched, copied } = countWork(() => {
          for (const chunk of chunks) decoder.push(chunk, sink);
        });
        expect(searched).toBeLessThanOrEqual(stream.length);
        expect(copied).toBeLessThanOrEqual(chunks.length === 1 ? notPayload : 2 * stream.length);
      }
    });

    framingProperties(framing, inputs);

    it('skips only sentences of this contract', () => expect([...skip.keys()]).toEqual([]));
  });
}

/** Counts every byte that any Uint8Array searches or copies during `work`. */
function countWork(work: () => void): { searched: number; copied: number } {
  const counts = { searched: 0, copied: 0 };
  const bytes = Uint8Array.prototype;
  const { indexOf, set } = bytes;
  bytes.indexOf = function (this: Uint8Array, byte, from = 0) {
    const found = indexOf.call(this, byte, from);
    counts.searched += (found < 0 ? this.length : found + 1) - from;
    return found;
  };
  bytes.set = function (this: Uint8Array, source, at) {
    counts.copied += source.length;
    set.call(this, source, at);
  };
  try {
    work();
  } finally {
    Object.assign(bytes, { indexOf, set });
  }
  return counts;
}
