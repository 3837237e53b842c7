import { expect, test } from 'vitest';
import { UsageError } from '../../base/errors.ts';
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

test('what looks like another type stays text where text is wanted, and one value is a list where a list is', async () => {
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

test('single words go over what --args has', async () => {
  const args = '{"text": "a", "tags": ["b"]}';
  expect(await readArguments(['text=c'], { tool: 'typed', schema, args })).toEqual({ text: 'c', tags: ['b'] });
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
])('%s is refused', async (word, message) => {
  expect((await refusal([word])).message).toContain(message);
});

test('a value given twice, and a misspelt name, which could be the missing one', async () => {
  expect((await refusal(['text=a', 'text=b'])).message).toContain('"text" of typed is given twice and is not a list');
  const greets = { type: 'object', properties: { name: text }, required: ['name'] };
  expect(await refusal(['nmae=x'], 'greet', greets)).toMatchObject({
    message: 'greet needs "name", and does not take "nmae"',
    hint: 'Did you mean "name"? It takes: name=<string>',
  });
});
