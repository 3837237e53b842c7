import fc from 'fast-check';
import { expect, test } from 'vitest';
import { learnSecret, maskValues } from './mask-values.ts';
import { redactor } from './redact.ts';

test('replaces every occurrence of a value by the name of its variable', () => {
  const mask = maskValues({ TOKEN: 'hunter22' });
  expect(mask('hunter22 and Bearer hunter22.')).toBe('[env TOKEN] and Bearer [env TOKEN].');
});

test('masks the longer of two overlapping values completely', () => {
  const mask = maskValues({ SHORT: 'abcd', LONG: 'abcdefgh' });
  expect(mask('abcdefgh abcd')).toBe('[env LONG] [env SHORT]');
});

test('never masks a mask again', () => {
  expect(maskValues({ A: 'TOKEN', TOKEN: 'secret' })('secret')).toBe('[env TOKEN]');
});

test('finds a value in its JSON form', () => {
  const mask = maskValues({ KEY: '-----BEGIN\n"x"\\y' });
  expect(mask(JSON.stringify({ key: '-----BEGIN\n"x"\\y' }))).toBe('{"key":"[env KEY]"}');
});

test('treats values as text, not patterns', () => {
  expect(maskValues({ P: 'a.*b|c(d)[e]{f}^$/\\' })('a.*b|c(d)[e]{f}^$/\\ axxb')).toBe('[env P] axxb');
});

test('finds a value in its URL-encoded form', () => {
  expect(maskValues({ KEY: 'a b/c' })('https://x.test/?k=a%20b%2Fc')).toBe('https://x.test/?k=[env KEY]');
});

test('does not mask common words and standard variables such as the working folder', () => {
  const common = { A: 'true', B: 'info', C: 'production', D: 'localhost', E: '8080', F: '127.0.0.1:80', G: 'on' };
  const system = {
    PWD: '/home/me/project',
    OLDPWD: '/home/me',
    HOME: '/home/me',
    LC_ALL: 'en_US.UTF-8',
    TMPDIR: '/var/tmp',
  };
  const text = `${Object.values(common).join(' ')} ${Object.values(system).join('/x ')}/x`;
  expect(maskValues({ ...common, ...system }, ['true', 'root'])(text)).toBe(text);
});

test('does not mask the node and the generation of a server of a fleet, which logs need', () => {
  const mask = maskValues({ STANDPIPE_NODE: 'build-1', STANDPIPE_GENERATION: '1234567' });
  expect(mask('build-1 in generation 1234567')).toBe('build-1 in generation 1234567');
});

test('masks a short number that is known to be secret', () => {
  expect(maskValues({ PIN: '1234', PORT: '8080' }, ['99999'])('1234 8080 99999')).toBe('[env PIN] 8080 [redacted]');
});

test('does not mask PATH and values too short to be secrets', () => {
  const mask = maskValues({ DEBUG: '1', MODE: 'abc', PATH: '/usr/bin', EMPTY: '' });
  expect(mask('1 abc /usr/bin')).toBe('1 abc /usr/bin');
});

test('masks values of four or more characters in any text', () => {
  // Values of these characters cannot be part of a mask, which has brackets.
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '.', '$', '\\', '"', 'é'), minLength: 4, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.string(), (values, between) => {
      const env = Object.fromEntries(values.map((value, index) => [`V${index}`, value]));
      const text = maskValues(env)(values.join(between.replaceAll(/[ab.$\\"é]/g, '#') || '#'));
      for (const value of values) expect(text).not.toContain(value);
    }),
  );
});

test('existing masks and redactors hide secrets that are added later', () => {
  const [mask, ofNothing, redact] = [maskValues({ KEY: 'hunter22' }), maskValues(), redactor()];
  expect(ofNothing('access-xyz"1')).toBe('access-xyz"1');
  learnSecret('access-xyz"1');
  expect(mask('hunter22 access-xyz"1')).toBe('[env KEY] [redacted]');
  expect(ofNothing(JSON.stringify(['access-xyz"1']))).toBe('["[redacted]"]');
  expect(redact('{"text":"access-xyz\\"1"}')).toBe('{"text":"[redacted]"}');
});
