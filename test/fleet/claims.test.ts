// Claims under random orders of placements, releases, cuts, pauses and losses: a slot never has two processes, and no process runs without
// its claim.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOfSlot } from '../../src/host/fleet/subjects.ts';
import { LIFETIME_MS, SimulatedFleet } from '../fixtures/fleet/simulated-fleet.ts';
import { usually } from '../fixtures/repetitions.ts';

const servers = ['state', 'free'] as const;
const NODES = 3;
const SLOTS = 2;

const step = fc.record({
  kind: fc.constantFrom('place', 'place', 'release', 'renew', 'change', 'cut', 'pause', 'heal', 'heal'),
  node: fc.nat(NODES - 1),
  server: fc.constantFrom(...servers),
  slot: fc.integer({ min: 1, max: SLOTS }),
  /** Revision that the placer has seen: the last one, the one before, or none. */
  seen: fc.constantFrom('now', 'now', 'now', 'before', 'none'),
  ms: fc.integer({ min: 0, max: 1.5 * LIFETIME_MS }),
});
// The invariants also hold without a watchdog, as long as no node is paused.
const withWatchdog = fc.boolean();

test('a slot never has two owners or a process without a claim, and finally each slot has one process', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      withWatchdog,
      fc.array(step, { minLength: 5, maxLength: 40 }),
      async (seed, hasWatchdog, steps) => {
        const fleet = new SimulatedFleet(seed, NODES, hasWatchdog);
        fleet.serve('state', false);
        fleet.serve('free', true);
        await fleet.advance(200);
        for (const one of steps) {
          act(fleet, one);
          await fleet.advance(one.ms);
          expect(fleet.violations).toEqual([]);
        }
        fleet.areFaultsOn = false;
        for (const node of fleet.nodes) node.heal();
        await fleet.advance(8 * LIFETIME_MS);
        expect(fleet.violations).toEqual([]);
        const running = [...fleet.instances]
          .map(({ claim }) => claim)
          .map(({ server, slot }) => keyOfSlot(server, slot));
        expect(running.sort()).toEqual([...fleet.claims.entries.keys()].sort());
        expect(running).toHaveLength(servers.length * SLOTS);
        for (const { claim, node } of fleet.instances) expect(node.claims.held).toContainEqual(claim);

        fleet.isPlacing = false;
        const all = Promise.all(fleet.nodes.map(({ claims }) => claims.releaseAll('the test ends')));
        await fleet.advance(4 * LIFETIME_MS);
        await all;
        expect(fleet.instances.size).toBe(0);
        expect([...fleet.claims.entries.values()].filter(({ value }) => value.held)).toEqual([]);
        expect(fleet.violations).toEqual([]);
      },
    ),
    { numRuns: usually(60, 500) },
  );
});

const change = fc.record({
  kind: fc.constantFrom(
    'cut',
    'pause',
    'heal',
    'heal',
    'heal',
    'shorten',
    'lengthen',
    'delete',
    'join',
    'fail',
    'mend',
  ),
  node: fc.nat(NODES - 1),
  ms: fc.integer({ min: 0, max: 1.5 * LIFETIME_MS }),
});

test('a slot never has two owners while leases are changed in NATS, nodes join and servers fail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(change, { minLength: 5, maxLength: 30 }), async (seed, changes) => {
      const fleet = new SimulatedFleet(seed, NODES, true);
      fleet.isPlacing = 'by-plan';
      fleet.serve('state', false);
      for (const { kind, node: number, ms } of changes) {
        const node = fleet.nodes[number]!;
        const isCounted = ({ value }: { value: { lifetimeMs?: number } }) => value.lifetimeMs! > fleet.maxAgeMs;
        if (kind === 'cut') node.isCut = true;
        else if (kind === 'pause') node.pause(true);
        else if (kind === 'heal') node.heal();
        else if (kind === 'shorten') fleet.maxAgeMs = Math.max(300, fleet.maxAgeMs / 3);
        // Waits until all nodes use the shorter lifetime.
        else if (kind === 'lengthen' && ![...fleet.claims.entries.values()].some(isCounted)) fleet.maxAgeMs *= 1.2;
        else if (kind === 'delete') fleet.deleteLeases();
        else if (kind === 'join' && fleet.nodes.length < 5) fleet.join();
        else if (kind === 'fail') fleet.failing.add(`state on ${node.name}`);
        else if (kind === 'mend') fleet.failing.delete(`state on ${node.name}`);
        await fleet.advance(ms);
        expect(fleet.violations).toEqual([]);
      }
      fleet.areFaultsOn = false;
      for (const node of fleet.nodes) node.heal();
      fleet.join(); // a node on which no server fails
      await fleet.advance(12 * LIFETIME_MS);
      expect(fleet.violations).toEqual([]);
      const claims = [...fleet.claims.entries.values()].map(({ value }) => value);
      expect(claims.map(({ failed, held }) => ({ failed, held }))).toEqual([{ held: true }, { held: true }]);
      expect(fleet.instances.size).toBe(SLOTS);
      // Without faults, claims do not change any more.
      await fleet.advance(2 * LIFETIME_MS);
      expect([...fleet.claims.entries.values()].map(({ value }) => value)).toEqual(claims);
    }),
    { numRuns: usually(25, 300) },
  );
});

test('a node that cannot run a server releases the slot, refuses it with the reason, and tries again later', async () => {
  const fleet = new SimulatedFleet(1, 1, true);
  fleet.isPlacing = fleet.areFaultsOn = false;
  fleet.serve('state', false);
  await fleet.advance(2 * LIFETIME_MS);
  const [node] = fleet.nodes;
  const place = async () => {
    const revision = fleet.claims.entries.get('state.1')?.revision ?? 0;
    const placed = node!.claims.place({ server: 'state', slot: 1, revision });
    await fleet.advance(500);
    return placed;
  };
  node!.unfit = 'A variable is not set';
  expect(await place()).toEqual({ generation: 1 });
  expect(fleet.claims.entries.get('state.1')?.value).toMatchObject({ held: false });
  node!.unfit = undefined;
  expect(await place()).toEqual({ refused: 'A variable is not set', isUnfit: true });
  await fleet.advance(30_000);
  expect(await place()).toEqual({ generation: 2 });
  expect(fleet.instances.size).toBe(1);
});

test('ends a server that drains for a changed entry as soon as the lease is lost', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const fleet = new SimulatedFleet(seed, 2, false);
    fleet.areFaultsOn = false;
    fleet.serve('state', false);
    await fleet.advance(4 * LIFETIME_MS);
    const { node, generation } = fleet.claims.entries.get('state.1')!.value;
    const owner = fleet.nodes.find(({ name }) => name === node)!;
    fleet.serve('state', false);
    void owner.claims.renew({ server: 'state', slot: 1, generation });
    await fleet.advance(0.1 * LIFETIME_MS);
    owner.isCut = true;
    await fleet.advance(3 * LIFETIME_MS);
    expect(fleet.claims.entries.get('state.1')!.value).toMatchObject({ generation: generation + 1, held: true });
    expect(fleet.violations).toEqual([]);
  }
});

test('a node that releases its slots does not take others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 0, max: 400 }), async (seed, ms) => {
      const fleet = new SimulatedFleet(seed, NODES, true);
      fleet.areFaultsOn = false;
      fleet.serve('state', false);
      await fleet.advance(200 + ms);
      const leaving = fleet.nodes[0]!;
      let isDone = false;
      const all = leaving.claims.releaseAll('the test').then(() => {
        isDone = true;
      });
      while (!isDone) await fleet.advance(LIFETIME_MS);
      await all;
      expect([...fleet.instances].filter(({ node }) => node === leaving)).toEqual([]);
      await fleet.advance(2 * LIFETIME_MS);
      expect([...fleet.instances].map(({ node }) => node.name)).toHaveLength(SLOTS);
      expect([...fleet.instances].filter(({ node }) => node === leaving)).toEqual([]);
      expect(fleet.violations).toEqual([]);
    }),
    { numRuns: usually(20, 200) },
  );
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function act(fleet: SimulatedFleet, { kind, node: number, server, slot, seen }: Step): void {
  const node = fleet.nodes[number]!;
  const entry = fleet.claims.entries.get(keyOfSlot(server, slot));
  const generation = entry?.value.generation ?? 0;
  const owner = fleet.nodes.find(({ name }) => name === entry?.value.node) ?? node;
  if (kind === 'place') {
    const now = entry?.revision ?? 0;
    const revision = seen === 'now' ? now : seen === 'before' ? Math.max(0, now - 1) : 0;
    void node.place({ server, slot, revision });
  } else if (kind === 'release') owner.claims.release({ server, slot, generation, reason: 'the test' });
  else if (kind === 'renew') void owner.claims.renew({ server, slot, generation }).catch(() => undefined);
  else if (kind === 'change') fleet.serve(server, server === 'free');
  else if (kind === 'cut') owner.isCut = true;
  else if (kind === 'pause' && fleet.hasWatchdog) owner.pause(true);
  else node.heal();
}
