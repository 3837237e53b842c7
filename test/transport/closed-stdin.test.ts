// A server that closes its stdin and keeps running cannot receive messages: its connection ends with the cause, and it
// is stopped.

import { expect, test } from 'vitest';
import { type ClientOptions, connect, type StdioClientOptions } from '../../src/entry/client.ts';
import { connectLiteMcp } from '../../src/entry/litemcp.ts';
import { ManualClock } from '../fixtures/manual-clock.ts';
import { closing, fixture, isAlive, until } from '../fixtures/server.ts';
import { lacks, rungAfterStdin } from '../fixtures/windows.ts';
import { openHost, stateOf } from '../host/run-host.ts';
import { node } from '../litemcp/raw-process.ts';

const stopWaits = { stdinMs: 50 };
const closedStdin = { code: 'PROCESS_UNRESPONSIVE', message: 'The server closed its stdin but keeps running' };
const program = { command: process.execPath, args: [fixture('closes-stdin')], stderr: 'ignore', stopWaits } as const;

async function connected(target: Partial<StdioClientOptions> = {}, options: ClientOptions = {}) {
  const client = closing(await connect({ ...program, ...target }, { era: 'legacy', ...options }));
  return { client, pid: client.transport.pid! };
}

test('earlier requests may have run, later ones were never sent, and the process is stopped', async () => {
  const { client, pid } = await connected();
  const held = client.callTool('hold');
  await client.callTool('close-stdin');
  const refused = client.callTool('pid');
  await expect(refused).rejects.toMatchObject({ code: 'NOT_SENT', cause: closedStdin });
  await expect(held).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: closedStdin });
  expect(await client.closed).toMatchObject(closedStdin);
  await expect(client.callTool('pid')).rejects.toMatchObject({ code: 'NOT_SENT' });
  await client.close();
  expect(client.transport.stopRung).toBe(rungAfterStdin);
  expect(isAlive(pid)).toBe(false);
});

test('an answer that is arriving when a write fails is delivered completely', async () => {
  const clock = new ManualClock();
  const { client } = await connected({ clock });
  let late: string | undefined;
  client.onLog(() => {
    client.callTool('pid').catch(({ code }) => {
      late = code;
    });
  });
  const bytes = 5_000_000;
  const { content } = await client.callTool('close-stdin', { bytes });
  expect(content).toEqual([{ type: 'text', text: 'x'.repeat(bytes) }]);
  await until('the connection has ended', () => {
    clock.advance(1000);
    return late !== undefined;
  });
  expect(late).toBe('NOT_SENT');
});

test.skipIf(lacks.signals)('an exit that follows soon is the cause, with its evidence', async () => {
  const clock = new ManualClock();
  const { client, pid } = await connected({ clock });
  await client.callTool('close-stdin');
  const failed = new Promise((resolve) => {
    client.onerror = resolve;
  });
  const refused = client.callTool('pid').catch((error) => error);
  expect(await failed).toMatchObject({ code: 'STREAM_FAILED', cause: { code: 'EPIPE' } });
  clock.advance(200);
  process.kill(pid, 'SIGUSR2');
  expect(await refused).toMatchObject({
    code: 'NOT_SENT',
    cause: { code: 'PROCESS_EXITED' },
    evidence: { exitCode: 9, stderrTail: 'the disk is full\n' },
  });
});

test('a LiteMCP client fails its calls in the same way', async () => {
  const server = node('test/fixtures/litemcp/closes-stdin.mjs');
  const client = closing(await connectLiteMcp({ ...server, stderr: 'ignore', stopWaits }));
  const ended = new Promise((resolve) => {
    client.onclose = resolve;
  });
  await client.call();
  await expect(client.call()).rejects.toMatchObject({ code: 'NOT_SENT', cause: closedStdin });
  expect(await ended).toMatchObject(closedStdin);
  await client.close();
  expect(isAlive(client.pid!)).toBe(false);
});

test.each([
  ['mcp', { command: process.execPath, args: [fixture('closes-stdin')] }, 'close-stdin', 'pid'],
  ['litemcp', node('test/fixtures/litemcp/closes-stdin.mjs'), 'CloseStdin', 'CloseStdin'],
] as const)(
  'a host restarts the %s server, and the call that was not sent runs there',
  async (protocol, program, closes, tool) => {
    const host = await openHost({ server: { ...program, protocol, stop: stopWaits } });
    const first = await host.callTool('server', closes);
    const second = await host.callTool('server', tool);
    expect(second.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^\d+$/) });
    expect(second.content).not.toEqual(first.content);
    expect(host.status()[0]).toMatchObject({ restarts: 1, lastExit: closedStdin });
    await until('it is ready', () => stateOf(host, 'server') === 'ready');
    await until(
      'the first process is gone',
      () => !isAlive(Number((first.content[0] as { text: string }).text)),
      60_000,
    );
  },
);
