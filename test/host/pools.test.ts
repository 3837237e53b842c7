// `share` of a server: which clients share a process, when it starts, and when it ends.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { undescribed } from '../../src/host/services/typed-client.ts';
import { Client } from '../../src/mcp/client/client.ts';
import { newClient } from '../../src/mcp/service.ts';
import { ManualClock } from '../fixtures/manual-clock.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { folder, openHost, read, serverFile, writeConfig } from './run-host.ts';

let files = 0;

function remembering(share: unknown, more: object = {}) {
  const file = join(folder, `remembers-${++files}`);
  const entry = {
    command: process.execPath,
    args: [serverFile('remembers')],
    env: { START_FILE: file },
    revision: '2025-11-25',
    autoStart: false,
    share,
    ...more,
  };
  const pids = () => read(file).split('\n').filter(Boolean).map(Number);
  return { entry, pids, alive: () => pids().filter(isAlive) };
}

async function shared(share: unknown, more: object = {}, options: HostOptions = {}) {
  const server = remembering(share, more);
  const host = await openHost({ a: server.entry }, { random: () => 0.5, ...options });
  return { ...server, host };
}

/** A client as the gateway creates it. */
function clientOf(host: Host, principal?: string, affinity?: string) {
  const identity = newClient(principal, affinity);
  const client = new Client(host.service('a'), undescribed, { identity, checkOutput: false });
  const call = async (tool: string, options?: object) => {
    const { content } = await client.callTool(tool, {}, options);
    return (content[0] as { text: string }).text;
  };
  return { identity, client, call, gone: () => host.service('a').gone!(identity) };
}

const processes = (host: Host) => host.status()[0]!.processes.map(({ owner, state }) => `${owner}: ${state}`);
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error: { code: string }) => error.code,
  );

describe('sharing a process', () => {
  test('all: 50 clients with concurrent calls have one process', async () => {
    const { host, pids } = await shared('all');
    const counts = await Promise.all(Array.from({ length: 50 }, () => clientOf(host).call('add')));
    expect(counts.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect(pids()).toHaveLength(1);
    expect(processes(host)).toEqual(['all: ready']);
  });

  test('principal: its clients share one process, also if their first calls are concurrent', async () => {
    const { host, pids } = await shared('principal');
    const names = ['ada', 'grace', 'ada', 'grace', 'ada'];
    const clients = Array.from({ length: 20 }, (_, at) => clientOf(host, names[at % names.length]));
    const counts = await Promise.all(clients.map(({ call }) => call('add')));
    expect(pids()).toHaveLength(2);
    expect(Math.max(...counts.map(Number))).toBe(12);
    expect(processes(host)).toEqual(['ada: ready', 'grace: ready']);
  });

  test('principal: unauthenticated clients share the process of the host', async () => {
    const { host, pids } = await shared('principal');
    expect(await clientOf(host).call('add')).toBe('1');
    expect(await clientOf(host).call('add')).toBe('2');
    expect(await host.callTool('a', 'add')).toMatchObject({ content: [{ text: '3' }] });
    expect(pids()).toHaveLength(1);
    expect(processes(host)).toEqual(['host: ready']);
  });

  test('client: each client and the host have their own processes', async () => {
    const { host, pids } = await shared('client');
    const [one, two] = [clientOf(host), clientOf(host)];
    expect(await Promise.all(Array.from({ length: 20 }, () => one.call('add')))).toHaveLength(20);
    expect(await two.call('add')).toBe('1');
    expect(await one.call('add')).toBe('21');
    expect(await host.callTool('a', 'add')).toMatchObject({ content: [{ text: '1' }] });
    expect(pids()).toHaveLength(3);
    expect(host.status()[0]).toMatchObject({ state: 'ready', share: 'client', calls: 23, errors: 0 });
    expect(host.status()[0]!.processes.map(({ generation }) => generation)).toEqual([3, 1, 2]);
    expect(
      host
        .status()[0]!
        .processes.map(({ pid }) => pid)
        .sort(),
    ).toEqual(pids().sort());
  });

  test('client: requests without a session share by their affinity', async () => {
    const { host, pids } = await shared('client');
    expect(await clientOf(host, 'ada', 'post:ada').call('add')).toBe('1');
    expect(await clientOf(host, 'ada', 'post:ada').call('add')).toBe('2');
    expect(pids()).toHaveLength(1);
    expect(processes(host)).toEqual(['requests without a session of ada: ready']);
  });

  test('call: each call has its own process, which ends with the call', async () => {
    const { host, pids, alive } = await shared('call');
    const { call, client } = clientOf(host);
    expect(await Promise.all([call('add'), call('add'), call('add')])).toEqual(['1', '1', '1']);
    expect(pids()).toHaveLength(3);
    await until('the processes of the calls are gone', () => alive().length === 0 && processes(host).length === 0);
    // Other requests than tool calls use the process of the host.
    await client.listTools();
    await client.readResource('memory://count');
    expect(pids()).toHaveLength(4);
    expect(processes(host)).toEqual(['host: ready']);
    expect(host.status()[0]).toMatchObject({ calls: 4, errors: 0 });
  });
});

describe('the end of a process', () => {
  test('is after its idle time, and the next call starts another', async () => {
    const clock = new ManualClock();
    const { host, pids, alive } = await shared({ by: 'client', idleMs: 1000 }, {}, { clock });
    const [one, two] = [clientOf(host), clientOf(host)];
    await one.call('add');
    clock.advance(600);
    await two.call('add');
    clock.advance(600);
    await until('the first client was idle', () => alive().length === 1);
    expect(await two.call('add')).toBe('2');
    expect(await one.call('add')).toBe('1');
    expect(pids()).toHaveLength(3);
    const held = one.call('hold');
    await until('the call was counted', () => host.status()[0]!.calls === 5);
    clock.advance(5000);
    await until('the second client was idle', () => alive().length === 1);
    expect(await one.call('free')).toBe('done');
    expect(await held).toBe('freed');
  });

  test('does not come during a subscription', async () => {
    const clock = new ManualClock();
    const { host, alive } = await shared({ by: 'client', idleMs: 1000 }, {}, { clock });
    const one = clientOf(host);
    const heard: string[] = [];
    const stop = await host.service('a').watch({
      filter: { resourceSubscriptions: ['memory://count'] },
      client: { ...undescribed, capabilities: {}, logLevel: undefined, identity: one.identity },
      notified: (method) => heard.push(method),
    });
    clock.advance(5000);
    await one.call('touch');
    await clientOf(host).call('touch');
    expect(heard).toEqual(['notifications/resources/updated']);
    expect(alive()).toHaveLength(2);
    stop();
    clock.advance(5000);
    await until('the process is gone', () => alive().length === 0);
  });

  test('follows the disconnection of its client, after the running calls', async () => {
    const { host, alive } = await shared('client');
    const [one, two] = [clientOf(host), clientOf(host)];
    await Promise.all([one.call('add'), two.call('add')]);
    const held = one.call('hold');
    two.gone();
    one.gone();
    await until('the process of the second client is gone', () => alive().length === 1);
    expect(await one.call('free')).toBe('done');
    expect(await held).toBe('freed');
    await until('the other is gone too', () => alive().length === 0 && processes(host).length === 0);
    expect(host.status()[0]).toMatchObject({ calls: 4, errors: 0 });
  });

  test.each(['client', 'call'])('%s: follows the cancellation of its only call during the start', async (share) => {
    const changes: string[] = [];
    let starts: () => void = () => undefined;
    const start = new Promise<void>((resolve) => {
      starts = resolve;
    });
    const onStateChange: HostOptions['onStateChange'] = ({ owner, to }) => {
      if (owner === undefined) return;
      changes.push(to);
      if (to === 'starting') starts();
    };
    const { host, alive } = await shared(share, {}, { onStateChange });
    const { call, gone } = clientOf(host);
    const given = new AbortController();
    const outcome = failure(call('add', { signal: given.signal }));
    await start; // waits for the event, because the process may be ready before the next poll
    given.abort();
    gone();
    await outcome;
    await until('its end', () => changes.includes('stopped'));
    expect(changes).toEqual(['starting', 'stopping', 'stopped']);
    expect(alive()).toEqual([]);
  });

  test('the crash of a process does not affect other processes', async () => {
    const clock = new ManualClock();
    const { host, pids } = await shared('client', {}, { clock });
    const [one, two] = [clientOf(host), clientOf(host)];
    await Promise.all([one.call('add'), two.call('add')]);
    const pid = Number(await two.call('pid'));
    const [lost] = host.status()[0]!.processes;
    await expect(one.call('die')).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      ran: { server: 'a', pid: lost!.pid, generation: lost!.generation },
    });
    expect(await two.call('add')).toBe('2');
    expect(Number(await two.call('pid'))).toBe(pid);
    const next = one.call('add');
    await until('the crash is known', () => host.status()[0]!.processes.some(({ state }) => state === 'backoff'));
    clock.advance(1000);
    expect(await next).toBe('1');
    expect(pids()).toHaveLength(3);
  });
});

describe('the limit of processes', () => {
  test('ends the process that has been idle longest', async () => {
    const { host, pids, alive } = await shared({ by: 'client', maxProcesses: 2 });
    const [one, two, three] = [clientOf(host), clientOf(host), clientOf(host)];
    await one.call('add');
    await two.call('add');
    expect(await one.call('add')).toBe('2');
    expect(await three.call('add')).toBe('1');
    expect(await one.call('add')).toBe('3');
    expect(await two.call('add')).toBe('1');
    expect(pids()).toHaveLength(4);
    expect(alive()).toHaveLength(2);
  });

  test('queues calls in order for a slot without losing any', async () => {
    const { host, pids, alive } = await shared({ by: 'client', maxProcesses: 1 });
    const one = clientOf(host);
    const held = one.call('hold');
    await until('the first process runs', () => alive().length === 1);
    const order: number[] = [];
    const others = [1, 2, 3].map(async (at) => {
      const count = await clientOf(host).call('add');
      order.push(at);
      return count;
    });
    expect(await one.call('free')).toBe('done');
    expect(await held).toBe('freed');
    expect(await Promise.all(others)).toEqual(['1', '1', '1']);
    expect(order).toEqual([1, 2, 3]);
    expect(pids()).toHaveLength(4);
    expect(alive()).toHaveLength(1);
  });

  test('fails a call that gets no slot in time, and names the setting to increase', async () => {
    const clock = new ManualClock();
    const { host, pids } = await shared({ by: 'client', maxProcesses: 1 }, {}, { clock });
    const one = clientOf(host);
    const held = one.call('hold');
    await until('the first process is ready', () => host.status()[0]!.processes[0]?.state === 'ready');
    const two = clientOf(host);
    const refused = two.call('add', { timeoutMs: 500 }).catch((error) => error);
    const cancel = new AbortController();
    const cancelled = two.call('add', { signal: cancel.signal }).catch((error) => error);
    expect(host.status()[0]).toMatchObject({ waiting: 2 });
    cancel.abort(new Error('cancelled'));
    clock.advance(500);
    expect(await refused).toMatchObject({
      code: 'SERVER_BUSY',
      data: { maxProcesses: 1 },
      message: expect.stringMatching(/"a" is at its limit of processes \(1\).*within 500 ms.*"maxProcesses"/),
    });
    expect(await cancelled).toBeInstanceOf(Error);
    expect(host.status()[0]).toMatchObject({ waiting: 0, processes: [{ calls: 1 }] });
    await one.call('free');
    await held;
    expect(pids()).toHaveLength(1);
    expect(await two.call('add')).toBe('1');
  });

  test('limits the number of waiting requests too', async () => {
    const { host, pids } = await shared({ by: 'client', maxProcesses: 1 });
    const one = clientOf(host);
    const held = failure(one.call('hold'));
    await until('the first process is ready', () => host.status()[0]!.processes[0]?.state === 'ready');
    const waits = Array.from({ length: 4096 }, () => failure(clientOf(host).call('add')));
    await expect(clientOf(host).call('add')).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      message: expect.stringContaining('4096 requests wait'),
    });
    await host.stopServer('a');
    expect(await held).toBe('OUTCOME_UNKNOWN');
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['SERVER_STOPPED']));
    expect(pids()).toHaveLength(1);
  });

  test('limits the number of concurrent calls', async () => {
    const { host, pids } = await shared({ by: 'call', maxProcesses: 2 });
    const { call } = clientOf(host);
    const counts = Promise.all(Array.from({ length: 6 }, () => call('add')));
    await until('six processes', () => {
      expect(host.status()[0]!.processes.length).toBeLessThanOrEqual(2);
      return pids().length === 6;
    });
    expect(await counts).toEqual(['1', '1', '1', '1', '1', '1']);
  });
});

describe('commands apply to all processes', () => {
  test('stop ends them, and refuses requests that wait for a slot', async () => {
    const { host, alive, pids } = await shared({ by: 'client', maxProcesses: 2 });
    const clients = [clientOf(host), clientOf(host), clientOf(host)];
    const held = clients.slice(0, 2).map(({ call }) => failure(call('hold')));
    await until('two processes are ready', () => processes(host).filter((line) => line.endsWith('ready')).length === 2);
    const waits = failure(clients[2]!.call('add'));
    await host.stopServer('a');
    expect(alive()).toEqual([]);
    expect(await Promise.all([...held, waits])).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'SERVER_STOPPED']);
    expect(await failure(clientOf(host).call('add'))).toBe('SERVER_STOPPED');
    expect(processes(host)).toEqual([]);
    await host.startServer('a');
    expect(await clients[2]!.call('add')).toBe('1');
    expect(pids()).toHaveLength(4);
  });

  test('restart replaces each of them', async () => {
    const { host, alive, pids } = await shared('client');
    const [one, two] = [clientOf(host), clientOf(host)];
    await Promise.all([one.call('add'), two.call('add'), host.callTool('a', 'add')]);
    const before = alive();
    await host.restartServer('a');
    expect(before.filter(isAlive)).toEqual([]);
    expect(await Promise.all([one.call('add'), two.call('add')])).toEqual(['1', '1']);
    expect(pids()).toHaveLength(6);
  });

  test('restart, and stop and start, renew subscriptions without a request', async () => {
    const { host, pids, alive } = await shared('client');
    const [one, two] = [clientOf(host), clientOf(host)];
    const heard: string[] = [];
    await host.service('a').watch({
      filter: { resourceSubscriptions: ['memory://count'] },
      client: { ...undescribed, capabilities: {}, logLevel: undefined, identity: one.identity },
      notified: (method) => heard.push(method),
    });
    await two.call('add');
    await host.restartServer('a');
    await until('it may have changed', () => heard.length === 1);
    expect(pids()).toHaveLength(4); // the second client, which has no subscription, has no process again
    expect(alive()).toHaveLength(2);
    await one.call('touch');
    expect(heard).toHaveLength(2);
    await host.stopServer('a');
    expect(alive()).toEqual([]);
    await host.startServer('a');
    await until('it may have changed once more', () => heard.length === 3);
    expect(alive()).toHaveLength(2);
  });

  test('a failed process is restarted by a command, not by each call', async () => {
    const clock = new ManualClock();
    const { host, pids } = await shared('client', { restart: 'never' }, { clock });
    const [one, two] = [clientOf(host), clientOf(host)];
    expect(await failure(one.call('die'))).toBe('OUTCOME_UNKNOWN');
    expect(await failure(one.call('add'))).toBe('SERVER_FAILED');
    expect(await two.call('add')).toBe('1');
    expect(await failure(one.call('add'))).toBe('SERVER_FAILED');
    expect(pids()).toHaveLength(2);
    expect(processes(host).map((line) => line.split(': ')[1])).toEqual(['failed', 'ready']);
    await host.startServer('a');
    expect(await one.call('add')).toBe('1');
  });

  test('a removed server leaves no process', async () => {
    const { host, alive } = await shared('client');
    const [one, two] = [clientOf(host), clientOf(host)];
    await Promise.all([one.call('add'), two.call('add')]);
    await host.reload(await loadConfig({ file: writeConfig({}) }));
    expect(alive()).toEqual([]);
    expect(host.status()).toEqual([]);
  });

  const modes = ['all', 'principal', 'client', 'call'] as const;
  test.each(modes.flatMap((from) => modes.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'reload from %s to %s: sent calls may have run, and unsent calls use the new mode',
    async (from, to) => {
      const { host, entry, alive, pids } = await shared({ by: from, maxProcesses: 1 });
      const one = clientOf(host, 'ada');
      const held = failure(one.call('hold'));
      await until('the first is ready', () => host.status()[0]!.processes.some(({ state }) => state === 'ready'));
      await until('the call was sent', () => frames(host, 'hold') === 1);
      const two = clientOf(host, 'grace');
      const waits = from === 'all' ? undefined : two.call('pid');
      const reloaded = host.reload(await loadConfig({ file: writeConfig({ a: { ...entry, share: to } }) }));
      const [first] = pids();
      expect(await held).toBe('OUTCOME_UNKNOWN');
      const pid = await waits;
      await reloaded;
      expect(isAlive(first!)).toBe(false);
      expect(pid).not.toBe(String(first));
      await two.call('pid');
      if (to !== 'call') expect(alive()).toHaveLength(1);
      expect(host.status()[0]).toMatchObject({ share: to, errors: 1 });
    },
  );

  test('a reload moves subscriptions to the process of their client', async () => {
    const { host, entry } = await shared('all');
    const one = clientOf(host);
    const heard: string[] = [];
    await host.service('a').watch({
      filter: { resourceSubscriptions: ['memory://count'], toolsListChanged: true },
      client: { ...undescribed, capabilities: {}, logLevel: undefined, identity: one.identity },
      notified: (method) => heard.push(method),
      ended: () => heard.push('ended'),
    });
    await host.reload(await loadConfig({ file: writeConfig({ a: { ...entry, share: 'client' } }) }));
    const changed = ['notifications/tools/list_changed', 'notifications/resources/updated'];
    await until('both were notified', () => heard.length === 2);
    expect(heard).toEqual(changed);
    await clientOf(host).call('touch');
    await clientOf(host).call('learn');
    await one.call('learn');
    await one.call('touch');
    await until('all were notified', () => heard.length === 4);
    expect(heard).toEqual([...changed, ...changed]);
  });
});

function frames(host: Host, tool: string): number {
  const sent = host.flow.since(0).filter((event) => event.kind === 'frame' && event.direction === 'toServer');
  return sent.filter((event) => 'payload' in event && Buffer.from(event.payload).includes(`"${tool}"`)).length;
}
