import { expect, test } from 'vitest';
import { parseStat, readResidentBytes } from './process-table.ts';

const rest = '0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 1000 10';

test('reads the fields of a line of /proc', () => {
  expect(parseStat(`42 (node) S 7 40 39 ${rest}`)).toEqual({
    pid: 42,
    parent: 7,
    group: 40,
    session: 39,
    startTicks: 98765,
    dead: false,
  });
});

test('a name may contain spaces and parentheses', () => {
  expect(parseStat(`42 (a) S 1 (b) R 7 40 39 ${rest}`)).toMatchObject({ parent: 7, group: 40 });
});

test('a zombie is dead, unless some of its threads still run', () => {
  expect(parseStat(`42 (node) Z 7 40 39 ${rest}`).dead).toBe(true);
  expect(parseStat(`42 (node) Z 7 40 39 ${rest.replace('20 0 1', '20 0 3')}`).dead).toBe(false);
});

test.runIf(process.platform === 'linux')('reads the memory of a process, which is unknown after its exit', () => {
  expect(readResidentBytes(process.pid)).toBeGreaterThan(1024 * 1024);
  expect(readResidentBytes(2 ** 30)).toBeUndefined();
});
