import { expect, test } from 'vitest';
import { byName, layOutArguments, ServedParameters } from './arguments.ts';
import { readTool } from './tool.ts';

const tool = readTool({
  name: 'Mail',
  parameters: [
    { name: 'to', type: 'string' },
    { name: 'copies', type: 'number' },
  ],
});
const none = readTool({ name: 'Now' });
const twins = readTool({ name: 'Twins', parameters: [tool.parameters[0], tool.parameters[0]] });

test('arguments by position and by name give equal strings in the order of the parameters', () => {
  expect(layOutArguments(tool, ['x', 2])).toEqual({ arguments: ['x', '2'] });
  expect(layOutArguments(tool, { copies: 2, to: 'x' })).toEqual({ arguments: ['x', '2'] });
  expect(layOutArguments(tool, [{ a: [1] }, true])).toEqual({ arguments: ['{"a":[1]}', 'true'] });
  expect(layOutArguments(none, [])).toEqual({ arguments: [] });
  expect(layOutArguments(none, {})).toEqual({ arguments: [] });
  expect(layOutArguments(twins, ['1', '2'])).toEqual({ arguments: ['1', '2'] });
});

test.each([
  [tool, ['x'], 'Mail takes 2 arguments ("to", "copies"), not 1; missing: "copies"'],
  [tool, ['x', '1', '2'], 'Mail takes 2 arguments ("to", "copies"), not 3'],
  [none, ['x'], 'Now takes 0 arguments, not 1'],
  [tool, ['x', null], 'The argument "copies" is missing'],
  [tool, ['x', 2 ** 60], 'The argument "copies" is a number that may not be exact: write it as a string'],
  [tool, ['x', () => 1], 'The argument "copies" cannot be written as text: Cannot be serialized as JSON: function'],
  [
    tool,
    { to: 'x' },
    'The arguments do not match the parameters of Mail; missing: "copies"; its parameters are: "to", "copies"',
  ],
  [tool, { To: 'x', copies: 1 }, 'missing: "to"; unknown: "To"; its parameters are: "to", "copies"'],
  [none, { a: 1 }, 'The arguments do not match the parameters of Now; unknown: "a"; its parameters are: none'],
  [twins, { to: 'x' }, 'Twins has two parameters of the same name: give its arguments as a list'],
])('reports invalid arguments: %#', (to, args, problem) => {
  expect(layOutArguments(to, args)).toEqual({ problem: expect.stringContaining(problem) });
});

test('assigns names to strings, as far as both reach', () => {
  expect(byName(tool.parameters, ['x', '2'])).toEqual({ to: 'x', copies: '2' });
  expect(byName(tool.parameters, ['x'])).toEqual({ to: 'x' });
  expect(byName(tool.parameters, ['x', '2', '3'])).toEqual({ to: 'x', copies: '2' });
});

test('limits the arguments of a served tool to a million JSON values in total', () => {
  const served = new ServedParameters([
    { name: 'a', type: 'list' },
    { name: 'b', type: 'json' },
  ]);
  const half = `[${'0,'.repeat(499_999)}0]`;
  expect(served.values([half, '[]'])).toMatchObject({ b: [] });
  expect(() => served.values([half, half])).toThrow(/"b" does not fit: .* exceeds the limit of 1000000 JSON values/);
});
