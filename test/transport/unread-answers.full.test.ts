// Answers that the client does not read at once are queued without loss. A client that can no longer read stops the
// server.

import { describe, expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { connectLiteMcp } from '../../src/entry/litemcp.ts';
import { envelope } from '../../src/litemcp/io-basic.ts';
import { printToolCall } from '../../src/litemcp/tool.ts';
import { closing, fixture } from '../fixtures/server.ts';
import { messages, startUnread } from '../fixtures/unread-child.ts';
import { path } from '../litemcp/raw-process.ts';

const MCP = fixture('answers-at-length');
const LITEMCP = path('test/fixtures/litemcp/answers-at-length.mjs');
const TIMEOUT_MS = 120_000;

/** In total more than the default limit of queued data (64 Mi characters), in each of two ways. */
const AT_ONCE = [
  { calls: 7, length: 10_000_000 },
  { calls: 700, length: 100_000 },
];

const mcpCall = (id: number, name: string, args: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;
const liteMcpCall = (id: number, length: number) =>
  `${envelope(id, 'call', printToolCall('Text', [String(length)]))}\n\n\n`;

describe.each(AT_ONCE)('$calls calls at once with $length characters each', ({ calls, length }) => {
  test(
    'are all answered by our MCP server',
    async () => {
      const options = { requestTimeoutMs: TIMEOUT_MS };
      const client = closing(await connect({ command: process.execPath, args: [MCP], stderr: 'ignore' }, options));
      const results = await Promise.all(Array.from({ length: calls }, () => client.callTool('text', { length })));
      for (const { content } of results) expect(content[0]).toHaveProperty('text.length', length);
    },
    TIMEOUT_MS,
  );

  test(
    'are all answered by our LiteMCP server',
    async () => {
      const options = { timeoutMs: TIMEOUT_MS, stderr: 'ignore' } as const;
      const client = closing(await connectLiteMcp({ command: process.execPath, args: [LITEMCP], ...options }));
      const results = await Promise.all(Array.from({ length: calls }, () => client.call([String(length)])));
      for (const { response } of results) expect(response.content[0]).toHaveProperty('data.length', length);
    },
    TIMEOUT_MS,
  );
});

describe.each([
  { protocol: 'MCP', file: MCP, delimiter: '\n', call: (id: number) => mcpCall(id, 'text', { length: 1_000_000 }) },
  { protocol: 'LiteMCP', file: LITEMCP, delimiter: '\n\n\n', call: (id: number) => liteMcpCall(id, 1_000_000) },
])('a client of $protocol that does not read', ({ protocol, file, delimiter, call }) => {
  const CALLS = 80;
  const ids = Array.from({ length: CALLS }, (_, id) => id);
  const runs = (text: string) => text.split('ran\n').length - 1;

  test.each([{ ends: false }, { ends: true }])(
    'receives every answer when it continues (its stdin has ended: $ends)',
    async ({ ends }) => {
      const { child, onStderr, stderr } = startUnread(file);
      child.stdin.write(ids.map(call).join(''));
      if (ends) child.stdin.end();
      // The limit of queued data: 64 Mi characters, and the calls that were running by then.
      await onStderr((text) => runs(text) >= 64);
      const seen = new Set<number>();
      for await (const { id } of messages(child, delimiter)) {
        seen.add(id);
        if (seen.size === CALLS) child.stdin.end();
      }
      expect([...seen].sort((a, b) => a - b)).toEqual(ids);
      expect(runs(stderr())).toBe(CALLS);
    },
    TIMEOUT_MS,
  );

  test('stops the server by closing its end: running calls are aborted, and no more are run', async () => {
    const { child, onStderr, stderr, exited } = startUnread(file);
    const wait = protocol === 'MCP' ? mcpCall(1000, 'wait', {}) : liteMcpCall(1000, -1);
    child.stdin.write(wait);
    await onStderr((text) => text.includes('waits\n'));
    child.stdout.destroy();
    child.stdin.write(call(1));
    await onStderr((text) => text.includes('aborted\n'));
    const before = runs(stderr());
    child.stdin.write(ids.slice(2).map(call).join(''));
    // Its stdin stays open, and one of its timers is active.
    expect(await exited).toEqual([0, null]);
    expect(runs(stderr())).toBe(before);
  });
});
