import { expect, test } from 'vitest';
import type {
  ClaimRecord,
  ClusterNetwork,
  NodeRecord,
  ServerRecord,
  Table,
  TableListener,
} from '../cluster-network.ts';
import { FleetState } from './fleet-state.ts';
import { plan } from './plan.ts';

/** A table that the test changes. */
function told<T>(): {
  table: Table<T>;
  tell: (key: string, value: unknown) => void;
  keys: string[];
  list: (() => void)[];
} {
  let listener: TableListener<T> | undefined;
  let revision = 0;
  const keys: string[] = [];
  const list: (() => void)[] = [];
  const table = {
    watch: async (each: TableListener<T>) => {
      listener = each;
      return () => undefined;
    },
    keys: () => new Promise<Set<string>>((resolve) => list.push(() => resolve(new Set(keys)))),
  } as unknown as Table<T>;
  return { table, tell: (key, value) => listener!({ key, value: value as T, revision: ++revision }), keys, list };
}

async function watched() {
  const [servers, nodes, claims, leases] = [
    told<ServerRecord>(),
    told<NodeRecord>(),
    told<ClaimRecord>(),
    told<never>(),
  ];
  const directory = { servers: servers.table, nodes: nodes.table, claims: claims.table };
  const network = { directory, leases: { lifetimeMs: 1, table: leases.table } } as unknown as ClusterNetwork;
  const state = new FleetState();
  await state.watch(network);
  const listLeases = () => state.listLeases(network);
  return { state, servers, nodes, claims, leases, listLeases };
}

const node = (name: string) => ({ name, session: `s-${name}`, labels: [], offers: [], draining: false });
const claim = { server: 'x', slot: 1, node: 'b', session: 's-b', generation: 1, held: true, config: 1 };
const server = { name: 'x', entry: {}, place: { labels: [], replicas: 1, spread: 'prefer', stateless: false } };

test('a node that joined after the request for leases does not count as dead', async () => {
  const { state, servers, nodes, claims, leases, listLeases } = await watched();
  servers.tell('x', server);
  nodes.tell('a', node('a'));
  leases.keys.push('node.a', 'placer');
  const listed = listLeases();
  const answer = leases.list.shift()!;
  answer(); // this list of leases was made before node b joined
  nodes.tell('b', node('b'));
  claims.tell('x.1', claim);
  await listed;
  expect(plan(state).actions).toEqual([]);
  const again = listLeases();
  leases.list.shift()!();
  await again;
  expect(plan(state).actions).toMatchObject([
    { kind: 'place', node: 'a' },
    { kind: 'forget', node: 'b' },
  ]);
});

test('with two concurrent lists, a node that joined meanwhile does not count as dead, and the later list counts', async () => {
  const { state, servers, nodes, leases, listLeases } = await watched();
  servers.tell('x', server);
  nodes.tell('a', node('a'));
  leases.keys.push('node.a');
  const first = listLeases();
  nodes.tell('b', node('b'));
  const second = listLeases();
  leases.list[0]!();
  await first;
  expect([...state.leases].sort()).toEqual(['a', 'b']);
  leases.list[1]!(); // this answer is as old as the first request
  expect(await second).toBe(true);
  expect([...state.leases]).toEqual(['a']);

  const [early, late] = [listLeases(), listLeases()];
  leases.list[2]!();
  leases.keys.push('node.b');
  leases.list[3]!();
  await late;
  await early;
  expect([...state.leases].sort()).toEqual(['a', 'b']);

  const [slow, quick] = [listLeases(), listLeases()];
  leases.keys.push('node.c');
  leases.list[5]!();
  await quick;
  leases.keys.pop();
  leases.list[4]!();
  expect(await slow).toBe(false);
  expect([...state.leases].sort()).toEqual(['a', 'b', 'c']);
});

test('a list that fails makes no node count as dead', async () => {
  const { state, servers, nodes, listLeases, leases } = await watched();
  servers.tell('x', server);
  leases.table.keys = () => Promise.reject(new Error('no connection'));
  nodes.tell('a', node('a'));
  await expect(listLeases()).rejects.toThrow('no connection');
  expect(plan(state).actions).toMatchObject([{ kind: 'place', node: 'a' }]);
});

test('fails without remaining watches if a table cannot be watched', async () => {
  const stopped: string[] = [];
  const table = (name: string, isThere: boolean) => ({
    watch: async () => {
      if (!isThere) throw new Error(`no ${name}`);
      return () => stopped.push(name);
    },
  });
  const directory = { servers: table('servers', false), nodes: table('nodes', true), claims: table('claims', false) };
  const state = new FleetState();
  await expect(state.watch({ directory } as unknown as ClusterNetwork)).rejects.toThrow('no servers');
  expect(stopped).toEqual(['nodes']);
});

test('unreadable records are not changed, and do not end the plan', async () => {
  const { state, servers, nodes, claims } = await watched();
  const odd = [null, 3, 'x', [], {}, { name: 'x' }, { name: 'x', entry: 1 }, { ...server, name: 'y' }];
  for (const value of odd) {
    servers.tell('x', value);
    nodes.tell('x', value);
    claims.tell('x.1', value);
    claims.tell('odd', value);
    plan(state);
  }
  const claim = { server: 'x', slot: 1, node: 'a', session: 's', generation: 1, held: true, config: 1, failed: 'no' };
  for (const tried of [null, '', { length: 0 }, [1]]) claims.tell('x.1', { ...claim, tried });
  expect([state.servers.size, state.nodes.size, state.claims.size]).toEqual([0, 0, 0]);
  servers.tell('x', { ...server, place: { replicas: 1e12, labels: [1, 'eu'], spread: 'zones' } });
  expect(state.servers.get('x')!.value.place).toEqual({
    replicas: 1000,
    labels: ['eu'],
    spread: 'prefer',
    stateless: false,
  });
});

test('an unusable entry has no effect, whether or not it was known before', async () => {
  for (const isKnown of [true, false]) {
    const { state, servers, nodes, claims } = await watched();
    if (isKnown) servers.tell('x', server);
    const { revision } = state.servers.get('x') ?? { revision: undefined };
    nodes.tell('b', node('b'));
    claims.tell('x.1', { ...claim, config: revision ?? 1 });
    for (const junk of [{ type: 'stream_info_response' }, null]) {
      servers.tell('x', junk);
      nodes.tell('b', junk);
      claims.tell('x.1', junk);
    }
    expect(state.servers.get('x')?.revision).toBe(revision);
    expect(plan(state).actions).toEqual([]);
    servers.tell('x', undefined);
    expect(plan(state).actions).toMatchObject([{ kind: 'release', server: 'x' }]);
  }
});
