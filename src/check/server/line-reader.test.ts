import { expect, test } from 'vitest';
import { type Frame, LineReader, messagesOf } from './line-reader.ts';

function read(...chunks: string[]): Frame[] {
  const frames: Frame[] = [];
  const reader = new LineReader((frame) => frames.push(frame));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return frames;
}

const one = { jsonrpc: '2.0', id: 1, result: { text: '}{ "a"' } };
const two = { jsonrpc: '2.0', id: 2, result: {} };
const text = JSON.stringify(one);
const next = JSON.stringify(two);

test.each<[string, string, (string | undefined)[], unknown[]]>([
  ['a message', `${text}\n`, [undefined], [one]],
  ['a message that ends with CR LF', `${text}\r\n`, [undefined], [one]],
  ['a batch', `[${text},${next}]\n`, [undefined], [one, two]],
  ['arrays without a message', `[]\n[1]\n[{"level":"info"}]\n`, Array(3).fill('other JSON'), [{ level: 'info' }]],
  ['a byte order mark', `\ufeff${text}\n`, ['byte order mark'], [one]],
  ['colours', `\x1b[32m${text}\x1b[0m\n`, ['colours'], [one]],
  ['several messages on a line', `${text} ${next}\n`, ['several messages'], [one, two]],
  ['an indented message', `${JSON.stringify(two, undefined, 1)}\n`, Array(5).fill('several lines'), [two]],
  ['a newline in a string', `${text.replace('{ ', '{\n')}\n`, ['several lines', 'several lines'], [one]],
  ['a message in another one', `${text.slice(0, 20)}${next}\n${text.slice(20)}\n`, Array(2).fill('mixed up'), [two]],
  ['a message that is not JSON', `${text.replace('1', 'NaN')}\n${next}\n`, ['invalid JSON', undefined], [two]],
  [
    'an indented message that is not JSON, and one that is',
    [one, two]
      .map((message) => `${JSON.stringify({ ...message, result: {} }, undefined, 1)}\n`)
      .join('')
      .replace('1,', 'NaN,'),
    [...Array(5).fill('text'), ...Array(5).fill('several lines')],
    [two],
  ],
  ['a log in JSON', `{"level":"info"}\n${next}\n`, ['other JSON', undefined], [{ level: 'info' }, two]],
  ['logs that look like arrays', `[info] a\n[info] b\n${next}\n`, ['text', 'text', undefined], [two]],
  ['a log before a message with a mark', `[info] a\n\ufeff${next}\n`, ['text', 'byte order mark'], [two]],
  ['a log that quotes an answer', `sent ${text}\n`, ['text'], []],
  ['blank lines', `\n \r\n${next}\n`, ['blank', 'blank', undefined], [two]],
  ['a message without a newline', text, ['no newline'], [one]],
  ['a part of a message at the end', text.slice(0, 20), ['cut'], []],
])('%s', (_, stdout, faults, messages) => {
  const frames = read(stdout);
  expect(frames.map(({ fault }) => fault)).toEqual(faults);
  expect(frames.flatMap(messagesOf)).toEqual(messages);
  for (const { lines = [] } of frames) expect(lines.map((line) => frames.includes(line as Frame))).not.toContain(false);
  expect(read(...stdout)).toEqual(frames);
});
