import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { firstChars } from '../../src/base/first-chars.ts';
import { AnswerReader } from '../../src/litemcp/client.ts';
import { Warnings } from '../../src/mcp/client/warnings.ts';
import { FlowClients } from '../../src/observe/flow/clients.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { MessageReader } from '../../src/wire/jsonrpc/message-reader.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const LONG = 2 * 1024 * 1024;
const long = (n: number) => `${n} `.padEnd(LONG, 'x');
const bytes = (text: string) => new TextEncoder().encode(text);

/** Collects whatever is kept of twenty long texts. */
type Keep = (kept: unknown[]) => (n: number) => void;

const ignored = { message: () => undefined, batch: () => undefined };

const keepers: [string, Keep][] = [
  [
    'lines that are no message',
    (kept) => {
      const sink = { ...ignored, fault: () => undefined, noise: (noise: object) => kept.push(noise) };
      const reader = new MessageReader({ maxFrameBytes: 2 * LONG, toleratesNoise: true }, sink);
      return (n) => reader.frame(bytes(long(n)), 0);
    },
  ],
  [
    'messages that are wrong',
    (kept) => {
      const sink = { ...ignored, noise: () => undefined, fault: (fault: object) => kept.push(fault) };
      const reader = new MessageReader({ maxFrameBytes: 2 * LONG, toleratesNoise: false }, sink);
      return (n) => reader.frame(bytes(`{"jsonrpc":"${long(n)}"}`), 0);
    },
  ],
  [
    'lines of a LiteMCP server that are no message',
    (kept) => {
      const sink = { answer: () => undefined, unreadable: () => undefined, noise: (noise: object) => kept.push(noise) };
      const reader = new AnswerReader(sink);
      return (n) => reader.frame(bytes(long(n)), 0);
    },
  ],
  [
    'what stands before an answer on its line',
    (kept) => {
      const sink = { ...ignored, fault: () => undefined, noise: (noise: object) => kept.push(noise) };
      const reader = new MessageReader({ maxFrameBytes: 2 * LONG, toleratesNoise: true }, sink);
      return (n) => reader.frame(bytes(`Loading number ${n} {"jsonrpc":"2.0","id":1,"result":{"x":"${long(n)}"}}`), 0);
    },
  ],
  [
    'a short line of a LiteMCP server before a long one',
    (kept) => {
      const noise = (noise: { length: number }) => noise.length < LONG && kept.push(noise);
      const sink = { answer: () => undefined, unreadable: () => undefined, noise };
      const reader = new AnswerReader(sink);
      return (n) => reader.frame(bytes(`Loading number ${n}\n${long(n)}`), 0);
    },
  ],
  [
    'warnings',
    (kept) => {
      const warnings = new Warnings((warning) => kept.push(warning));
      return (n) => warnings.report('startup', long(n), long(n));
    },
  ],
  [
    'reasons for a cancellation',
    (kept) => {
      const channel = {
        start: async () => undefined,
        close: async () => undefined,
        send: async () => undefined,
        onmessage: undefined as ((message: object) => void) | undefined,
      };
      const peer = new Peer(channel as never);
      peer.handle('wait', (_, call) => {
        kept.push(call.signal);
        return new Promise(() => undefined);
      });
      void peer.start();
      return (n) => {
        channel.onmessage!({ jsonrpc: '2.0', id: n, method: 'wait' });
        const cancelled = {
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: n, reason: long(n) },
        };
        channel.onmessage!(JSON.parse(JSON.stringify(cancelled)));
      };
    },
  ],
  [
    'what clients call themselves',
    (kept) => {
      const clients = new FlowClients(new FlowStore());
      return (n) => {
        const alone = { revision: long(n), info: { name: long(n), version: long(n) } };
        kept.push(clients.observe({ id: String(n), principal: undefined }, { door: 'http', alone }));
      };
    },
  ],
];

describe('the beginning of a long text', () => {
  test('equals the text up to the limit', () => {
    expect(firstChars('abc', 3)).toBe('abc');
    expect(firstChars('abcd', 3)).toBe('abc');
    expect(firstChars(`ü${'é'.repeat(100)}`, 20)).toBe(`ü${'é'.repeat(19)}`);
  });

  test.each(keepers)('is the only part that is kept of %s', (_, keep) => {
    const kept: unknown[] = [];
    const see = keep(kept);
    const before = heapBytes();
    for (let n = 0; n < 20; n++) see(n);
    expect(heapBytes() - before).toBeLessThan(4 * LONG);
    expect(kept).toHaveLength(20);
  });
});
