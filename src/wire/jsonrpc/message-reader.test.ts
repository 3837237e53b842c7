import { describe, expect, test } from 'vitest';
import type { Noise } from '../../base/noise.ts';
import { newline } from '../framing/newline.ts';
import type { InboundFault } from './channel.ts';
import { MessageReader } from './message-reader.ts';

function read(text: string, toleratesNoise: boolean, maxFrameBytes = 1024, maxFrameValues?: number) {
  const seen = { messages: [] as unknown[], noise: [] as Noise[], faults: [] as InboundFault[] };
  const reader = new MessageReader(
    { maxFrameBytes, maxFrameValues, toleratesNoise },
    {
      message: (message) => seen.messages.push(message),
      batch: () => expect.unreachable(),
      fault: (fault) => seen.faults.push(fault),
      noise: (noise) => seen.noise.push(noise),
    },
  );
  const decoder = newline().decoder({ maxFrameBytes });
  decoder.push(new TextEncoder().encode(text), reader);
  decoder.end(reader);
  return seen;
}
const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';

test('text on a child’s stdout is stray output, with its offset, and the next message is read', () => {
  const { messages, noise, faults } = read(`Server läuft\n${answer}\n42\n{"level":"info"}\n`, true);
  expect(messages).toEqual([JSON.parse(answer)]);
  expect(noise).toEqual([
    { offset: 0, length: 13, text: 'Server läuft' },
    { offset: 14 + answer.length + 1, length: 2, text: '42' },
    { offset: 14 + answer.length + 4, length: 16, text: '{"level":"info"}' },
  ]);
  expect(faults).toEqual([]);
});

test('the same text on a server’s stdin is a fault', () => {
  const { noise, faults } = read('hello\n', false);
  expect(noise).toEqual([]);
  expect(faults).toMatchObject([{ code: 'MESSAGE_INVALID', rpcCode: -32700, offset: 0, length: 5, prefix: 'hello' }]);
});

test('recovers an answer after output without a newline', () => {
  const { messages, noise } = read(`Loading...${answer}\n`, true);
  expect(messages).toEqual([JSON.parse(answer)]);
  expect(noise).toMatchObject([{ text: 'Loading...' }]);
});

test('does not read a request quoted in a log line', () => {
  const { messages, noise } = read('Received: {"jsonrpc":"2.0","id":1,"method":"ping"}\n', true);
  expect(messages).toEqual([]);
  expect(noise).toHaveLength(1);
});

test('broken JSON-RPC on a child’s stdout is a fault with its id, not stray output', () => {
  const { faults } = read('{"jsonrpc":"2.0","id":9,"result":{"a":}}\n', true);
  expect(faults).toMatchObject([{ id: 9, isResponse: true }]);
});

test('an oversized answer names its request, its size and the limit', () => {
  const huge = `{"jsonrpc":"2.0","id":9,"result":{"text":"${'x'.repeat(5000)}"}}`;
  const { faults, messages } = read(`${huge}\n${answer}\n`, true);
  expect(faults).toMatchObject([{ code: 'FRAME_TOO_LONG', id: 9, isResponse: true, length: huge.length }]);
  expect(faults[0]?.message).toContain('1024');
  expect(messages).toHaveLength(1);
});

test('a message cut off by the end of the stream is reported', () => {
  expect(read('{"jsonrpc":"2.0","id":9,"resu', true).faults).toMatchObject([{ code: 'FRAME_TRUNCATED', id: 9 }]);
  expect(read('bye', true).noise).toMatchObject([{ text: 'bye' }]);
});

test('counts a request by the size of its values, and an answer by its bytes', () => {
  const counted: number[] = [];
  const ignore = () => expect.unreachable();
  const sink = {
    message: (_: unknown, bytes: number) => counted.push(bytes),
    batch: ignore,
    fault: ignore,
    noise: ignore,
  };
  const reader = new MessageReader({ maxFrameBytes: 100_000, toleratesNoise: false }, sink);
  const many = `[${Array(600).fill('{}').join()}]`;
  const texts = [
    `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${many}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"${'ä'.repeat(2000)}"}}`,
    `{"jsonrpc":"2.0","id":1,"result":${many}}`,
  ].map((text) => new TextEncoder().encode(text));
  for (const text of texts) reader.frame(text, 0);
  expect(counted[0]).toBeGreaterThan(1200 * 64);
  expect(counted.slice(1)).toEqual(texts.slice(1).map(({ length }) => length));
});

describe('a message with too many values', () => {
  const many = `[${Array(600).fill('{}').join()}]`;
  const readFew = (text: string, toleratesNoise: boolean) => read(text, toleratesNoise, 100_000, 1000);

  test('names its request, wherever the id is, and the next message is read', () => {
    for (const members of [`"id":9,"result":${many}`, `"result":${many},"id":9`]) {
      const { faults, messages } = readFew(`{"jsonrpc":"2.0",${members}}\n${answer}\n`, true);
      expect(faults).toMatchObject([{ code: 'TOO_MANY_VALUES', rpcCode: -32600, id: 9, isResponse: true }]);
      expect(faults[0]?.message).toContain('1000 JSON values (maxFrameValues)');
      expect(messages).toEqual([JSON.parse(answer)]);
    }
  });

  test('is refused, and the client receives the id of its request', () => {
    const { faults } = readFew(`{"jsonrpc":"2.0","id":4,"method":"x","params":{"a":${many}}}\n`, false);
    expect(faults).toMatchObject([{ code: 'TOO_MANY_VALUES', id: 4, isResponse: false }]);
  });

  test('is not parsed after output without a newline either', () => {
    const { messages, noise } = readFew(`Loading... {"jsonrpc":"2.0","id":9,"result":${many}}\n`, true);
    expect(messages).toEqual([]);
    expect(noise).toHaveLength(1);
  });

  test('is stray output if it is not JSON-RPC', () => {
    const { faults, noise } = readFew(`${many}\n`, true);
    expect(faults).toEqual([]);
    expect(noise).toMatchObject([{ length: many.length }]);
  });

  test('is read if its commas and brackets are in a string', () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: many.repeat(3) } });
    expect(readFew(`${text}\n`, true).messages).toEqual([JSON.parse(text)]);
  });
});
