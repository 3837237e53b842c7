// Calls over three nodes while every two seconds something is killed, stopped or cut off: a node, the process of a server, a connection to
// NATS, NATS itself. The history must have no violation. STANDPIPE_FLEET_CALLS sets the number of calls, STANDPIPE_FLEET_SEED the choice of
// the failures.

import { expect, test } from 'vitest';
import { SeededRandom } from '../chaos/seeded-random.ts';
import { Load } from '../fixtures/fleet/load.ts';
import { TestFleet } from '../fixtures/fleet/test-fleet.ts';
import { usually } from '../fixtures/repetitions.ts';

const CALLS = Number(process.env.STANDPIPE_FLEET_CALLS ?? usually(2_000, 50_000));
const SEED = Number(process.env.STANDPIPE_FLEET_SEED ?? 16);
const EVERY_MS = 2_000;
const LEASE_MS = 2_000;
const names = ['a', 'b', 'c'];
const servers = ['one', 'two', 'three', 'four', 'stubborn'];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(
  `runs ${CALLS} calls over three nodes (seed ${SEED}) without a violation while something fails every two seconds`,
  async () => {
    const fleet = await TestFleet.open(LEASE_MS);
    await Promise.all(names.map((name) => fleet.start(name)));
    for (const server of servers) await fleet.add(server);
    await fleet.add('many', { replicas: 3, stateless: true });
    for (const server of servers) await fleet.whenHeld(server);
    const random = new SeededRandom(SEED);
    const load = new Load({
      nodes: () => [...fleet.nodes.values()],
      servers: [...servers, 'many'],
      random,
      callers: CALLS > 10_000 ? 64 : 24,
      mostCalls: CALLS,
    });
    const failures = new Map<string, number>();
    /** Pending failures by node: a node gets a new failure only after the last one is over. */
    const busy = new Map<string, Promise<void>>();
    const ofNode: Record<string, (name: string) => Promise<void>> = {
      'node killed': async (name) => {
        await fleet.nodes.get(name)!.end('SIGKILL');
        await pause(random.between(0, 2 * LEASE_MS));
        await startAgain(fleet, name);
      },
      'node stopped': async (name) => {
        fleet.nodes.get(name)!.signal('SIGSTOP');
        await pause(random.between(100, 3 * LEASE_MS));
        fleet.nodes.get(name)!.signal('SIGCONT');
      },
      // The restart of the server is due while its node is stopped, so that the next owner may already run the server.
      'server killed and node stopped': async (name) => {
        for (const pid of fleet.livingServers(name)) process.kill(pid, 'SIGKILL');
        await pause(random.between(0, 60));
        await ofNode['node stopped']!(name);
      },
      'node ended': async (name) => {
        await fleet.nodes.get(name)!.end();
        await startAgain(fleet, name);
      },
      'connection cut': async (name) => {
        fleet.proxies.get(name)!.cut();
        await pause(random.between(0, 2 * LEASE_MS));
        fleet.proxies.get(name)!.heal();
      },
      'connection hangs': async (name) => {
        fleet.proxies.get(name)!.hang();
        await pause(random.between(0, 2 * LEASE_MS));
        fleet.proxies.get(name)!.heal();
      },
    };
    const ofAll: Record<string, () => Promise<void>> = {
      'server killed': async () => {
        const pid = random.pick(fleet.livingServers());
        if (pid) process.kill(pid, 'SIGKILL');
      },
      'NATS killed': async () => {
        await fleet.nats.stop('SIGKILL');
        await pause(random.between(0, 1.5 * LEASE_MS));
        await fleet.nats.start();
      },
    };
    const errors: unknown[] = [];
    /** Failures by the line of the history at which they happened. */
    const happened: string[][] = [];
    const note = (text: string) => {
      const at = fleet.history().length;
      happened[at] = [...(happened[at] ?? []), text];
    };
    const fail = async () => {
      const way = random.pick([...Object.keys(ofNode), 'server killed', 'server killed', 'NATS killed']);
      const key = way in ofNode ? random.pick(names) : way;
      if (busy.has(key)) return;
      failures.set(way, (failures.get(way) ?? 0) + 1);
      note(`-- ${way}: ${key}`);
      const work = (ofNode[way]?.(key) ?? ofAll[way]!()).catch((error) => void errors.push(error));
      busy.set(
        key,
        work.finally(() => {
          note(`-- over: ${way}: ${key}`);
          busy.delete(key);
        }),
      );
    };
    const timer = setInterval(fail, EVERY_MS);
    await load.finished();
    clearInterval(timer);
    await Promise.all(busy.values());
    const codes = await Promise.all([...fleet.nodes.values()].map((node) => node.end()));
    const { violations, runs, processes } = fleet.check(load.calls);
    console.info(
      [
        `seed ${SEED}: ${load.calls.length} calls, ${runs} runs, ${processes} processes, ${fleet.claims.length} states of claims`,
        `outcomes ${JSON.stringify(load.outcomes())}`,
        `failures ${JSON.stringify(Object.fromEntries(failures))}`,
        `violations ${violations.length}: ${violations.slice(0, 20).join('\n')}`,
        ...load.surprises(),
        ...(violations.length > 0 ? timeline(fleet.history(), happened, violations) : []),
      ].join('\n'),
    );
    expect(errors).toEqual([]);
    expect(violations.slice(0, 20)).toEqual([]);
    expect(codes).toEqual([0, 0, 0]);
    expect(fleet.livingServers()).toEqual([]);
    expect(load.answered).toBeGreaterThan(CALLS / 2);
  },
  600_000 + CALLS * 20,
);

/** Starts the node until it runs, like a service manager: it exits while NATS is not running. */
async function startAgain(fleet: TestFleet, name: string): Promise<void> {
  for (let left = 20; ; left--) {
    try {
      return void (await fleet.start(name));
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** Lines of processes, failures and the calls of violations, in their order. */
function timeline(lines: readonly string[], happened: readonly string[][], violations: readonly string[]): string[] {
  const calls = new Set(violations.flatMap((text) => /^call (\S+)/.exec(text)?.[1] ?? []));
  return lines.flatMap((line, at) => {
    const isCall = /^(?:run|done) /.test(line);
    return [...(happened[at] ?? []), ...(isCall && !calls.has(line.split(' ')[5]!) ? [] : [line])];
  });
}
