import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Frame, Frames } from './frames.ts';

function read(...chunks: Buffer[]): Frame[] {
  const frames = new Frames(() => undefined);
  for (const chunk of chunks) frames.push(chunk);
  return frames.all;
}

const message = { version: [1, 0, 0], id: 1, type: 'result', data: { text: '}{ \\ "\n\n\n" é' } };
const json = JSON.stringify(message);
const shown = (stdout: string) =>
  read(Buffer.from(stdout)).map(({ message, bytes, newlines }) => (message ? newlines : `${Buffer.from(bytes)}`));

test.each<[string, string, (number | string)[]]>([
  ['a message', `${json}\n\n\n`, [3]],
  ['CRLF', `${json}\r\n\r\n\r\n`, [3]],
  ['several lines', `${JSON.stringify(message, undefined, 2)}\n\n\n`, [3]],
  ['its end in a message', `${json.replace('{', '{\n\n\n')}\n\n\n`, [3]],
  ['messages without an end', `${json}${json}\n${json}`, [0, 1, 0]],
  ['a line before a message', `ready\n${json}\n\n\n`, ['ready', 3]],
  ['text around a message', `got ${json} sent\n`, ['got ', 0, ' sent']],
  ['a log with braces', `{pid 7} {{ "a\n${json}\n\n\n`, ['{pid 7} ', '{', '{ "a', 3]],
  ['a log with an unclosed quote', `{"a\n${json}\n\n\n`, ['{"a', 3]],
  ['a log in JSON', `{"level":"info","id":1}\n${json}\n\n\n`, ['{"level":"info","id":1}', 3]],
])('%s', (_name, stdout, expected) => {
  expect(shown(stdout)).toEqual(expected);
});

test('frames do not depend on chunk boundaries', () => {
  const part = fc.constantFrom('{', '}', '"', '\\', '\n', ' ', 'a', '{"', '[1]', json, `${json}\n\n\n`, 'é');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 8 }), (parts, cuts) => {
      const bytes = Buffer.from(parts.join(''));
      const chunks = [0, ...cuts.sort((a, b) => a - b)].map((from, at, all) => bytes.subarray(from, all[at + 1]));
      expect(read(...chunks)).toEqual(read(bytes));
    }),
  );
});
