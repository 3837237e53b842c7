import { expect, test } from 'vitest';
import { lockOf, readServerLock } from './server-lock.ts';

test('reads a lock that another program wrote, and approves nothing if it is not sound', () => {
  const lock = lockOf('a', 'refuse', undefined)!;
  expect(readServerLock(JSON.parse(JSON.stringify(lock)))).toEqual(lock);
  expect(readServerLock(undefined)).toBeUndefined();
  for (const value of [
    null,
    {},
    { ...lock, mode: 'off' },
    { ...lock, lists: {} },
    { ...lock, masks: [1] },
    { ...lock, contents: 1 },
  ])
    expect(readServerLock(value)).toMatchObject({
      mode: 'hide',
      why: 'its lock in the fleet cannot be used',
      contents: {},
    });
});
