import { expect, test } from 'vitest';
import type { ConfigProblem } from '../../../config/problem.ts';
import { newProblems } from './run-host.ts';

const warning: ConfigProblem = {
  severity: 'warning',
  file: 'mcp.json',
  line: 3,
  column: 5,
  server: 'a',
  message: 'Unknown key "x"',
};
const notJson: ConfigProblem = { severity: 'error', file: 'mcp.json', line: 1, column: 9, message: 'Not JSON' };

test('a problem at another position is not new', () => {
  expect(newProblems([warning], [{ ...warning, line: 8, column: 1 }])).toEqual([]);
});

test.each<[string, ConfigProblem]>([
  ['of another server', { ...warning, server: 'b' }],
  ['of another file', { ...warning, file: 'other.json' }],
  ['with another message', { ...warning, message: 'Unknown key "y"' }],
  ['that has become an error', { ...warning, severity: 'error' }],
])('a problem %s is new', (_what, problem) => {
  expect(newProblems([warning], [warning, problem])).toEqual([problem]);
});

test('a syntax error at another position is a new problem', () => {
  const elsewhere = { ...notJson, line: 7 };
  expect(newProblems([notJson], [notJson])).toEqual([]);
  expect(newProblems([notJson], [elsewhere])).toEqual([elsewhere]);
});

test('a problem that was fixed and occurs again is new', () => {
  expect(newProblems([], [warning])).toEqual([warning]);
});
