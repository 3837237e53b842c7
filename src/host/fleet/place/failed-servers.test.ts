// Placement of a server that fails on some of the nodes.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimRecord, KeyedRecord, NodeRecord, ServerRecord } from '../cluster-network.ts';
import { triedBefore, withFailure } from '../node/claims/claims.ts';
import { type FleetView, noAttempts, plan } from './plan.ts';

const place = { labels: [], replicas: 1, spread: 'prefer' as const, stateless: false };

/** One server, and nodes that carry out requests at once. */
class Fleet implements FleetView {
  readonly servers = new Map<string, KeyedRecord<ServerRecord>>();
  readonly nodes = new Map<string, KeyedRecord<NodeRecord>>();
  readonly claims = new Map<string, Map<number, KeyedRecord<ClaimRecord>>>();
  readonly leases = new Set<string>();
  readonly failsOn: Set<string>;
  /** Placements in order, for example `x.1 on a`. */
  readonly placed: string[] = [];
  #revision = 0;

  constructor(failsOn: readonly string[], replicas = 1) {
    this.failsOn = new Set(failsOn);
    this.apply(replicas);
  }

  apply(replicas = 1): void {
    const value = { name: 'x', entry: {}, place: { ...place, replicas } };
    this.servers.set('x', { key: 'x', value, revision: ++this.#revision });
  }

  join(name: string, draining = false): void {
    const value = { name, session: `s-${name}`, labels: [], draining } as Partial<NodeRecord> as NodeRecord;
    this.nodes.set(name, { key: name, value, revision: ++this.#revision });
    this.leases.add(name);
  }

  leave(name: string): void {
    this.nodes.delete(name);
    this.leases.delete(name);
  }

  claim(slot: number): ClaimRecord {
    return this.claims.get('x')!.get(slot)!.value;
  }

  write(claim: ClaimRecord): void {
    const slots = this.claims.get('x') ?? new Map<number, KeyedRecord<ClaimRecord>>();
    this.claims.set('x', slots.set(claim.slot, { key: '', value: claim, revision: ++this.#revision }));
  }

  /** Repeats plans until they have no actions; fails after 40 rounds. */
  settle(attempts = noAttempts) {
    for (let round = 0; round < 40; round++) {
      const { actions, waiting } = plan(this, attempts);
      if (actions.length === 0) return waiting;
      for (const action of actions) {
        if (action.kind === 'place') this.#place(action);
        else if (action.kind === 'release') this.write({ ...this.claim(action.slot), held: false });
        else if (action.kind === 'renew') this.#run({ ...this.claim(action.slot), config: action.config, tried: [] });
      }
    }
    return expect.unreachable(`it is moved for ever: ${this.placed.slice(-10).join()}`);
  }

  #place({ slot, node, revision }: { slot: number; node: string; revision: number }): void {
    const before = this.claims.get('x')?.get(slot);
    expect(before?.revision ?? 0).toBe(revision);
    const config = this.servers.get('x')!.revision;
    const owner = { node, session: `s-${node}`, generation: (before?.value.generation ?? 0) + 1, held: true };
    this.placed.push(`x.${slot} on ${node}`);
    this.#run({ server: 'x', slot, ...owner, config, ...triedBefore(before?.value, config) });
  }

  #run(claim: ClaimRecord): void {
    this.write(withFailure(claim, this.failsOn.has(claim.node) ? `not on ${claim.node}` : undefined));
    if (!this.failsOn.has(claim.node) && claim.tried) this.write({ ...claim, tried: claim.tried });
  }
}

test('tries a failing server on each node once, and leaves it on the last one with the reason', () => {
  const fleet = new Fleet(['a', 'b', 'c']);
  for (const name of ['a', 'b', 'c']) fleet.join(name);
  const reason = 'it failed on a, b, c, and no other node may run it. On c: not on c';
  expect(fleet.settle()).toEqual([{ server: 'x', slot: 1, node: 'c', reason }]);
  expect(fleet.placed).toEqual(['x.1 on a', 'x.1 on b', 'x.1 on c']);
  fleet.join('d', true); // drained
  expect(fleet.settle()).toHaveLength(1);
  fleet.join('d');
  expect(fleet.settle()).toEqual([]);
  expect(fleet.claim(1)).toMatchObject({ node: 'd', generation: 4, held: true, tried: ['a', 'b', 'c'] });
  fleet.leave('d'); // the server is placed on a node where it has failed rather than on none
  expect(fleet.settle()).toHaveLength(1);
  expect(fleet.placed.slice(4)).toHaveLength(1);
  fleet.apply(); // changes the entry of the server
  fleet.settle();
  expect(fleet.placed.slice(5)).toEqual(['x.1 on b', 'x.1 on c']); // node a was tried first, because it had the slot
});

test('a start command clears its failures', () => {
  const fleet = new Fleet(['a', 'b']);
  for (const name of ['a', 'b']) fleet.join(name);
  expect(fleet.settle()).toHaveLength(1);
  fleet.failsOn.delete('a'); // the server works on node a from now on
  expect(fleet.settle()).toHaveLength(1);
  fleet.write(withFailure(withFailure(fleet.claim(1), undefined), 'again')); // the server was restarted on node b
  expect(fleet.settle()).toEqual([]);
  expect(fleet.claim(1)).toMatchObject({ node: 'a', generation: 3 });
});

test('does not retry a node that has refused the server', () => {
  const fleet = new Fleet(['a']);
  for (const name of ['a', 'b']) fleet.join(name);
  const refused = new Map([['x', new Map([['b', 'a variable is not set']])]]);
  expect(fleet.settle({ ...noAttempts, unfit: refused })).toHaveLength(1);
  expect(fleet.claim(1)).toMatchObject({ node: 'a', generation: 1 });
});

test('a server that fails on many nodes stays after sixteen of them', () => {
  const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
  const fleet = new Fleet(names);
  for (const name of names) fleet.join(name);
  expect(fleet.settle()).toHaveLength(1);
  expect(fleet.placed).toHaveLength(16);
});

const names = ['a', 'b', 'c', 'd', 'e'];
const event = fc.record({ kind: fc.constantFrom('join', 'leave', 'drain', 'apply'), node: fc.constantFrom(...names) });

test('after any changes of nodes, moves end, and a server runs on a node that can run it', () => {
  fc.assert(
    fc.property(
      fc.subarray(names),
      fc.integer({ min: 1, max: 3 }),
      fc.array(event, { maxLength: 20 }),
      (failsOn, replicas, events) => {
        const fleet = new Fleet(failsOn, replicas);
        for (const { kind, node } of events) {
          if (kind === 'join') fleet.join(node);
          else if (kind === 'leave') fleet.leave(node);
          else if (kind === 'drain' && fleet.nodes.has(node)) fleet.join(node, true);
          else if (kind === 'apply') fleet.apply(replicas);
          const waiting = fleet.settle();
          const may = [...fleet.nodes.values()].filter(({ value }) => !value.draining).map(({ value }) => value.name);
          const can = may.some((name) => !fleet.failsOn.has(name));
          for (let slot = 1; slot <= replicas && may.length > 0; slot++) {
            const claim = fleet.claim(slot);
            expect(claim.held && fleet.leases.has(claim.node)).toBe(true);
            if (can) expect(claim.failed).toBeUndefined();
            else if (may.includes(claim.node)) expect(waiting.map((each) => each.slot)).toContain(slot);
          }
        }
      },
    ),
  );
});
