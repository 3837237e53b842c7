import { expect, test } from 'vitest';
import { childEnvironment } from '../launch/environment.ts';
import { addMark, hasMark, hostOfMark, leaveTrees, newMark } from './mark.ts';
import { readProcessRow } from './process-table.ts';

test('marks differ, and are valid in a list, a line and a pattern of the shell', () => {
  const marks = Array.from({ length: 1000 }, newMark);
  expect(new Set(marks).size).toBe(1000);
  expect(marks.filter((mark) => !/^[0-9a-v]{20}w[0-9a-v]+w[0-9a-v]+$/.test(mark))).toEqual([]);
});

test.runIf(process.platform === 'linux')('a mark names the process that made it', () => {
  expect(hostOfMark(newMark())).toEqual({ pid: process.pid, startTicks: readProcessRow(process.pid)!.startTicks });
});

test.each(['', '0123456789abcdefghij', '0123456789abcdefghijw1w', '0123456789abcdefghijw1w0', 'x w1w22'])(
  'a mark of another form has no known host: "%s"',
  (mark) => expect(hostOfMark(mark)).toBeUndefined(),
);

test('adds a mark to those of the outer hosts, which the short list passes on', () => {
  expect(addMark({ PATH: '/bin' }, 'inner')).toEqual({ PATH: '/bin', STANDPIPE_MARKS: 'inner' });
  const outer = addMark({ PATH: '/bin', SECRET: 'x' }, 'outer');
  expect(addMark(childEnvironment({}, outer, 'linux'), 'inner')).toEqual({
    PATH: '/bin',
    STANDPIPE_MARKS: 'outer inner',
  });
});

test('a background host has no marks of the trees that it left, and keeps their names in another form', () => {
  const own = { STANDPIPE_MARKS: 'outer inner' };
  const environment = leaveTrees({ PATH: '/bin', ...own }, own);
  expect(environment).toEqual({ PATH: '/bin', STANDPIPE_LEFT: 'renni retuo' });
  expect(leaveTrees({ PATH: '/bin' }, {})).toEqual({ PATH: '/bin' });
});

test.runIf(process.platform === 'linux')('a missing process, or one of another user, has no mark', () => {
  expect(hasMark(process.pid, 'no-such-mark-here')).toBe(false);
  expect(hasMark(2 ** 30, 'no-such-mark-here')).toBe(false);
});
