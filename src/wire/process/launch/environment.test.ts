import { expect, test } from 'vitest';
import { childEnvironment, readVariable } from './environment.ts';

const posixHost = {
  PATH: '/usr/bin:/bin',
  HOME: '/home/ada',
  LANG: 'en_US.UTF-8',
  LC_CTYPE: 'C.UTF-8',
  XDG_CACHE_HOME: '/home/ada/.cache',
  AWS_SECRET_ACCESS_KEY: 'no business of a server',
  NODE_OPTIONS: '--inspect',
  PATHOLOGY: 'begins like PATH',
};

test('a child inherits the variables that programs need, and no others', () => {
  expect(childEnvironment({}, posixHost, 'linux')).toEqual({
    PATH: '/usr/bin:/bin',
    HOME: '/home/ada',
    LANG: 'en_US.UTF-8',
    LC_CTYPE: 'C.UTF-8',
    XDG_CACHE_HOME: '/home/ada/.cache',
  });
});

test('PATH is kept with a custom env, and an entry may replace it', () => {
  expect(childEnvironment({ TOKEN: 'x' }, posixHost, 'linux')).toMatchObject({ PATH: '/usr/bin:/bin', TOKEN: 'x' });
  expect(childEnvironment({ PATH: '/opt/bin' }, posixHost, 'linux').PATH).toBe('/opt/bin');
});

test('does not pass functions exported by bash, unless the entry defines them', () => {
  const host = { ...posixHost, SHELL: '() { evil; }' };
  expect(childEnvironment({}, host, 'linux')).not.toHaveProperty('SHELL');
  expect(childEnvironment({ GREETING: '() hi' }, host, 'linux').GREETING).toBe('() hi');
});

test('on POSIX, names that differ in case are different variables', () => {
  expect(childEnvironment({ Path: '/x' }, posixHost, 'linux')).toMatchObject({ Path: '/x', PATH: '/usr/bin:/bin' });
});

const windowsHost = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', Secret: 'no', 'ProgramFiles(x86)': 'C:\\P' };

test('on Windows, names are matched in any case', () => {
  expect(childEnvironment({}, windowsHost, 'win32')).toEqual({
    Path: 'C:\\Windows',
    SystemRoot: 'C:\\Windows',
    'ProgramFiles(x86)': 'C:\\P',
  });
});

test('on Windows, a custom PATH replaces Path, without a duplicate', () => {
  const child = childEnvironment({ PATH: 'D:\\bin' }, windowsHost, 'win32');
  expect(Object.entries(child).filter(([name]) => name.toUpperCase() === 'PATH')).toEqual([['PATH', 'D:\\bin']]);
  const twice = childEnvironment({ path: 'first', PATH: 'last' }, windowsHost, 'win32');
  expect(Object.entries(twice).filter(([name]) => name.toUpperCase() === 'PATH')).toEqual([['PATH', 'last']]);
});

test('reads a variable in any case on Windows, and exactly elsewhere', () => {
  expect(readVariable(windowsHost, 'PATH', 'win32')).toBe('C:\\Windows');
  expect(readVariable({ Path: '/x' }, 'PATH', 'linux')).toBeUndefined();
});

test('an undefined value adds nothing', () => {
  expect(childEnvironment({ NOTHING: undefined }, posixHost, 'linux')).not.toHaveProperty('NOTHING');
});
