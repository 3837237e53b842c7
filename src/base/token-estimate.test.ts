import { expect, test } from 'vitest';
import { estimateTokens } from './token-estimate.ts';

// The numbers beside the texts are those of o200k_base.
test.each([
  ['', 0],
  ['Hello, world!', 4],
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['{"type":"object","properties":{"city":{"type":"string"}}}', 14],
  ['1234567890', 4],
])('estimates %j as %i tokens, give or take one', (text, tokens) => {
  expect(Math.abs(estimateTokens(text) - tokens)).toBeLessThanOrEqual(1);
});

test('a longer text has not fewer tokens', () => {
  const text =
    'Lists the open issues of a repository, newest first. 列出仓库的问题。 createIssueComment(issue_number: 12345)';
  const counts = Array.from({ length: text.length }, (_, length) => estimateTokens(text.slice(0, length)));
  expect(counts.at(-1)).toBeGreaterThan(20);
  for (const [at, count] of counts.entries()) if (at > 0) expect(count).toBeGreaterThanOrEqual(counts[at - 1]! - 1);
});

test.each(['A', 'a', ' ', '-', '9', '中', '\u0301', '\ud800', 'Aa', 'a-'])('reads a long run of %j', (piece) => {
  expect(estimateTokens(piece.repeat(200_000))).toBeGreaterThan(0);
});
