import { describe, expect, test } from 'vitest';
import { calculatorTool } from './memory.contract.ts';
import { makeTool, type Parameter } from './tool.ts';
import { argumentsByPosition, mcpNameOf, serverInfoOf, toolAsMcp } from './tool-as-mcp.ts';

const calculator = toolAsMcp(makeTool(calculatorTool));
const withParameters = (...parameters: Parameter[]) => toolAsMcp(makeTool({ name: 'T', parameters }));

describe('the definition', () => {
  test('has the texts, the schema and the examples of the tool', () => {
    expect(calculator.definition).toEqual({
      name: 'Calculator',
      title: 'Calculator',
      description: 'A simple calculator\nExample: Calculate the sum of 2 and 3',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'The first number', examples: [2] },
          b: { type: 'number', description: 'The second number', examples: [3] },
        },
        required: ['a', 'b'],
        additionalProperties: false,
      },
    });
  });
  test('the definition of a tool without texts has no descriptions', () => {
    expect(toolAsMcp(makeTool({ name: 'Now' })).definition).toEqual({
      name: 'Now',
      title: 'Now',
      inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
    });
  });
  test.each([
    ['int', { type: 'integer' }],
    ['Bool', { type: 'boolean' }],
    ['dict', { type: 'object' }],
    ['list', { type: 'array' }],
    ['string', { type: 'string' }],
    ['', { type: 'string' }],
    ['date', { type: 'string', description: '(date)' }],
    ['json', { description: '(any JSON value; a string is read as JSON text)' }],
  ])('has the closest JSON Schema of the type %j', (type, schema) => {
    const { properties } = withParameters({ name: 'x', type }).definition.inputSchema;
    expect(properties).toEqual({ x: schema });
  });
  test('keeps an unknown type in the description, and an invalid example as text', () => {
    const { properties } = withParameters(
      { name: 'on', type: 'date', description: 'The day', example: '2026-01-31' },
      { name: 'n', type: 'int', example: 'about five' },
    ).definition.inputSchema;
    expect(properties).toEqual({
      on: { type: 'string', description: 'The day (date)', examples: ['2026-01-31'] },
      n: { type: 'integer', examples: ['about five'] },
    });
  });
  test('keeps the order of the parameters in "required" for any names', () => {
    const names = ['10', '__proto__', '2', 'a', 'constructor'];
    const { inputSchema } = withParameters(...names.map((name) => ({ name, type: 'string' }))).definition;
    expect(inputSchema.required).toEqual(names);
    expect(Object.keys(inputSchema.properties as object).sort()).toEqual(names.toSorted());
  });
  test('distinguishes two parameters with one name', () => {
    const shown = withParameters({ name: 'x', type: 'string' }, { name: 'x', type: 'string' });
    expect(shown.definition.inputSchema.required).toEqual(['x', 'x_2']);
    expect(shown.layOut({ x_2: 'two', x: 'one' })).toEqual({ arguments: ['one', 'two'] });
  });
});

test.each([
  ['Calculator', 'Calculator'],
  ['my tool (v2)!', 'my_tool_v2_'],
  ['weather/forecast', 'weather_forecast'],
  ['计算器', 'tool'],
  ['查询 v2', '_v2'],
  ['x'.repeat(200), 'x'.repeat(128)],
])('the name %j becomes %j in MCP', (name, valid) => {
  expect(mcpNameOf(name)).toBe(valid);
  expect(valid).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
});

test('the server has the name of its tool, and the version of its protocol', () => {
  expect(serverInfoOf(makeTool({ name: '计算器' }))).toEqual({ name: '计算器', version: '1.0.0' });
  expect(serverInfoOf(makeTool(calculatorTool))).toMatchObject({ description: 'A simple calculator' });
});

describe('named arguments', () => {
  test('become strings in the order of the parameters', () => {
    expect(calculator.layOut({ b: 3, a: 0.5 })).toEqual({ arguments: ['0.5', '3'] });
  });
  test('named arguments that are strings are sent unchanged for any schema', () => {
    expect(calculator.layOut({ a: '2', b: 'three' })).toEqual({ arguments: ['2', 'three'] });
    expect(withParameters({ name: 'x', type: 'json' }).layOut({ x: '{"y":1}' })).toEqual({ arguments: ['{"y":1}'] });
  });
  test('named arguments of every type have one text form', () => {
    const types = ['int', 'bool', 'object', 'array', 'json', 'string', 'date'];
    const shown = withParameters(...types.map((type) => ({ name: type, type })));
    const args = { int: 7, bool: true, object: { x: [1] }, array: ['a'], json: [null], string: 5, date: false };
    expect(shown.layOut(args)).toEqual({ arguments: ['7', 'true', '{"x":[1]}', '["a"]', '[null]', '5', 'false'] });
  });
  test.each([
    [{ a: true, b: 1 }, 'The argument "a" must be of type number, not a boolean'],
    [{ a: 1, b: [2] }, 'The argument "b" must be of type number, not an array'],
    [{ a: 1 }, 'missing: "b"'],
    [{ a: 1, b: null }, 'missing: "b"'],
    [{ a: 1, b: 2, c: 3 }, 'unknown: "c"'],
    [{ a: 1, b: 2 ** 60 }, '"b" is a number that may not be exact'],
  ])('%j are refused', (args, problem) => {
    expect(calculator.layOut(args)).toEqual({ problem: expect.stringContaining(problem) });
  });
  test('a fraction is not an integer, and an object is not a string', () => {
    const shown = withParameters({ name: 'n', type: 'integer' }, { name: 's', type: 'string' });
    expect(shown.layOut({ n: 1.5, s: '' })).toEqual({ problem: expect.stringContaining('type integer') });
    expect(shown.layOut({ n: 1, s: {} })).toEqual({ problem: expect.stringContaining('type string, not an object') });
  });
  test('are not read from prototypes', () => {
    const shown = withParameters({ name: 'toString', type: 'string' });
    expect(shown.layOut({})).toEqual({ problem: expect.stringContaining('missing: "toString"') });
  });
});

test('values by position equal arguments by name', () => {
  expect(argumentsByPosition(calculator.definition, ['2', '3'])).toEqual({ a: '2', b: '3' });
  expect(() => argumentsByPosition(calculator.definition, ['2'])).toThrow(
    'Calculator takes 2 arguments ("a", "b"), not 1; missing: "b"',
  );
});

test('examples with more than 250,000 JSON values in total stay text', () => {
  const example = `[${'0,'.repeat(149_998)}0]`;
  const { definition } = withParameters({ name: 'a', type: 'list', example }, { name: 'b', type: 'list', example });
  const { a, b } = definition.inputSchema.properties as Record<string, { examples: unknown[] }>;
  expect(a!.examples[0]).toHaveLength(149_999);
  expect(b!.examples).toEqual([example]);
});
