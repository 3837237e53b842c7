// One run of the simulation: nodes join, servers are applied, the fleet is idle, nodes die one by one, nodes leave and
// join.

import { bundleFleetParts } from './fleet-parts.mjs';
import { startNatsServer } from './nats-server.mjs';
import { SimulatedNode } from './simulated-node.mjs';
import { Traffic } from './traffic.mjs';

const FLEET = 'simulated';
/** Operations that run at the same time. */
const JOINING = 50;
const APPLYING = 200;
/** After this time, the node that places servers has listed all leases. */
const SEEN_MS = 3_000;
const SETTLE_MS = 10_000;
const DEATHS = 5;
const FIRST = 20;
/** Share of the nodes that is replaced each minute. */
const CHURN = 0.01;
const MINUTE_MS = 60_000;

/** Resolves to the figures that `simulation-table.mjs` prints. */
export async function simulateFleet({ nodes: count, servers, tables, seconds, show }) {
  const parts = await import(await bundleFleetParts());
  const nats = await startNatsServer();
  try {
    const observer = await parts.openNetwork({ servers: [nats.url], fleet: FLEET, name: 'observer' });
    const claims = await Claimed.watch(observer);
    const nodes = new Set();
    let named = 0;
    const join = async () => {
      const number = ++named;
      const rank = () => [...nodes].filter((node) => Number(node.name.slice(1)) < number).length;
      const options = { url: nats.url, fleet: FLEET, name: `n${number}`, rank, withTable: hasTable(number, tables) };
      nodes.add(await SimulatedNode.join(parts, options));
    };

    show('nodes join');
    const joinMs = await timed(() => inParallel(count, JOINING, join));
    await wait(SEEN_MS);
    show('servers are applied');
    const total = count * servers;
    const names = Array.from({ length: total }, (_, at) => `server-${at + 1}`);
    const startMs = performance.now();
    await inParallel(total, APPLYING, (at) => observer.directory.servers.create(names[at], recordOf(names[at])));
    const applyMs = performance.now() - startMs;
    const watch = setInterval(() => show(`${claims.held.size} of ${total} slots are claimed`), 5_000);
    await claims.until(() => claims.held.size === total);
    clearInterval(watch);
    const placeMs = performance.now() - startMs;
    const most = Math.max(...claims.byNode().values());

    show('at rest');
    await wait(SETTLE_MS);
    const traffic = new Traffic(nats, (number) => hasTable(number, tables));
    const rest = await traffic.during(() => wait(seconds * 1000));

    show('a node reads the table');
    const reading = await parts.openNetwork({ servers: [nats.url], fleet: FLEET, name: 'reader' });
    const read = { ...(await traffic.of('reader')) };
    const readMs = await timed(() => new parts.RoutingTable(reading, 'reader').start());
    const { messages, bytes } = await traffic.of('reader');
    await reading.close();
    const table = { ms: readMs, messages: messages - read.messages, bytes: bytes - read.bytes };

    show('nodes die');
    const deathsMs = [];
    for (let death = 0; death < DEATHS; death++) {
      const node = [...nodes].findLast(({ name }) => claims.of(name).length >= servers);
      nodes.delete(node);
      const lost = claims.of(node.name);
      const diedMs = performance.now();
      await node.die();
      await claims.until(() => lost.every((key) => claims.held.get(key) !== node.name));
      deathsMs.push(performance.now() - diedMs);
    }

    show('nodes come and go');
    const each = MINUTE_MS / Math.max(1, Math.round(count * CHURN));
    const churn = await traffic.during(async () => {
      for (let leftMs = seconds * 1000; leftMs > 0; leftMs -= each) {
        const node = [...nodes].find(({ name }) => Number(name.slice(1)) > FIRST + tables);
        nodes.delete(node);
        await Promise.all([wait(Math.min(each, leftMs)), node.die(), join()]);
      }
    });
    const { mem } = await nats.monitor('varz');
    deathsMs.sort((a, b) => a - b);
    return {
      ...{ count, total, tables, joinMs, applyMs, placeMs, most, rest, table, churn },
      ...{ deathMs: deathsMs[DEATHS >> 1], deathMaxMs: deathsMs.at(-1), natsRssBytes: mem },
    };
  } finally {
    await nats.end();
  }
}

/** Skips the first nodes: they place servers, or try to more often than others. */
export function hasTable(number, tables) {
  return number > FIRST && number <= FIRST + tables;
}

/** The held claims by key; the value is the name of the node. */
class Claimed {
  held = new Map();
  #changed = () => undefined;

  static async watch(network) {
    const claimed = new Claimed();
    await network.directory.claims.watch(({ key, value }) => {
      if (value?.held) claimed.held.set(key, value.node);
      else claimed.held.delete(key);
      claimed.#changed();
    });
    return claimed;
  }

  of(node) {
    return [...this.held].filter(([, owner]) => owner === node).map(([key]) => key);
  }

  byNode() {
    const counts = new Map();
    for (const node of this.held.values()) counts.set(node, (counts.get(node) ?? 0) + 1);
    return counts;
  }

  until(isTrue) {
    return new Promise((resolve) => {
      this.#changed = () => isTrue() && resolve();
      this.#changed();
    });
  }
}

function recordOf(name) {
  const place = { labels: [], replicas: 1, spread: 'prefer', stateless: false };
  return { name, entry: { command: 'node', args: ['server.mjs'] }, place };
}

async function inParallel(count, width, run) {
  let next = 0;
  const work = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: width }, work));
}

async function timed(run) {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
