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
])('suggests %s for %s', (name, meant) => {
  expect(nearest(name, keys)).toBe(meant);
});

test.each(['foo', 'x', '', 'description', 'workingDirectory'])('suggests nothing for %j', (name) => {
  expect(nearest(name, keys)).toBeUndefined();
});

test.each([
  ['g', 'a'],
  ['ab', 'cd'],
])('does not suggest %j for %j, which share no letter', (name, other) => {
  expect(nearest(name, [other])).toBeUndefined();
});

test('suggests the nearest of several names, and the first of equally near ones', () => {
  expect(nearest('tokem', ['tokens', 'token', 'totem'])).toBe('token');
});

test('does not compare a name of a thousand characters', () => {
  expect(didYouMean('x'.repeat(1000), ['x'.repeat(999)])).toBeUndefined();
});

test('compares only the first thousand names', () => {
  let taken = 0;
  function* names() {
    for (; taken < 100_000; taken++) yield `name-${taken}`;
  }
  expect(nearest('name-7x', names())).toBe('name-7');
  expect(taken).toBe(1000);
});
