import { expect, test } from 'vitest';
import { toolFilter } from './server-config.ts';

const tools = ['read_file', 'read_dir', 'write_file', 'delete_all', 'Read_file', 'a*b'];

test.each([
  [{}, tools],
  [{ allow: ['read_*'] }, ['read_file', 'read_dir']],
  [{ allow: ['*_file'] }, ['read_file', 'write_file', 'Read_file']],
  [{ allow: ['?ead_file'] }, ['read_file', 'Read_file']],
  [{ allow: ['*'], deny: ['delete_*', 'write_file'] }, ['read_file', 'read_dir', 'Read_file', 'a*b']],
  [{ deny: ['*e*_*i*'] }, ['delete_all', 'a*b']],
  [{ allow: [] }, []],
  [{ allow: ['a*b'], deny: ['a?b'] }, []],
  [{ allow: ['read'] }, []],
])('%j', (rules, left) => {
  expect(tools.filter(toolFilter(rules))).toEqual(left);
});

test('a costly pattern takes linear time', () => {
  expect(toolFilter({ allow: [`${'*a'.repeat(50)}b`] })('a'.repeat(10_000))).toBe(false);
});
