// Tasks over three nodes while servers, nodes and NATS are killed. Each node is a gateway, runs servers of the fleet, whose tasks are
// stored in NATS, and has its own server, whose tasks are stored in its file. Afterwards no task may be lost, run twice, have two ends, or
// be visible to another principal. STANDPIPE_TASKS sets the number of tasks, STANDPIPE_FLEET_SEED the choice of the failures.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addToken } from '../../src/host/gateway/access/token-file.ts';
import { SeededRandom } from '../chaos/seeded-random.ts';
import { type LoadedServer, type LoadedTask, TaskLoad } from '../fixtures/fleet/task-load.ts';
import { TestFleet } from '../fixtures/fleet/test-fleet.ts';
import { usually } from '../fixtures/repetitions.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const TASKS = Number(process.env.STANDPIPE_TASKS ?? usually(2_000, 10_000));
const SEED = Number(process.env.STANDPIPE_FLEET_SEED ?? 16);
const LEASE_MS = 2_000;
/** Minimum time between two kills. EVERY_TASKS further tasks must also have been created, because a slow machine needs time to recover. */
const EVERY_MS = 1_000;
const EVERY_TASKS = 40;
const names = ['a', 'b', 'c'];
const fleetServers = ['one', 'two', 'three', 'four'];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(
  `keeps ${TASKS} tasks over three nodes (seed ${SEED}) exact while processes are killed repeatedly`,
  async () => {
    const tokenFile = join(temporaryFolder('task-chaos'), 'tokens.json');
    const tokens = new Map<string, string>();
    for (const name of ['ada', 'bob', 'cid', 'dan', 'eve', 'fay'])
      tokens.set(name, await addToken(tokenFile, { name }));
    const random = new SeededRandom(SEED);
    const fleet = await TestFleet.open(LEASE_MS);
    const withTasks = async (name: string, isExclusive: boolean) => ({
      ...(await fleet.journalEntry(name, isExclusive)),
      tasks: { after: '1ms' },
    });
    const own = new Map<string, object>();
    for (const name of names) own.set(name, { [`own-${name}`]: await withTasks(`own-${name}`, false) });
    const start = (name: string) =>
      fleet.start(name, { args: ['--tokens', tokenFile], servers: own.get(name) as Record<string, unknown> });
    await Promise.all(names.map(start));
    for (const server of fleetServers) await fleet.addEntry(server, await withTasks(server, true));
    for (const server of fleetServers) await fleet.whenHeld(server);
    const load = new TaskLoad({
      nodes: () => [...fleet.nodes.values()],
      servers: [
        ...fleetServers.map((name): LoadedServer => ({ name })),
        ...names.map((only): LoadedServer => ({ name: `own-${only}`, only })),
      ],
      tokens,
      random,
      clients: 96,
      mostTasks: TASKS,
    });
    const killed = new Map<string, number>();
    const errors: unknown[] = [];
    const busy = new Map<string, Promise<void>>();
    const ways: Record<string, (name: string) => Promise<void>> = {
      'node killed': async (name) => {
        await fleet.nodes.get(name)!.end('SIGKILL');
        await startAgain(() => start(name));
      },
      'node ended': async (name) => {
        await fleet.nodes.get(name)!.end();
        await startAgain(() => start(name));
      },
      'server killed': async () => {
        const pid = random.pick(fleet.livingServers());
        if (pid) process.kill(pid, 'SIGKILL');
      },
      'NATS killed': async () => {
        await fleet.nats.stop('SIGKILL');
        await pause(random.between(0, LEASE_MS));
        await fleet.nats.start();
      },
    };
    let tasksAtKill = 0;
    const kill = () => {
      if (load.tasks.length < tasksAtKill + EVERY_TASKS) return;
      tasksAtKill = load.tasks.length;
      const way = random.pick([
        'node killed',
        'node killed',
        'node ended',
        'server killed',
        'server killed',
        'NATS killed',
      ]);
      const key = way.startsWith('node') ? random.pick(names) : way;
      if (busy.has(key)) return;
      killed.set(way, (killed.get(way) ?? 0) + 1);
      const work = ways[way]!(key).catch((error) => void errors.push(error));
      busy.set(
        key,
        work.finally(() => busy.delete(key)),
      );
    };
    const timer = setInterval(kill, EVERY_MS);
    await load.run();
    clearInterval(timer);
    await Promise.all(busy.values());
    await load.readAll();
    load.close();
    await Promise.all([...fleet.nodes.values()].map((node) => node.end()));
    const violations = [...load.violations, ...violationsIn(fleet.history(), load.tasks)];
    console.info(
      [
        `seed ${SEED}: ${load.tasks.length} tasks: ${JSON.stringify(counted(load.tasks.map(kindOf)))}`,
        `other calls ${JSON.stringify(Object.fromEntries(load.others))}`,
        `killed ${JSON.stringify(Object.fromEntries(killed))}`,
        `violations ${violations.length}: ${violations.slice(0, 20).join('\n')}`,
      ].join('\n'),
    );
    expect(errors).toEqual([]);
    expect(violations.slice(0, 20)).toEqual([]);
    expect(load.tasks.filter(({ end }) => end?.status === 'completed').length).toBeGreaterThan(TASKS / 2);
    expect(killed.size).toBeGreaterThan(0);
  },
  600_000 + TASKS * 20,
);

function kindOf({ end }: LoadedTask): string {
  return end?.outcome === undefined ? (end?.status ?? 'none') : `${end.status} ${end.outcome}`;
}

function counted(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

/** Compares the runs in the history with the ends of the tasks. */
function violationsIn(history: readonly string[], tasks: readonly LoadedTask[]): string[] {
  const ran = new Map<string, number>();
  const done = new Set<string>();
  for (const line of history) {
    const [event, , , , , id = ''] = line.split(' ');
    if (event === 'run') ran.set(id, (ran.get(id) ?? 0) + 1);
    if (event === 'done') done.add(id);
  }
  const twice = [...ran].filter(([, times]) => times > 1).map(([id, times]) => `${id} ran ${times} times`);
  const wrong = tasks.flatMap((task) => {
    const { id, end } = task;
    switch (kindOf(task)) {
      case 'completed':
        return done.has(id) && end!.text!.startsWith(`${id} `) ? [] : [`${id} completed with ${end!.text}`];
      case 'cancelled':
        return task.isCancelled ? [] : [`${id} was cancelled by another principal, or by itself`];
      case 'failed OUTCOME_UNKNOWN':
        return /may have run/.test(end!.message!) ? [] : [`${id} failed with ${end!.message}`];
      case 'failed NOT_SENT':
      case 'failed SERVER_STOPPED':
        return ran.has(id) ? [`${id} ran, and was reported as not sent`] : [];
      default:
        return [`${id} ended as ${JSON.stringify(end)}`];
    }
  });
  return [...twice, ...wrong];
}

/** Starts the process until it runs, like a service manager: it exits while NATS is not running. */
async function startAgain(start: () => Promise<unknown>): Promise<void> {
  for (let left = 20; ; left--) {
    try {
      return void (await start());
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
