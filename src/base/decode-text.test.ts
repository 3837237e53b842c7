import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byBuffer, byDecoder } from './decode-text.ts';

const ways = { buffer: byBuffer(Buffer), decoder: byDecoder() };

test.each(Object.entries(ways))('%s: decodes only the given range of a buffer', (_, decodeText) => {
  const bytes = new TextEncoder().encode('before wörds after').subarray(7, 13);
  expect(decodeText(bytes)).toBe('wörds');
  expect(decodeText(bytes, 1, 3)).toBe('ö');
  expect(decodeText(Buffer.from('wörds'), 1)).toBe('örds');
});

test.each(Object.entries(ways))('%s: keeps a byte order mark, and replaces invalid bytes', (_, decodeText) => {
  expect(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff))).toBe('\ufeffa\ufffd');
});

test('both ways agree on all bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(ways.buffer(bytes)).toBe(ways.decoder(bytes));
    }),
  );
});
