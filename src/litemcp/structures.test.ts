import { describe, expect, test } from 'vitest';
import { readCallResult } from './call-result.ts';
import { parseIOBasic, printIOBasic, Unreadable } from './io-basic.ts';
import { readVersion } from './shape.ts';
import { readTool, readToolCall } from './tool.ts';

const version = [1, 0, 0];

describe('a version', () => {
  test('is a tuple, or an object with the members of the specification', () => {
    expect(readVersion([1, 2, 3], 'version')).toEqual([1, 2, 3]);
    expect(readVersion({ major: 1, minor: 2, patch: 3 }, 'version')).toEqual([1, 2, 3]);
  });
  test.each([
    [[1, 0], 'version must be three integers, such as [1, 0, 0]'],
    [[1, 0, -1], 'version must be three integers, such as [1, 0, 0]'],
    [[1, 0, 0.5], 'version must be three integers, such as [1, 0, 0]'],
    ['1.0.0', 'version must be an array such as [1, 0, 0], not a string'],
    [undefined, 'version must be an array such as [1, 0, 0], not absent'],
    [{ major: 1 }, 'version needs integers major, minor and patch'],
  ])('refuses %j with a reason', (value, message) => {
    expect(() => readVersion(value, 'version')).toThrow(message);
  });
});

describe('a Tool', () => {
  test('may omit all members except its name', () => {
    expect(readTool({ name: 'T' })).toEqual({ version, name: 'T', parameters: [] });
    expect(readTool({ name: 'T', description: null, example: null, parameters: null, more: 1 })).toEqual({
      version,
      name: 'T',
      parameters: [],
    });
  });
  test.each([
    [[], 'data must be an object, not an array'],
    [{ version }, 'data.name must be a string, not absent'],
    [{ name: '' }, 'data.name must not be empty'],
    [{ name: 'T', description: 7 }, 'data.description must be a string, not a number'],
    [{ name: 'T', parameters: {} }, 'data.parameters must be an array, not an object'],
    [{ name: 'T', parameters: [{ name: 'a', type: 't' }, { name: 'b' }] }, 'data.parameters[1].type must be a string'],
    [{ name: 'T', version: [2, 0, 0] }, 'data.version is 2.0.0, and this side supports LiteMCP 1.0.0'],
  ])('refuses %j with a reason', (value, message) => {
    expect(() => readTool(value)).toThrow(message);
  });
});

describe('a ToolCall', () => {
  test('a ToolCall without arguments has none', () => {
    expect(readToolCall({ version, tool: 'T' })).toEqual({ version, tool: 'T', arguments: [] });
    expect(readToolCall({ version, tool: 'T', arguments: null })).toEqual({ version, tool: 'T', arguments: [] });
  });
  test('has numbers and booleans converted to text', () => {
    expect(readToolCall({ tool: 'T', arguments: ['a', 2, -1.5, true, false] }).arguments).toEqual([
      'a',
      '2',
      '-1.5',
      'true',
      'false',
    ]);
  });
  test.each([
    [{ arguments: [] }, 'data.tool must be a string, not absent'],
    [{ tool: 'T', arguments: { a: '1' } }, 'data.arguments must be an array, not an object'],
    [{ tool: 'T', arguments: ['1', null] }, 'data.arguments[1] must be a string, not null'],
    [{ tool: 'T', arguments: [['1']] }, 'data.arguments[0] must be a string, not an array'],
    [{ tool: 'T', arguments: [2 ** 60] }, 'data.arguments[0] is a number too large to be exact: send it as a string'],
  ])('refuses %j with a reason', (value, message) => {
    expect(() => readToolCall(value)).toThrow(message);
  });
});

describe('a CallResult', () => {
  const response = { content: [{ type: 'number', data: '5' }], error: false };
  test('is read unchanged', () => {
    expect(readCallResult({ version, params: { a: '2' }, response })).toEqual({
      version,
      params: { a: '2' },
      response,
    });
  });
  test('keeps a parameter named __proto__', () => {
    const { params } = readCallResult(
      JSON.parse('{"params":{"__proto__":"x"},"response":{"content":[],"error":false}}'),
    );
    expect(Object.entries(params)).toEqual([['__proto__', 'x']]);
  });
  test.each([
    [{ params: {} }, 'data.response must be an object, not absent'],
    [{ response }, 'data.params must be an object, not absent'],
    [{ params: { a: 2 }, response }, 'data.params.a must be a string, not a number'],
    [{ params: {}, response: { content: [], error: 'no' } }, 'data.response.error must be true or false, not a string'],
    [
      { params: {}, response: { content: [{ type: 'x' }], error: true } },
      'data.response.content[0].data must be a string',
    ],
  ])('refuses %j with a reason', (value, message) => {
    expect(() => readCallResult(value)).toThrow(message);
  });
});

describe('an IOBasic', () => {
  const envelope = (fields: object) => JSON.stringify({ version, id: 1, type: 'get', ...fields });
  test('may have null, {} or no data', () => {
    for (const data of [null, undefined]) {
      expect(parseIOBasic(envelope({ data }))).toEqual({ version, id: 1, type: 'get', data: undefined });
    }
    expect(parseIOBasic(envelope({ data: {} }))).toMatchObject({ data: {} });
  });
  test('keeps the exact digits of its id when read and written', () => {
    for (const id of [
      '0',
      '-5',
      '9007199254740993',
      '18446744073709551615',
      '-170141183460469231731687303715884105728',
    ]) {
      const message = parseIOBasic(`{"version":[1,0,0],"data":{"id":3},"id": ${id} ,"type":"get"}`);
      if (message instanceof Unreadable) throw new Error(message.problem);
      expect(String(message.id)).toBe(id);
      expect(printIOBasic(message.id, 'info', {})).toBe(`{"version":[1,0,0],"id":${id},"type":"info","data":{}}`);
    }
  });
  test.each([
    [envelope({ id: '1' }), 'id must be an integer, not a string', undefined],
    [envelope({ id: 1.5 }), 'id must be an integer, not a number', undefined],
    [`{"version":[1,0,0],"id":${'9'.repeat(41)},"type":"get"}`, 'id must be an integer, not a number', undefined],
    [envelope({ version: undefined }), 'version must be an array such as [1, 0, 0], not absent', 1],
    [
      envelope({ version: [2, 1, 0] }),
      'version is 2.1.0, and this side supports LiteMCP 1.0.0: only versions 1.x.x',
      1,
    ],
    [envelope({ type: 3 }), 'type must be a string, not a number', 1],
    [envelope({ data: [] }), 'data must be an object, not an array', 1],
    ['[]', 'A message must be a JSON object, not an array', undefined],
    ['null', 'A message must be a JSON object, not null', undefined],
    ['{"id":7,"type":"call","data":{"id":8},}', 'Not valid JSON: ', 7],
    ['{"id":7', 'Not valid JSON: ', undefined],
  ])('refuses %s with a reason, with the id if there is one', (text, problem, id) => {
    const message = parseIOBasic(text);
    expect(message).toBeInstanceOf(Unreadable);
    expect(message).toMatchObject({ problem: expect.stringContaining(problem), id });
  });
});
