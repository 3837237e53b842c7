import { expect, test } from 'vitest';
import { newline } from '../framing/newline.ts';
import type { InboundFault, Noise } from './channel.ts';
import { MessageReader } from './message-reader.ts';

function read(text: string, toleratesNoise: boolean, maxFrameBytes = 1024) {
  const seen = { messages: [] as unknown[], noise: [] as Noise[], faults: [] as InboundFault[] };
  const reader = new MessageReader(
    { maxFrameBytes, toleratesNoise },
    {
      message: (message) => seen.messages.push(message),
      batch: () => expect.unreachable(),
      messageFault: (fault) => seen.faults.push(fault),
      noise: (noise) => seen.noise.push(noise),
    },
  );
  const decoder = newline().decoder({ maxFrameBytes });
  decoder.push(new TextEncoder().encode(text), reader);
  decoder.end(reader);
  return seen;
}
const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';

test('text on a child’s stdout is noise, with its offset, and the next message is read', () => {
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

test('an answer behind a print without a newline is rescued', () => {
  const { messages, noise } = read(`Loading...${answer}\n`, true);
  expect(messages).toEqual([JSON.parse(answer)]);
  expect(noise).toMatchObject([{ text: 'Loading...' }]);
});

test('a request quoted in a log line is not taken for one', () => {
  const { messages, noise } = read('Received: {"jsonrpc":"2.0","id":1,"method":"ping"}\n', true);
  expect(messages).toEqual([]);
  expect(noise).toHaveLength(1);
});

test('JSON-RPC gone wrong on a child’s stdout is a fault with its id, not noise', () => {
  const { faults } = read('{"jsonrpc":"2.0","id":9,"result":{"a":}}\n', true);
  expect(faults).toMatchObject([{ id: 9, isResponse: true }]);
});

test('an oversized answer names the request that it belongs to, its size and the limit', () => {
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
