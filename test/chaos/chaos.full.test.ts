// A host whose servers are killed, frozen, flooded and cut off at random while calls continue. At the end, calls and runs must match.
// STANDPIPE_CHAOS_MS sets the duration, STANDPIPE_CHAOS_SEED the sequence of faults.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { queryObjects } from 'node:v8';
import { expect, test } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { Client } from '../../src/mcp/client/client.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { ServerProcess } from '../../src/wire/process/server-process.ts';
import { StdioClientTransport } from '../../src/wire/transport/stdio-client.ts';
import { usually } from '../fixtures/repetitions.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { type Code, codes, Ledger } from './ledger.ts';
import { SeededRandom } from './seeded-random.ts';

const DURATION_MS = Number(process.env.STANDPIPE_CHAOS_MS ?? usually(6_000, 60_000));
const SEED = Number(process.env.STANDPIPE_CHAOS_SEED ?? 20_261_115);
const SERVERS = 6;
const CALLERS = 24;
const MOST_CALLS = 2_000_000;
const CALL_TIMEOUT_MS = 2500;

const folder = temporaryFolder('chaos');
const names = Array.from({ length: SERVERS }, (_, at) => `server-${at}`);
const journals = names.map((name) => join(folder, `${name}.journal`));
const pidFile = join(folder, 'pids');

/** Classes with one instance per process run. Instances of earlier runs must be garbage-collected. */
const ofOneLife = [Client, Peer, StdioClientTransport, ServerProcess];
const held = () => Object.fromEntries(ofOneLife.map((each) => [each.name, queryObjects(each, { format: 'count' })]));

test(
  `every call has one correct outcome after ${DURATION_MS / 1000} s of chaos (seed ${SEED}), and all resources are released`,
  async () => {
    for (const file of [...journals, pidFile]) writeFileSync(file, '');
    const program = fileURLToPath(new URL('servers/journal.mjs', import.meta.url));
    const restart = { maxRestarts: 1_000_000, periodMs: 1000, backoffMs: 20, maxBackoffMs: 300 };
    const entries = names.map((name, at) => [
      name,
      {
        command: process.execPath,
        args: [program, journals[at]!, pidFile],
        restart,
        stop: { stdinMs: 500, sigtermMs: 300 },
      },
    ]);
    const config = join(folder, 'mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
    // A small store of events fills up at once, so that its growth is not mistaken for a leak.
    const host = await Host.open(config, { flow: new FlowStore({ maxBytes: 1_000_000, maxEvents: 2000 }) });
    const random = new SeededRandom(SEED);
    const ledger = new Ledger(MOST_CALLS);
    const injuries = new Map<string, number>();
    let over = false;

    const call = async (server: string, isHarmless: boolean): Promise<void> => {
      const id = ledger.issue(isHarmless);
      const settle = (code: Code) => ledger.settle(id, code);
      await host.callTool(server, isHarmless ? 'harmless' : 'effect', { id }, { timeoutMs: CALL_TIMEOUT_MS }).then(
        ({ content }) => settle((content[0] as { text: string }).text === String(id) ? 'done' : 'another answer'),
        (error: Error & { code?: string }) => {
          const known = codes.find((code) => code === error.code);
          if (!known) ledger.surprises.add(`${error.code}: ${error.message}`);
          settle(known ?? 'another error');
        },
      );
    };
    const caller = async (): Promise<void> => {
      while (!over && ledger.issued < MOST_CALLS) await call(random.pick(names), random.next() < 0.3);
    };

    const frozen = new Set<number>();
    const signal = (pid: number | null | undefined, name: NodeJS.Signals) => {
      try {
        if (pid) process.kill(pid, name);
      } catch {
        // The process has already exited.
      }
    };
    const ways: Record<string, (server: string) => void> = {
      'kill -9': (server) => signal(pidOf(server), 'SIGKILL'),
      'kill -TERM': (server) => signal(pidOf(server), 'SIGTERM'),
      frozen: (server) => {
        const pid = pidOf(server);
        if (!pid) return;
        frozen.add(pid);
        signal(pid, 'SIGSTOP');
        setTimeout(
          () => {
            frozen.delete(pid);
            signal(pid, 'SIGCONT');
          },
          random.between(50, 3000),
        );
      },
    };
    for (const how of [
      'half-written-frame',
      'stdout-closed',
      'stderr-flood',
      'slow-reader',
      'junk-on-stdout',
      'exit',
    ]) {
      ways[how] = (server) => {
        host.callTool(server, 'hurt', { how }, { timeoutMs: CALL_TIMEOUT_MS }).catch(() => undefined); // a failure is expected
      };
    }
    const pidOf = (server: string) => host.status().find(({ name }) => name === server)?.pid;
    const troublemaker = async (): Promise<void> => {
      while (!over) {
        await new Promise((resolve) => setTimeout(resolve, random.between(20, 250)));
        if (over) return;
        const way = random.pick(Object.keys(ways));
        injuries.set(way, (injuries.get(way) ?? 0) + 1);
        ways[way]!(random.pick(names));
      }
    };

    await host.start();
    const work = [...Array.from({ length: CALLERS }, caller), troublemaker()];
    await new Promise((resolve) => setTimeout(resolve, DURATION_MS));
    over = true;
    for (const pid of frozen) signal(pid, 'SIGCONT');
    await Promise.all(work);
    await host.stop();
    const heldAfter = held();

    const pids = readFileSync(pidFile, 'utf8').split('\n').filter(Boolean).map(Number);
    await until('no process is left', () => !pids.some(isAlive));
    const audit = ledger.audit(journals);
    const outcomes = Object.fromEntries(
      codes.map((code) => [code, ledger.count(code)]).filter(([, count]) => count !== 0),
    );
    console.info(
      [
        `seed ${SEED}, ${DURATION_MS / 1000} s: ${ledger.issued} calls, ${audit.runs} runs, ${pids.length} processes`,
        `outcomes ${JSON.stringify(outcomes)}`,
        `injuries ${JSON.stringify(Object.fromEntries(injuries))}`,
        `held ${JSON.stringify(heldAfter)}`,
      ].join('\n'),
    );
    expect([...ledger.surprises]).toEqual([]);
    expect({ underWay: ledger.count('under way'), twice: ledger.settledTwice }).toEqual({ underWay: 0, twice: 0 });
    expect(ledger.count('another answer')).toBe(0);
    expect(audit).toMatchObject({ lost: 0, ranTwice: 0, ranThoughNotSent: 0 });
    expect(ledger.count('done')).toBeGreaterThan(0);
    for (const [name, count] of Object.entries(heldAfter)) expect(count, name).toBeLessThanOrEqual(3 * SERVERS);
  },
  DURATION_MS + 600_000,
);
