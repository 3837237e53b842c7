// A lost call is repeated only if both the lost process and the next one permit it. A file counts the actual side
// effects.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import type { Host } from '../../src/host/host.ts';
import { until } from '../fixtures/server.ts';
import { folder, openHost, serverFile, writeConfig } from './run-host.ts';

let names = 0;
function changing() {
  const file = join(folder, `repeating-${++names}`);
  const env = { COUNT_FILE: `${file}.count`, CHANGED_FILE: `${file}.changed` };
  return {
    entry: { command: process.execPath, args: [serverFile('changes-its-tools')], env },
    runs: () => readFileSync(env.COUNT_FILE, { encoding: 'utf8', flag: 'a+' }).length,
  };
}

const eras = {
  modern: undefined,
  legacy: { get: () => 'legacy' as const, set: () => undefined },
};

describe.each(Object.keys(eras) as (keyof typeof eras)[])('in the %s era', (era) => {
  const open = async () => {
    const server = changing();
    const host = await openHost({ server: server.entry }, { eraMemory: eras[era] });
    await host.start();
    await host.listTools('server');
    return { server, host };
  };

  /** Loses a call of `effect` after `meanwhile`, and returns the outcome that its caller received. */
  const lose = async ({ server, host }: Awaited<ReturnType<typeof open>>, meanwhile: () => Promise<unknown>) => {
    const call = host.callTool('server', 'effect').then(
      ({ content }) => (content[0] as { text: string }).text,
      (error) => error.code,
    );
    await until('it runs', () => server.runs() === 1);
    await meanwhile();
    await host.callTool('server', 'die').catch(() => undefined); // the exit is intended
    return call;
  };

  test('a tool that both processes declare idempotent is repeated', async () => {
    const opened = await open();
    expect(await lose(opened, async () => undefined)).toBe('ran again');
    expect(opened.server.runs()).toBe(2);
  });

  test('a tool that changed before the call, with a notification, is not repeated', async () => {
    const opened = await open();
    await opened.host.callTool('server', 'change');
    expect(await lose(opened, async () => undefined)).toBe('OUTCOME_UNKNOWN');
    expect(opened.server.runs()).toBe(1);
  });

  test('a tool that changed during the call, with a notification, is not repeated', async () => {
    const opened = await open();
    expect(await lose(opened, () => opened.host.callTool('server', 'change'))).toBe('OUTCOME_UNKNOWN');
    expect(opened.server.runs()).toBe(1);
  });

  test('a tool that changed without a notification is not repeated, because the tools of the next process are listed first', async () => {
    const opened = await open();
    expect(await lose(opened, () => opened.host.callTool('server', 'change_silently'))).toBe('OUTCOME_UNKNOWN');
    expect(opened.server.runs()).toBe(1);
    expect(await askedTwice(opened.host)).toBe(true);
  });
});

/** Whether both processes received tools/list. */
async function askedTwice(host: Host): Promise<boolean> {
  const lives = host.flow
    .since(0)
    .flatMap((event) =>
      event.kind === 'frame' &&
      event.direction === 'toServer' &&
      String(Buffer.from(event.payload)).includes('tools/list')
        ? [event.life]
        : [],
    );
  return new Set(lives).size >= 2;
}

test('a lost call that cannot be repeated because the server is stopped is reported as possibly run', async () => {
  const server = changing();
  const host = await openHost({ server: { ...server.entry, restart: { backoffMs: 20_000 } } });
  await host.start();
  await host.listTools('server');
  const call = host.callTool('server', 'effect').catch((error) => error.code);
  await until('it runs', () => server.runs() === 1);
  await host.callTool('server', 'die').catch(() => undefined); // the exit is intended
  await host.stopServer('server');
  expect(await call).toBe('OUTCOME_UNKNOWN');
  expect(server.runs()).toBe(1);
});

type Changing = ReturnType<typeof changing>;
const reload = async (host: Host, servers: Record<string, object>) =>
  host.reload(await loadConfig({ file: writeConfig(servers) }));

test.each([
  ['stopServer', (host: Host) => host.stopServer('server')],
  ['restartServer', (host: Host) => host.restartServer('server')],
  ['stop', (host: Host) => host.stop()],
  [
    'a changed entry',
    (host: Host, { entry }: Changing) => reload(host, { server: { ...entry, env: { ...entry.env, A: 'b' } } }),
  ],
  ['a removed entry', (host: Host) => reload(host, {})],
])(
  'a call that is ended by a command (%s) may have run: its caller is informed, and it is not repeated',
  async (_, command) => {
    const server = changing();
    const host = await openHost({ server: server.entry });
    await host.start();
    await host.listTools('server');
    const call = host.callTool('server', 'effect').catch((error) => error);
    await until('it runs', () => server.runs() === 1);
    await command(host, server);
    expect(await call).toMatchObject({ code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('may have run') });
    expect(server.runs()).toBe(1);
  },
);
