// A server that never answers its first request, and sends all other kinds of messages: its start ends at its limit.
// The test would not end if one of these messages extended the limit. `initialize` follows the probe after 1,500 ms, so
// the limit is longer.

import { afterEach, expect, test } from 'vitest';
import { closing } from '../fixtures/server.ts';
import { type Exchange, event, scripted } from '../http-client/scripted-server.ts';
import { openHost, serverFile, stateOf } from './run-host.ts';

const limits = { startupTimeoutMs: 3_000, restart: { policy: 'never' } };
const timers = new Set<NodeJS.Timeout>();
afterEach(() => {
  for (const timer of timers) clearInterval(timer);
  timers.clear();
});

/** Streams keep-alive comments, `retry:`, progress and questions in response to a request. */
function streamWithoutAnswer({ stream, response }: Exchange): void {
  stream('retry: 1\n\n');
  let turn = 0;
  const more = setInterval(() => {
    const messages = [1, 2, 3, 4].map((progressToken) => ({
      method: 'notifications/progress',
      params: { progressToken, progress: ++turn },
    }));
    const question = { id: `roots ${turn}`, method: 'roots/list' };
    const events = [...messages, question].map((message) => event({ jsonrpc: '2.0', ...message }));
    response.write(`: still here\n\nretry: 1\n\n${events.join('')}`);
  }, 20);
  timers.add(more);
  response.once('close', () => clearInterval(more));
}

const command = (...args: string[]) => ({
  command: process.execPath,
  args: [serverFile('talks-without-answering'), ...args],
  ...limits,
});

test('the start of a server that sends messages and never answers ends at startupTimeoutMs', async () => {
  const remote = closing(
    await scripted({
      initialize: streamWithoutAnswer,
      'server/discover': streamWithoutAnswer,
      ping: streamWithoutAnswer,
      answer: ({ response }) => response.writeHead(202).end(),
    }),
  );
  const servers = {
    process: command(),
    modern: { ...command(), era: 'modern' },
    litemcp: { ...command('litemcp'), protocol: 'litemcp' },
    remote: { url: remote.url, ...limits },
  };
  const host = await openHost(servers);
  await host.start();
  for (const name of Object.keys(servers)) {
    expect([name, stateOf(host, name)]).toEqual([name, 'failed']);
    await expect(host.callTool(name, 'echo')).rejects.toMatchObject({
      code: 'SERVER_FAILED',
      message: expect.stringContaining('within 3000 ms'),
    });
  }
});
