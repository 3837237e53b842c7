import { describe, expect, test } from 'vitest';
import { calculatorTool } from './memory.contract.ts';
import { parseModelReply } from './model-reply.ts';
import { makeTool } from './tool.ts';

const calculator = makeTool(calculatorTool);
const clock = makeTool({ name: 'Clock' });
const mail = makeTool({
  name: 'Mail',
  parameters: [
    { name: 'to', type: 'string' },
    { name: 'text', type: 'string' },
  ],
});

const calls = (...args: string[]) => ({
  kind: 'call',
  tool: calculator,
  call: { version: [1, 0, 0], tool: 'Calculator', arguments: args },
});

describe('a reply that calls the tool', () => {
  test.each<[string, string, ...string[]]>([
    ['only the call', '{"tool":"Calculator","arguments":["2","3"]}', '2', '3'],
    ['pretty-printed', '{\n  "tool": "Calculator",\n  "arguments": [\n    "2",\n    "3"\n  ]\n}\n', '2', '3'],
    ['in a fence', '```json\n{"tool": "Calculator", "arguments": ["2", "3"]}\n```', '2', '3'],
    ['in a fence without a language', 'Sure:\n\n```\n{"tool":"Calculator","arguments":["2","3"]}\n```\n', '2', '3'],
    ['in prose', 'I\'ll add them. {"tool": "Calculator", "arguments": ["2", "3"]} Let me know!', '2', '3'],
    ['after braces in prose', 'The set {2, 3} sums: {"tool":"Calculator","arguments":["2","3"]}', '2', '3'],
    ['with numbers', '{"tool":"Calculator","arguments":[2,-3.5]}', '2', '-3.5'],
    ['with names', '{"tool":"Calculator","arguments":{"b":"3","a":"2"}}', '2', '3'],
    ['with names and numbers', '{"tool":"Calculator","arguments":{"a":2,"b":3}}', '2', '3'],
    ['in the style of function calls', '{"name":"Calculator","arguments":"{\\"a\\": 2, \\"b\\": 3}"}', '2', '3'],
    ['with "parameters"', '{"name":"Calculator","parameters":{"a":2,"b":3}}', '2', '3'],
    ['with the version', '{"version":[1,0,0],"tool":"Calculator","arguments":["2","3"]}', '2', '3'],
    [
      'as a whole message',
      '{"version":[1,0,0],"id":4,"type":"call","data":{"version":[1,0,0],"tool":"Calculator","arguments":["2","3"]}}',
      '2',
      '3',
    ],
    ['in a list', '[{"tool":"Calculator","arguments":["2","3"]}]', '2', '3'],
    ['beside other JSON', 'Given {"x": 2, "y": 3}: {"tool":"Calculator","arguments":["2","3"]}', '2', '3'],
    [
      'said twice',
      '{"tool":"Calculator","arguments":["2","3"]}\n```json\n{"tool":"Calculator","arguments":[2,3]}\n```',
      '2',
      '3',
    ],
    [
      'after a description of its thoughts',
      '<think>Maybe {"tool":"Calculator","arguments":["9","9"]}? No.</think>\n{"tool":"Calculator","arguments":["2","3"]}',
      '2',
      '3',
    ],
    [
      'beside a call of an unknown tool',
      '{"tool":"Weather","arguments":["Oslo"]}\n{"tool":"Calculator","arguments":["2","3"]}',
      '2',
      '3',
    ],
    [
      'with braces and quotes in an argument',
      '{"tool":"Calculator","arguments":["}\\"{","\\n\\n\\n"]}',
      '}"{',
      '\n\n\n',
    ],
  ])('%s', (_how, reply, ...args) => {
    expect(parseModelReply(reply, calculator)).toEqual(calls(...args));
  });

  test('finds the tool among several, and a tool without parameters needs no arguments', () => {
    expect(parseModelReply('{"tool":"Clock"}', [calculator, clock])).toMatchObject({ kind: 'call', tool: clock });
    expect(parseModelReply('{"tool":"Clock","arguments":null}', clock)).toMatchObject({ call: { arguments: [] } });
    expect(parseModelReply('{"tool":"Mail","arguments":{"text":{"a":[1]},"to":"x"}}', [clock, mail])).toMatchObject({
      call: { arguments: ['x', '{"a":[1]}'] },
    });
  });
});

describe('a reply without a call', () => {
  test.each([
    ['', 'empty'],
    ['2 and 3 make 5.', 'plain'],
    ['Use a {placeholder} like "this"', 'braces'],
    ['The user is {"name":"Ann","age":40}', 'other JSON with a name'],
    ['{"a": 2, "b": 3}', 'arguments without a tool'],
    ['The tool is good.', 'the word tool'],
    ["In JavaScript: {name: 'Ann', age: 40}", 'a name in code'],
  ])('%j is text (%s)', (reply) => {
    expect(parseModelReply(reply, calculator)).toEqual({ kind: 'text' });
  });
});

describe('describes an invalid call with the required change', () => {
  test.each([
    ['{"tool":"Calculator","arguments":["2"]}', 'Calculator takes 2 arguments ("a", "b"), not 1; missing: "b"'],
    ['{"tool":"Calculator","arguments":{"a":2}}', 'missing: "b"'],
    ['{"tool":"Calculator","arguments":{"a":2,"b":null}}', 'missing: "b"'],
    ['{"tool":"Calculator"}', 'missing: "a", "b"'],
    ['{"tool":"Calculator","arguments":{"a":1,"b":2,"c":3}}', 'unknown: "c"'],
    ['{"tool":"Calculator","arguments":["1","2","3"]}', 'not 3'],
    ['{"tool":"Calculator","arguments":[1,null]}', 'The argument "b" is missing'],
    [
      '{"tool":"Calculator","arguments":[12345678901234567890,1]}',
      'The argument "a" is a number that may not be exact',
    ],
    ['{"tool":"Calculator","arguments":"2, 3"}', 'The arguments of Calculator must be a list, not a string'],
    ['{"tool":"Calculator","arguments":5}', 'The arguments of Calculator must be a list, not a number'],
    ['{"tool":"calculator","arguments":["2","3"]}', 'Unknown tool "calculator"; available: "Calculator"'],
    ["{'tool': 'Calculator', 'arguments': ['2', '3']}", 'not valid JSON: use double quotes'],
    ['{"tool":"Calculator","arguments":["2","3"],}', 'not valid JSON'],
    ['```json\n{"tool":"Calculator","arguments":["2","3"\n```', 'not valid JSON'],
    ['{"tool":"Calculator","arguments":{"a":2,"b":3}', 'not valid JSON'],
    ['{tool: "Calculator", arguments: ["2", "3"]}', 'not valid JSON'],
    [
      '{"tool":"Calculator","arguments":["1","2"]} then {"tool":"Calculator","arguments":["3","4"]}',
      'The reply holds 2 different calls: write the one to make now',
    ],
  ])('%s', (reply, problem) => {
    expect(parseModelReply(reply, calculator)).toEqual({ kind: 'invalid', problem: expect.stringContaining(problem) });
  });
});
