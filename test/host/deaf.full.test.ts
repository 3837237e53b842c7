// A server that runs but no longer reads is noticed, reported and restarted; a slow server is not restarted.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { folder, openHost, serverFile, stateOf } from './run-host.ts';

/**
 * Limit of the entries in this file: long enough for a busy machine, and the only limit whose end is caused by the
 * server.
 */
const requestTimeoutMs = 3_000;
const unhurried = { timeoutMs: 600_000 };

let names = 0;
async function open(more: object, options?: HostOptions) {
  const file = join(folder, `deaf-${++names}`);
  const env = { PID_FILE: `${file}.pids`, COUNT_FILE: `${file}.count` };
  const text = (name: string) => readFileSync(name, { encoding: 'utf8', flag: 'a+' });
  const entry = { command: process.execPath, args: [serverFile('goes-deaf')], env, requestTimeoutMs, ...more };
  const host = await openHost({ server: entry }, options);
  await host.start();
  return {
    host,
    lives: () => text(env.PID_FILE).split('\n').filter(Boolean).map(Number),
    runs: () => text(env.COUNT_FILE).length,
  };
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => error.code,
  );
const reasons = (host: Host) => host.flow.since(0).flatMap((event) => (event.kind === 'state' ? [event.reason] : []));
/** Number of requests and notifications of a method that were sent, by the flow. */
const sent = (host: Host, method: string) =>
  host.flow
    .since(0)
    .filter((event) => event.kind === 'frame' && event.direction === 'toServer')
    .filter((event) => String(Buffer.from((event as { payload: Uint8Array }).payload)).includes(`"${method}"`)).length;

const eras: [string, HostOptions][] = [
  ['modern', {}],
  ['legacy', { eraMemory: { get: () => 'legacy', set: () => undefined } }],
];

describe.each(eras)('in the %s era', (_era, options) => {
  test('a server that stops reading is restarted when a call timed out and a ping stays unanswered', async () => {
    const { host, lives, runs } = await open({ pingTimeoutMs: 300 }, options);
    const lost = code(host.callTool('server', 'effect', {}, unhurried));
    await until('it runs', () => runs() === 1);
    await host.callTool('server', 'stops_reading', {}, unhurried);
    expect(await code(host.callTool('server', 'hello'))).toBe('REQUEST_TIMEOUT');
    await until(
      'it is ready again',
      () => host.status()[0]!.restarts === 1 && stateOf(host, 'server') === 'ready',
      30_000,
    );
    expect(reasons(host).filter((reason) => reason?.startsWith('The server does not answer'))).toHaveLength(1);
    expect(host.status()[0]).toMatchObject({
      lastExit: { code: 'PROCESS_UNRESPONSIVE', evidence: { pid: lives()[0] } },
    });
    expect(await host.callTool('server', 'hello', {}, unhurried)).toMatchObject({ content: [{ text: 'hello' }] });
    expect(lives()).toHaveLength(2);
    expect(isAlive(lives()[0]!)).toBe(false);
    // The call was sent and may have run, so it is not repeated.
    expect(await lost).toBe('OUTCOME_UNKNOWN');
    expect(runs()).toBe(1);
  });

  test('a server that closes its stdin is restarted at the next call, which then succeeds', async () => {
    const { host, lives } = await open({ requestTimeoutMs: 600_000 }, options);
    await host.callTool('server', 'closes_stdin');
    const first = host.callTool('server', 'hello').then(
      ({ content }) => (content[0] as { text: string }).text,
      (error) => error.code,
    );
    await until(
      'it is ready again',
      () => host.status()[0]!.restarts === 1 && stateOf(host, 'server') === 'ready',
      30_000,
    );
    // The pipe may or may not accept the first write; in both cases the outcome must be known at once.
    expect(['hello', 'OUTCOME_UNKNOWN']).toContain(await first);
    expect(await host.callTool('server', 'hello')).toMatchObject({ content: [{ text: 'hello' }] });
    expect(lives().filter(isAlive)).toEqual([host.status()[0]!.pid]);
  });

  test('a timed out call does not restart a server that answers the ping', async () => {
    const { host, lives } = await open({ pingTimeoutMs: 100_000 }, options);
    const before = sent(host, 'ping') + sent(host, 'server/discover');
    expect(await code(host.callTool('server', 'never_answers'))).toBe('REQUEST_TIMEOUT');
    await until('it is asked', () => sent(host, 'ping') + sent(host, 'server/discover') === before + 1);
    // This answer comes after the answer to the ping.
    await host.callTool('server', 'hello', {}, unhurried);
    expect(host.status()[0]).toMatchObject({ state: 'ready', restarts: 0, pid: lives()[0] });
  });
});

test('a shorter limit of a caller causes no ping, and does not end calls of others', async () => {
  const { host, lives } = await open({ pingTimeoutMs: 300, requestTimeoutMs: 600_000 });
  const before = sent(host, 'server/discover');
  for (const limit of [{ timeoutMs: 1 }, { totalTimeoutMs: 1 }]) {
    expect(await code(host.callTool('server', 'never_answers', {}, limit))).toBe('REQUEST_TIMEOUT');
  }
  await host.callTool('server', 'hello', {}, unhurried);
  expect(sent(host, 'server/discover')).toBe(before);
  expect(host.status()[0]).toMatchObject({ state: 'ready', restarts: 0, pid: lives()[0] });
});

test('with pingTimeoutMs 0 the server is not pinged and not restarted', async () => {
  const { host } = await open({ pingTimeoutMs: 0 });
  const before = sent(host, 'server/discover');
  expect(await code(host.callTool('server', 'never_answers'))).toBe('REQUEST_TIMEOUT');
  await host.callTool('server', 'hello', {}, unhurried);
  expect(sent(host, 'server/discover')).toBe(before);
  expect(host.status()[0]).toMatchObject({ state: 'ready', restarts: 0 });
});

test('a LiteMCP server that stops reading is restarted too', async () => {
  const entry = { command: process.execPath, args: [serverFile('litemcp-goes-deaf')], protocol: 'litemcp' };
  const host = await openHost({ server: { ...entry, requestTimeoutMs, pingTimeoutMs: 300 } });
  const call = async (options = {}) => {
    const { content } = await host.callTool('server', 'GoDeaf', {}, options);
    return (content[0] as { text: string }).text;
  };
  const first = await call(unhurried);
  expect(await code(call())).toBe('REQUEST_TIMEOUT');
  await until(
    'it is ready again',
    () => host.status()[0]!.restarts === 1 && stateOf(host, 'server') === 'ready',
    30_000,
  );
  expect(await call(unhurried)).not.toBe(first);
  expect(isAlive(Number(first))).toBe(false);
});
