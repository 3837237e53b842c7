// The hashes were computed with Python (`json.dumps(…, sort_keys=True, separators=(',', ':'), ensure_ascii=False)` and `hashlib`), and the
// program agrees with all published vectors of "Tool definition hash, version 1".

import { expect, test } from 'vitest';
import { definitionHash, setHash, textHash } from './definition-hash.ts';

const add = { name: 'add', inputSchema: { type: 'object', required: ['b', 'a'] }, description: 'Adds – zwei Zahlen.' };
const list = {
  description: 'Lists.',
  name: 'list',
  annotations: { readOnlyHint: true },
  _meta: { 'example.org/x': [1.5, null] },
};

test('hashes a whole definition, whatever the order of its members', () => {
  expect(definitionHash(add)).toBe('27e4f4dc5ea20efac38194a91b0fe5608df0c57a595274903c1506365bc3e26c');
  expect(definitionHash(list)).toBe('034a337e5b55632469b442391af9a55497b469929e18a868f7309e853f67a22c');
  const { name, ...rest } = add;
  expect(definitionHash({ ...rest, name })).toBe('27e4f4dc5ea20efac38194a91b0fe5608df0c57a595274903c1506365bc3e26c');
  expect(definitionHash({ ...add, title: 'Add' })).not.toBe(definitionHash(add));
});

test('hashes a list, whatever the order of its entries', () => {
  expect(setHash([add, list])).toBe('292488490394bfad6397a18511f12e2bf51ca2745938f1765774b6df2c6163cb');
  expect(setHash([list, add])).toBe('292488490394bfad6397a18511f12e2bf51ca2745938f1765774b6df2c6163cb');
  expect(setHash([])).toBe(textHash(''));
  const other = { ...add, title: 'Add' };
  expect(setHash([add, other])).toBe(setHash([other, add]));
});

test('has no hash for a list with an entry without a name', () => {
  expect(setHash([add, { description: 'nameless' }])).toBeUndefined();
  expect(setHash([{ name: 7 }])).toBeUndefined();
});

test('hashes instructions as UTF-8', () => {
  expect(textHash('Zuerst „list“ aufrufen.\n')).toBe(
    '4018d18a219c8e163014101f17c2e3c73e20311d4de219c3f44ec6596365c549',
  );
});
