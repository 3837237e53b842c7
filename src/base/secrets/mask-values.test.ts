import fc from 'fast-check';
import { expect, test } from 'vitest';
import { learnSecret, maskValues } from './mask-values.ts';
import { redactor } from './redact.ts';

test('every occurrence of a value becomes the name of its variable', () => {
  const mask = maskValues({ TOKEN: 'hunter22' });
  expect(mask('hunter22 and Bearer hunter22.')).toBe('[env TOKEN] and Bearer [env TOKEN].');
});

test('the longer of two overlapping values is masked whole', () => {
  const mask = maskValues({ SHORT: 'abcd', LONG: 'abcdefgh' });
  expect(mask('abcdefgh abcd')).toBe('[env LONG] [env SHORT]');
});

test('a mask is never masked again', () => {
  expect(maskValues({ A: 'TOKEN', TOKEN: 'secret' })('secret')).toBe('[env TOKEN]');
});

test('a value is found as JSON would print it', () => {
  const mask = maskValues({ KEY: '-----BEGIN\n"x"\\y' });
  expect(mask(JSON.stringify({ key: '-----BEGIN\n"x"\\y' }))).toBe('{"key":"[env KEY]"}');
});

test('values are text, not patterns', () => {
  expect(maskValues({ P: 'a.*b|c(d)[e]{f}^$/\\' })('a.*b|c(d)[e]{f}^$/\\ axxb')).toBe('[env P] axxb');
});

test('a value is found as a URL escapes it', () => {
  expect(maskValues({ KEY: 'a b/c' })('https://x.test/?k=a%20b%2Fc')).toBe('https://x.test/?k=[env KEY]');
});

test('words that everyone uses stay, and so do the working folder and its like', () => {
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

test('the node and the generation of a server of a fleet stay: logs need them', () => {
  const mask = maskValues({ STANDPIPE_NODE: 'build-1', STANDPIPE_GENERATION: '1234567' });
  expect(mask('build-1 in generation 1234567')).toBe('build-1 in generation 1234567');
});

test('a short number is masked where it is known to be secret', () => {
  expect(maskValues({ PIN: '1234', PORT: '8080' }, ['99999'])('1234 8080 99999')).toBe('[env PIN] 8080 [redacted]');
});

test('values too short to be secrets stay, and so does PATH', () => {
  const mask = maskValues({ DEBUG: '1', MODE: 'abc', PATH: '/usr/bin', EMPTY: '' });
  expect(mask('1 abc /usr/bin')).toBe('1 abc /usr/bin');
});

test('values of four or more characters are masked in any text', () => {
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

test('a secret that is learned later is hidden by masks and redactors that were made before', () => {
  const [mask, ofNothing, redact] = [maskValues({ KEY: 'hunter22' }), maskValues(), redactor()];
  expect(ofNothing('access-xyz"1')).toBe('access-xyz"1');
  learnSecret('access-xyz"1');
  expect(mask('hunter22 access-xyz"1')).toBe('[env KEY] [redacted]');
  expect(ofNothing(JSON.stringify(['access-xyz"1']))).toBe('["[redacted]"]');
  expect(redact('{"text":"access-xyz\\"1"}')).toBe('{"text":"[redacted]"}');
});
