import { expect, test } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';
import { commandKeys, settingKeys } from './read/keys.ts';

const keys = Object.keys({ ...settingKeys, ...commandKeys });

test.each([
  ['comand', 'command'],
  ['commnad', 'command'],
  ['Command', 'command'],
  ['arg', 'args'],
  ['autostart', 'autoStart'],
  ['startupTimeout', 'startupTimeoutMs'],
  ['env_file', 'envFile'],
  ['enable', 'enabled'],
])('%s is near to %s', (name, meant) => {
  expect(nearest(name, keys)).toBe(meant);
});

test.each(['foo', 'x', '', 'description', 'workingDirectory'])('%j is near to nothing', (name) => {
  expect(nearest(name, keys)).toBeUndefined();
});

test.each([
  ['g', 'a'],
  ['ab', 'cd'],
])('%j is not near to %j, which has no letter of it', (name, other) => {
  expect(nearest(name, [other])).toBeUndefined();
});

test('the nearest of several wins, the first of equals', () => {
  expect(nearest('tokem', ['tokens', 'token', 'totem'])).toBe('token');
});

test('a name of a thousand characters is not compared', () => {
  expect(didYouMean('x'.repeat(1000), ['x'.repeat(999)])).toBeUndefined();
});

test('only the first thousand names are compared', () => {
  let taken = 0;
  function* names() {
    for (; taken < 100_000; taken++) yield `name-${taken}`;
  }
  expect(nearest('name-7x', names())).toBe('name-7');
  expect(taken).toBe(1000);
});
