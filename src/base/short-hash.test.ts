import { expect, test } from 'vitest';
import { shortHash } from './short-hash.ts';

test.each([
  ['', 'cbf29ce484222325'],
  ['a', 'af63dc4c8601ec8c'],
  ['foobar', '85944171f73967e8'],
])('%j has its FNV-1a hash', (text, hash) => expect(shortHash(text)).toBe(hash));

test('a hash of any text has 16 digits', () => {
  const hashes = Array.from({ length: 1_000 }, (_, at) => shortHash(`/home/ü/project ${at}/mcp.json`));
  expect(new Set(hashes).size).toBe(1_000);
  expect(hashes.filter((hash) => !/^[0-9a-f]{16}$/.test(hash))).toEqual([]);
});
