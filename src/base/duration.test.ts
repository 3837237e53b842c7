import { expect, test } from 'vitest';
import { waitText } from './duration.ts';

test('writes a wait with the unit that people read', () => {
  expect([0, 250, 1_000, 18_438, 60_000, 90_000].map(waitText)).toEqual([
    ...['0 ms', '250 ms', '1 s', '18.4 s', '1 min', '1.5 min'],
  ]);
});
