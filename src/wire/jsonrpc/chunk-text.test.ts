import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkText } from './chunk-text.ts';

const lines = fc.array(
  fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 }), fc.constant('x'.repeat(5000))),
  { minLength: 1, maxLength: 40 },
);

test('returns the text of the bytes for any chunks', () => {
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 40 }), (chunks) => {
      const texts = new ChunkText();
      for (const each of chunks) {
        const chunk = Buffer.from(each.map((line) => `${line}\n`).join(''));
        let start = 0;
        for (const line of each) {
          const end = start + Buffer.byteLength(line);
          expect(texts.of(chunk, start, end)).toBe(chunk.toString('utf8', start, end));
          start = end + 1;
        }
      }
    }),
  );
});

test('invalid UTF-8 does not shift other texts', () => {
  const texts = new ChunkText();
  const good = `"${'a'.repeat(100)}"`;
  const chunk = Buffer.concat([Buffer.from(good), Uint8Array.of(0x0a, 0xff, 0xfe, 0x0a), Buffer.from(good)]);
  expect(texts.of(chunk, 0, good.length)).toBe(good);
  expect(texts.of(chunk, good.length + 1, good.length + 3)).toBe('\ufffd\ufffd');
  expect(texts.of(chunk, good.length + 4, chunk.length)).toBe(good);
});
