import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClaimRecord, KeyedRecord, NodeRecord, Place, ServerRecord } from '../cluster-network.ts';
import { keyOfServer } from '../subjects.ts';
import { type Action, type FleetView, isInForce, noAttempts, type Plan, plan } from './plan.ts';

/** A fleet whose nodes carry out requests at once. */
class SimulatedFleet implements FleetView {
  servers = new Map<string, KeyedRecord<ServerRecord>>();
  nodes = new Map<string, KeyedRecord<NodeRecord>>();
  leases = new Set<string>();
  claims = new Map<string, Map<number, KeyedRecord<ClaimRecord>>>();
  revision = 0;
  sessions = 0;

  server(name: string, place: Partial<Place> = {}, entry: Record<string, unknown> = { command: 'x' }): this {
    const value = {
      name,
      entry,
      place: { labels: [], replicas: 1, spread: 'prefer' as const, stateless: false, ...place },
    };
    this.servers.set(keyOfServer(name), { key: keyOfServer(name), value, revision: ++this.revision });
    return this;
  }

  remove(server: string): void {
    this.servers.delete(keyOfServer(server));
  }

  join(...names: string[]): this {
    for (const name of names) this.set(name, { session: `s${++this.sessions}` });
    return this;
  }

  set(name: string, change: Partial<NodeRecord>): this {
    const before = this.nodes.get(name)?.value ?? nodeNamed(name);
    this.nodes.set(name, { key: name, value: { ...before, ...change }, revision: ++this.revision });
    this.leases.add(name);
    return this;
  }

  leave(name: string): void {
    this.leases.delete(name);
  }

  carryOut({ actions }: Plan): void {
    for (const action of actions) this.#do(action);
  }

  #do(action: Action): void {
    if (action.kind === 'forget') {
      this.nodes.delete(action.node);
      return;
    }
    const slots = this.claims.get(keyOfServer(action.server)) ?? new Map<number, KeyedRecord<ClaimRecord>>();
    this.claims.set(keyOfServer(action.server), slots);
    const before = slots.get(action.slot);
    const { session } = this.nodes.get(action.node)!.value;
    const write = (change: Partial<ClaimRecord>) => {
      const { server, slot, node } = action;
      const start = { server, slot, node, session, generation: 0, held: true, config: 0 };
      const value = { ...(before?.value ?? start), ...change };
      slots.set(slot, { key: '', value, revision: ++this.revision });
    };
    if (action.kind === 'place') {
      expect(before && isInForce(before.value, this)).not.toBe(true);
      expect(action.revision).toBe(before?.revision ?? 0);
      const config = this.servers.get(keyOfServer(action.server))!.revision;
      write({ node: action.node, session, generation: (before?.value.generation ?? 0) + 1, held: true, config });
      return;
    }
    expect(before!.value).toMatchObject({ node: action.node, generation: action.generation, held: true });
    write(action.kind === 'release' ? { held: false } : { config: action.config });
  }

  /** Repeats plans until they have no actions. */
  settle(): Plan {
    for (let round = 0; round < 10; round++) {
      const next = plan(this);
      if (next.actions.length === 0) return next;
      this.carryOut(next);
    }
    return expect.unreachable();
  }

  /** Maps `server.slot` to its node. */
  get places(): Record<string, string> {
    const all = [...this.claims].flatMap(([key, slots]) =>
      [...slots].flatMap(([slot, { value }]) => (isInForce(value, this) ? [[`${key}.${slot}`, value.node]] : [])),
    );
    return Object.fromEntries(all);
  }
}

function nodeNamed(name: string): NodeRecord {
  const about = { version: '1', pid: 1, hostname: 'h', startedAt: '' };
  return { name, session: '', labels: [], ...about, offers: [], draining: false };
}

const fleet = () => new SimulatedFleet();

describe('a slot', () => {
  test('goes to the node with the fewest slots', () => {
    const three = fleet().join('a', 'b', 'c').server('x').server('y').server('z').server('w');
    three.settle();
    expect(three.places).toEqual({ 'w.1': 'a', 'x.1': 'b', 'y.1': 'c', 'z.1': 'a' });
  });

  test('stays when a node joins, and moves only when its node leaves', () => {
    const two = fleet().join('a', 'b').server('x').server('y').server('z');
    two.settle();
    two.join('c');
    expect(plan(two).actions).toEqual([]);
    two.leave('a');
    two.settle();
    expect(two.places).toEqual({ 'x.1': 'c', 'y.1': 'b', 'z.1': 'b' });
    expect([...two.nodes.keys()]).toEqual(['b', 'c']);
  });

  test('returns to the node in a new session', () => {
    const two = fleet().join('a', 'b').server('x').server('y');
    two.settle();
    two.join('b');
    expect(plan(two).actions).toMatchObject([{ kind: 'place', server: 'y', node: 'b' }]);
  });

  test('is not given to another node while a request for it is pending', () => {
    const two = fleet().join('a', 'b').server('x').server('y');
    const placing = new Map([['x', new Map([[1, 'b']])]]);
    expect(plan(two, { ...noAttempts, placing }).actions).toMatchObject([{ server: 'y', node: 'a' }]);
  });

  test('is renewed in place when its entry changes', () => {
    const one = fleet().join('a').server('x');
    one.settle();
    one.server('x', {}, { command: 'y' });
    expect(plan(one).actions).toMatchObject([{ kind: 'renew', server: 'x', slot: 1, node: 'a', generation: 1 }]);
    one.settle();
  });

  test('is renewed after the previous slot has the new config, or at once if the node of that slot does not answer', () => {
    const three = fleet().join('a', 'b', 'c').server('x', { replicas: 3 });
    three.settle();
    three.server('x', { replicas: 4, spread: 'nodes' }, { command: 'y' }); // no node is left for the fourth
    const renewed = (silent: readonly string[] = []) => {
      const { actions } = plan(three, { ...noAttempts, silent: new Set(silent) });
      three.carryOut({ actions, waiting: [] });
      return actions.map((action) => action.kind !== 'forget' && `${action.kind} ${action.slot}`);
    };
    const other = three.claims.get('x')!.get(1)!.value.node;
    expect([renewed([other]), renewed(), renewed(), renewed()]).toEqual([['renew 2'], ['renew 1'], ['renew 3'], []]);
  });

  test('a slot that cannot leave its drained node is renewed there, one at a time', () => {
    const two = fleet().join('a', 'b').server('x', { replicas: 2 });
    two.settle();
    two.set('a', { draining: true }).set('b', { draining: true }).server('x', { replicas: 2 }, { command: 'y' });
    expect(plan(two).actions).toMatchObject([{ kind: 'renew', slot: 1 }]);
  });

  test('ends when its server is removed or disabled, or has fewer replicas', () => {
    const three = fleet().join('a', 'b', 'c').server('x', { replicas: 3 }).server('y').server('z');
    three.settle();
    three.server('x', { replicas: 1 }).server('y', {}, { command: 'x', disabled: true }).remove('z');
    const released = plan(three).actions.filter(({ kind }) => kind === 'release');
    expect(released).toMatchObject([
      { server: 'x', slot: 2, reason: '"replicas" is 1' },
      { server: 'x', slot: 3 },
      { server: 'y', reason: 'the server is disabled' },
      { server: 'z', reason: 'the server was removed from the fleet' },
    ]);
    three.settle();
    expect(Object.keys(three.places)).toEqual(['x.1']);
  });

  test('continues its generations when its server is added again', () => {
    const one = fleet().join('a').server('x');
    one.settle();
    one.remove('x');
    one.settle();
    one.server('x').settle();
    expect(one.claims.get('x')!.get(1)!.value.generation).toBe(2);
  });
});

describe('a drained node', () => {
  test('releases a slot before another node gets it', () => {
    const two = fleet().join('a', 'b').server('x');
    two.settle();
    two.set('a', { draining: true });
    const first = plan(two);
    expect(first.actions).toMatchObject([{ kind: 'release', node: 'a', reason: 'node a is drained' }]);
    two.carryOut(first);
    expect(plan(two).actions).toMatchObject([{ kind: 'place', node: 'b' }]);
  });

  test('keeps slots that no other node may run, with the reason', () => {
    const two = fleet()
      .join('a', 'b')
      .set('a', { labels: ['gpu'] })
      .server('x', { labels: ['gpu'] });
    two.settle();
    two.set('a', { draining: true });
    const { actions, waiting } = plan(two);
    expect(actions).toEqual([]);
    const reason = 'no node with the label gpu can run it: a is draining';
    expect(waiting).toEqual([{ server: 'x', slot: 1, node: 'a', reason }]);
    two.join('c').set('c', { labels: ['gpu'] });
    two.settle();
    expect(two.places).toEqual({ 'x.1': 'c' });
  });

  test('keeps the replicas that do not fit on other nodes', () => {
    const three = fleet().join('a', 'b', 'c').server('x', { replicas: 2, spread: 'nodes' });
    three.settle();
    three.set('a', { draining: true }).set('b', { draining: true });
    const { waiting } = three.settle();
    expect(Object.values(three.places).sort()).toEqual(['b', 'c']);
    expect(waiting).toMatchObject([{ slot: 2, node: 'b' }]);
  });
});

describe('the reason why a slot does not run', () => {
  const reasonOf = (view: FleetView, attempts = noAttempts) => plan(view, attempts).waiting[0]!.reason;

  test('names the missing condition', () => {
    expect(reasonOf(fleet().server('x'))).toBe('the fleet has no nodes');
    expect(
      reasonOf(
        fleet()
          .join('a')
          .server('x', { labels: ['eu', 'gpu'] }),
      ),
    ).toBe('no node has the labels eu, gpu');
    const one = fleet().join('a').server('x', { replicas: 2, spread: 'nodes' });
    expect(reasonOf(one)).toBe('no node can run it: a is running another replica ("spread": "nodes")');
  });

  test('names the nodes that refused it, and those that do not answer', () => {
    const refusals = new Map([['x', new Map([['a', 'Variable TOKEN is not set']])]]);
    const attempts = { ...noAttempts, refusals, silent: new Set(['b']) };
    const reason = 'no node can run it: b is not answering; a refused it: Variable TOKEN is not set';
    expect(reasonOf(fleet().join('a', 'b').server('x'), attempts)).toBe(reason);
    const other = plan(fleet().join('a', 'b').server('x'), { ...attempts, silent: new Set() });
    expect(other.actions).toMatchObject([{ node: 'b' }]);
  });
});

test('groups nodes that refuse a server for the same reason', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const ofServer = new Map(names.map((name) => [name, name === 'g' ? 'it is full' : 'it is too old']));
  const { waiting } = plan(
    fleet()
      .join(...names)
      .server('x'),
    { ...noAttempts, refusals: new Map([['x', ofServer]]) },
  );
  const reason = 'no node can run it: a, b, c, d, e and 1 more refused it: it is too old; g refused it: it is full';
  expect(waiting).toMatchObject([{ reason }]);
});

test('ends a replica beside another one of its server if they must be on different nodes', () => {
  const one = fleet().join('a').server('x', { replicas: 2 });
  one.settle();
  one.server('x', { replicas: 2, spread: 'nodes' });
  const { waiting } = one.settle();
  expect(one.places).toEqual({ 'x.1': 'a' });
  expect(waiting).toHaveLength(1);
});

test('a slot leaves a node that has lost a label of its server, even if no other has it', () => {
  const two = fleet()
    .join('a', 'b')
    .set('a', { labels: ['eu'] })
    .server('x', { labels: ['eu'] });
  two.settle();
  two.set('a', { labels: [] });
  two.settle();
  expect(two.places).toEqual({});
});

const labels = ['eu', 'gpu'];
const placeOf = fc.record({
  labels: fc.subarray(labels),
  replicas: fc.integer({ min: 1, max: 5 }),
  spread: fc.constantFrom('nodes', 'prefer'),
});
const names = (prefix: string, max: number) => fc.integer({ min: 1, max }).map((n) => `${prefix}${n}`);
const changes = fc.oneof(
  fc.record({ kind: fc.constant('server' as const), name: names('s', 6), place: placeOf }),
  fc.record({ kind: fc.constant('remove' as const), name: names('s', 6) }),
  fc.record({ kind: fc.constant('join' as const), name: names('n', 6) }),
  fc.record({ kind: fc.constant('label' as const), name: names('n', 6), labels: fc.subarray(labels) }),
  fc.record({ kind: fc.constant('drain' as const), name: names('n', 6), draining: fc.boolean() }),
  fc.record({ kind: fc.constant('leave' as const), name: names('n', 6) }),
);

test('plans reach a stable state that follows the rules, and only slots that had to move have moved', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 25 }), (all) => {
      const world = fleet();
      for (const change of all) {
        const before = world.places;
        apply(world, change);
        const { waiting } = world.settle();
        expectRules(world, waiting);
        for (const [slot, node] of Object.entries(before)) {
          const isOfServer = change.kind === 'server' || change.kind === 'remove';
          const mayMove = isOfServer ? slot.startsWith(`${change.name}.`) : node === change.name;
          const isDrained = world.nodes.get(node)?.value.draining === true;
          if (!mayMove && !isDrained) expect(world.places[slot]).toBe(node);
        }
      }
    }),
  );
});

type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

function apply(world: SimulatedFleet, change: Change): void {
  const { name } = change;
  if (change.kind === 'server') world.server(name, change.place as Partial<Place>);
  else if (change.kind === 'remove') world.remove(name);
  else if (change.kind === 'join') world.join(name);
  else if (change.kind === 'leave') world.leave(name);
  else if (world.leases.has(name))
    world.set(name, change.kind === 'label' ? { labels: change.labels } : { draining: change.draining });
}

function expectRules(world: SimulatedFleet, waiting: Plan['waiting']): void {
  const places = world.places;
  for (const { value: server } of world.servers.values()) {
    const { labels, replicas, spread } = server.place;
    const slots = Array.from({ length: replicas }, (_, index) => index + 1);
    const used = slots.flatMap((slot) => places[`${server.name}.${slot}`] ?? []);
    for (const name of used) expect(world.nodes.get(name)!.value.labels).toEqual(expect.arrayContaining([...labels]));
    const eligible = [...world.nodes.values()].filter(
      ({ value }) => !value.draining && labels.every((label) => value.labels.includes(label)),
    );
    if (spread === 'nodes') expect(new Set(used).size).toBe(used.length);
    const stays = waiting.filter((each) => each.server === server.name && each.node !== undefined).length;
    const possible =
      spread === 'nodes' ? Math.min(replicas, eligible.length + stays) : eligible.length > 0 ? replicas : stays;
    expect(used.length).toBe(possible);
    const nowhere = waiting.filter((each) => each.server === server.name && each.node === undefined);
    expect(nowhere).toHaveLength(replicas - used.length);
  }
  for (const key of Object.keys(places)) expect(world.servers.has(key.split('.')[0]!)).toBe(true);
}
