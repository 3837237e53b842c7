import { describe, expect, it } from 'vitest';
import { bytesOf, decodeAll, everySplit, framesOf } from './events.contract.ts';
import { fixedLength } from './fixed-length.ts';
import { framingContract } from './framing.contract.ts';
import { framingProperties } from './framing-properties.contract.ts';
import { naiveFixed } from './naive.contract.ts';

framingContract('fixed-length', fixedLength({ frameBytes: 1200 }), {
  naive: naiveFixed(1200, ' '),
  pieces: [' ', ' '.repeat(599), 'x', 'x'.repeat(1199), '{"id":1}', '\0', '\n'],
  maxFrameBytes: 1200,
  skip: {
    'JSON written as text and as bytes is the same': 'a frame has to be counted in bytes',
    'a frame as long as the limit is accepted; a longer one fails alone': 'every frame has the same length',
    'two megabytes fed byte by byte stay within the limit': 'tested below, with a frame of that size',
    'the work grows with the bytes and not with the chunks': 'no byte is searched, and the example is longer',
  },
});

describe('fixed-length of a few bytes', () => {
  framingProperties(fixedLength({ frameBytes: 5, padding: 0 }), {
    naive: naiveFixed(5, '\0'),
    pieces: [' ', '\0', '\0\0\0', '\0x', 'abcd', 'abcde', 'abcdef', '\n'],
    maxFrameBytes: 5,
  });
});

describe('fixed-length', () => {
  it('reads frames of 64 bytes and strips their padding', () => {
    const framing = fixedLength({ frameBytes: 64 });
    const stream = Buffer.concat([framing.encode(bytesOf('{"id":1}')), framing.encode(bytesOf('{"id":2}'))]);
    expect(stream.toString()).toBe('{"id":1}'.padEnd(64) + '{"id":2}'.padEnd(64));
    for (const chunks of everySplit(stream)) {
      expect(framesOf(framing.decoder(), chunks)).toEqual(['{"id":1}', '{"id":2}']);
    }
  });

  it('pads with any byte, and preserves that byte in a payload', () => {
    const framing = fixedLength({ frameBytes: 6, padding: 0 });
    expect(decodeAll(framing.decoder(), [bytesOf('a\0b \0\0'), bytesOf('\0\0\0\0\0\0')])).toEqual([
      { frame: 'a\0b ', offset: 0 },
      { frame: '', offset: 6 },
    ]);
  });

  it('accepts a payload that fills the frame, and no longer one', () => {
    const framing = fixedLength({ frameBytes: 4 });
    expect(framesOf(framing.decoder({ maxFrameBytes: 4 }), [framing.encode(bytesOf('full'))])).toEqual(['full']);
    expect(() => framing.encode(bytesOf('fully'))).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LONG' }));
  });

  it('refuses a payload that ends with padding, which would be shortened', () => {
    const framing = fixedLength({ frameBytes: 4 });
    expect(() => framing.encode(bytesOf('a '))).toThrow(expect.objectContaining({ code: 'PAYLOAD_HAS_DELIMITER' }));
  });

  it('keeps a frame of two megabytes that arrives byte by byte within its limit', () => {
    const frameBytes = 2 * 1024 * 1024;
    const decoder = fixedLength({ frameBytes }).decoder({ maxFrameBytes: frameBytes });
    let most = 0;
    const events = decodeAll(decoder, singleBytes(frameBytes), () => {
      most = Math.max(most, decoder.heldBytes);
    });
    expect(events).toHaveLength(1);
    expect(most).toBeLessThanOrEqual(frameBytes + 1);
  });

  it.each([{ frameBytes: 0 }, { frameBytes: 1.5 }, { frameBytes: 0x2000_0000 }, { frameBytes: 4, padding: 256 }])(
    'refuses %j',
    (options) => {
      expect(() => fixedLength(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    },
  );

  it('refuses a limit below the length of a frame', () => {
    expect(() => fixedLength({ frameBytes: 5 }).decoder({ maxFrameBytes: 4 })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

function* singleBytes(count: number): Generator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Uint8Array.of(0x61);
}
