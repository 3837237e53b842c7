import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idText } from './to-json.ts';

test('the text of an id is the text that String gives', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.nat(), fc.integer(), fc.double(), fc.constantFrom(99, 100, 101, 2 ** 30, 2 ** 53)),
      (id) => {
        for (const each of [id, id + 1, id]) expect(idText(each)).toBe(String(each));
      },
    ),
  );
});
