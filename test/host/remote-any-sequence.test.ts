// A remote server under any sequence of calls, commands, restarts and network failures: each call settles, only calls
// that are declared repeatable run twice, and after recovery the server works without a command.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { until } from '../fixtures/server.ts';
import { Network, Remote } from './remote-servers.ts';
import { stateOf } from './run-host.ts';

const deep = process.env.FC_PROFILE === 'deep';
const numRuns = deep ? 300 : 8;
const timeout = deep ? 3_600_000 : 120_000;

/** Possible error codes of a call. */
const codes = new Set(['NOT_SENT', 'OUTCOME_UNKNOWN', 'SERVER_UNREACHABLE', 'SERVER_STOPPED', 'CONNECTION_CLOSED']);
const restart = { backoffMs: 5, maxBackoffMs: 20 };

const moves = fc.array(
  fc.constantFrom('call', 'call', 'call', 'list', 'down', 'up', 'cut', 'mend', 'restart', 'stop', 'start', 'turn'),
  { maxLength: 25 },
);

async function trial(era: 'modern' | 'legacy', share: 'all' | 'call', steps: readonly string[]): Promise<void> {
  const runs = new Map<string, number>();
  const remote = new Remote();
  remote.server.tool('run', { input: { type: 'object' } }, (args) => {
    const { id } = args as { id: string };
    runs.set(id, (runs.get(id) ?? 0) + 1);
    return id;
  });
  await remote.up();
  const network = new Network(remote.port);
  const port = await network.up();
  const url = `http://127.0.0.1:${port}/mcp`;
  const host = new Host({ mcpServers: { far: { url, era, share, restart } } });
  const calls: Promise<void>[] = [];
  let isUp = true;
  let isCut = false;
  const call = async (id: string) => {
    try {
      expect(await host.callTool('far', 'run', { id })).toMatchObject({ content: [{ text: id }] });
      expect(runs.get(id)).toBe(1);
    } catch (error) {
      const { code } = error as { code: string };
      // A server that is stopping may answer its pending requests with an error.
      expect(codes.has(code) || (error as Error).name === 'RpcError', `${error}`).toBe(true);
      if (code === 'NOT_SENT' || code === 'SERVER_UNREACHABLE') expect(runs.get(id) ?? 0).toBe(0);
    }
  };
  const quietly = (promise: Promise<unknown>) => void promise.catch(() => undefined);
  for (const [at, step] of steps.entries()) {
    if (step === 'call') calls.push(call(`call ${at}`));
    else if (step === 'list') quietly(host.listTools('far'));
    else if (step === 'restart') quietly(host.restartServer('far'));
    else if (step === 'stop') quietly(host.stopServer('far'));
    else if (step === 'start') quietly(host.startServer('far'));
    else if (step === 'turn') await new Promise((resolve) => setImmediate(resolve));
    else if (step === 'down' && isUp) {
      isUp = false;
      await remote.down();
    } else if (step === 'up' && !isUp) {
      isUp = true;
      await remote.up();
    } else if (step === 'cut' && !isCut) {
      isCut = true;
      await network.down();
    } else if (step === 'mend' && isCut) {
      isCut = false;
      await network.up(port);
    }
  }
  if (!isUp) await remote.up();
  if (isCut) await network.up(port);
  quietly(host.startServer('far'));
  await Promise.all(calls);
  for (const count of runs.values()) expect(count).toBe(1);
  // An earlier attempt may still fail; no command is needed after that.
  await until('it is ready', () => stateOf(host, 'far') === 'ready');
  await host.callTool('far', 'count', {}, { repeatable: true });
  await host.stop();
  expect(host.status()).toMatchObject([{ state: 'stopped', processes: [] }]);
  await network.down();
  await remote.down();
}

test.each(['modern', 'legacy'] as const)(
  'calls of a server of the %s era settle in any sequence',
  { timeout },
  async (era) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('all' as const, 'call' as const), moves, (share, steps) =>
        trial(era, share, steps),
      ),
      { numRuns },
    );
  },
);
