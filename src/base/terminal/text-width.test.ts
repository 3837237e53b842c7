import { describe, expect, test } from 'vitest';
import { cutToWidth, padToWidth, textWidth } from './text-width.ts';

describe('width', () => {
  test.each([
    ['plain', 5],
    ['grüße', 5],
    ['e\u0301', 1],
    ['漢字', 4],
    ['👩‍👩‍👧', 2],
    ['한국어', 6],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
    expect(textWidth(padToWidth(text, 10))).toBe(10);
  });

  test.each(['plain text', '漢字漢字漢字', 'e\u0301e\u0301e\u0301e\u0301', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'])(
    'cuts %s between letters',
    (text) => {
      for (let width = 1; width < 12; width++) expect(textWidth(cutToWidth(text, width))).toBeLessThanOrEqual(width);
      expect(cutToWidth(text, 100)).toBe(text);
    },
  );
});
