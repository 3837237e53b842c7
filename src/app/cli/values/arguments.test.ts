import { expect, test } from 'vitest';
import { UsageError } from '../../../base/errors.ts';
import { readArguments } from './arguments.ts';

const text = { type: 'string' };
const inner = {
  type: 'object',
  properties: { a: { type: 'number' }, deep: { type: 'object', properties: { b: { type: 'boolean' } } } },
};
const schema = {
  type: 'object',
  properties: {
    text,
    number: { type: 'number' },
    whole: { type: 'integer' },
    flag: { type: 'boolean' },
    mode: { enum: ['fast', 'slow', 3] },
    maybe: { anyOf: [text, { type: 'null' }] },
    either: { type: ['string', 'number'] },
    tags: { type: 'array', items: text },
    counts: { type: 'array', items: { type: 'integer' } },
    inner: { $ref: '#/$defs/inner' },
    anything: {},
  },
  $defs: { inner },
} as const;

const typed = (...words: string[]) => readArguments(words, { tool: 'typed', schema });
const refusal = (words: string[], tool = 'typed', wanted: object = schema) =>
  readArguments(words, { tool, schema: wanted as typeof schema }).then(
    (args) => expect.fail(`taken as ${JSON.stringify(args)}`),
    (error) => {
      expect(error).toBeInstanceOf(UsageError);
      return error as UsageError;
    },
  );

test('text that looks like another type stays a string if the schema has a string, and one value becomes a list if it has a list', async () => {
  const words = ['text=true', 'maybe=007', 'either=007', 'tags=[x', 'counts=4', 'mode=fast', 'anything='];
  expect(await typed(...words)).toEqual({
    text: 'true',
    maybe: '007',
    either: '007',
    tags: ['[x'],
    counts: [4],
    mode: 'fast',
    anything: '',
  });
});

test('name=value overrides --args', async () => {
  const args = '{"text": "a", "tags": ["b"]}';
  expect(await readArguments(['text=c'], { tool: 'typed', schema, args })).toEqual({ text: 'c', tags: ['b'] });
});

test.each([
  [{ number: 'two' }, '"number" of typed must be number, not "two"'],
  [{ whole: 1.5 }, '"whole" of typed must be integer, not 1.5'],
  [{ flag: 'yes' }, '"flag" of typed must be true or false, not "yes"'],
  [{ mode: 'medium' }, '"mode" of typed must be one of: fast, slow, 3, not "medium"'],
  [{ tags: 'x' }, '"tags" of typed must be array of string, not "x"'],
  [{ counts: [1, 'x'] }, '"counts.1" of typed must be integer, not "x"'],
  [{ inner: { deep: { b: 1 } } }, '"inner.deep.b" of typed must be true or false, not 1'],
  [{ maybe: 5 }, '"maybe" of typed must be string or null, not 5'],
  [{ inner: { b: 1 } }, 'typed does not take "inner.b"'],
])('refuses --args %j like name=value', async (given, message) => {
  const args = JSON.stringify(given);
  await expect(readArguments([], { tool: 'typed', schema, args })).rejects.toMatchObject({
    message,
    hint: expect.stringContaining('It takes: '),
  });
  expect(await readArguments([], { tool: 'typed', schema, args, unchecked: true })).toEqual(given);
});

test('with --no-check, sends a text without a type of the schema as a string', async () => {
  const words = ['number=two', 'whole=1.5', 'flag=yes', 'inner.deep.b=x'];
  const sent = { number: 'two', whole: '1.5', flag: 'yes', inner: { deep: { b: 'x' } } };
  expect(await readArguments(words, { tool: 'typed', schema, unchecked: true })).toEqual(sent);
  expect(await readArguments(['number=2'], { tool: 'typed', schema, unchecked: true })).toEqual({ number: 2 });
});

test('accepts --args of the right types, and leaves hints about types to the server', async () => {
  const given = {
    mode: 3,
    maybe: null,
    either: 1,
    tags: [],
    counts: [1],
    inner: { deep: { b: true } },
    anything: [{}],
  };
  const args = JSON.stringify(given);
  expect(await readArguments([], { tool: 'typed', schema, args })).toEqual(given);
  const options = { tool: 'typed', schema, args: '{"text": 5}', typesAreHints: true };
  expect(await readArguments([], options)).toEqual({ text: 5 });
});

test.each([
  [null],
  [5],
  [[]],
  [{ type: 5 }],
  [{ anyOf: [] }],
  [{ enum: {} }],
  [{ type: 'object', properties: { a: { items: 7 } } }],
])('an invalid schema does not break --args: %j', async (wanted) => {
  const args = '{"a": [{"b": [1]}]}';
  await readArguments([], { tool: 'odd', schema: wanted as unknown as typeof schema, args }).catch((error) =>
    expect(error).toBeInstanceOf(UsageError),
  );
});

test.each([
  ['number=two', '"number" of typed must be number, not "two"'],
  ['whole=1.5', '"whole" of typed must be integer, not 1.5'],
  ['whole=12345678901234567890', '"whole" of typed is 12345678901234567890, which JavaScript cannot represent exactly'],
  ['flag=yes', '"flag" of typed must be true or false, not "yes"'],
  ['mode=medium', '"mode" of typed must be one of: fast, slow, 3, not "medium"'],
  ['inner.b=1', 'typed does not take "inner.b"'],
  ['numbr=1', 'typed does not take "numbr"'],
  ['text', '"text" is not an argument of typed: write arguments as name=value'],
  ['anything:={', 'The value of "anything" is not JSON:'],
  ['text=@nowhere', 'Cannot read "nowhere":'],
])('refuses %s', async (word, message) => {
  expect((await refusal([word])).message).toContain(message);
});

test('reports a value given twice, and a misspelled name, which could be the missing one', async () => {
  expect((await refusal(['text=a', 'text=b'])).message).toContain('"text" of typed is given twice and is not a list');
  const greets = { type: 'object', properties: { name: text }, required: ['name'] };
  expect(await refusal(['nmae=x'], 'greet', greets)).toMatchObject({
    message: 'greet needs "name", and does not take "nmae"',
    hint: 'Did you mean "name"? It takes: name=<string>',
  });
});
