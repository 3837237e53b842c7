// The instances that a node knows, for any order of reports from the directory.

import { expect, test } from 'vitest';
import type { ClaimRecord, ClusterNetwork, NodeRecord, ServerRecord, TableListener } from '../cluster-network.ts';
import { keyOfServer, keyOfSlot } from '../subjects.ts';
import { RoutingTable } from './routing-table.ts';

/** The watched part of a table. */
class Watched<T> {
  #listener: TableListener<T> = () => undefined;
  #revision = 0;

  async watch(listener: TableListener<T>): Promise<() => void> {
    this.#listener = listener;
    return () => undefined;
  }

  put(key: string, value: T | undefined): void {
    this.#listener({ key, value, revision: ++this.#revision });
  }
}

class Directory {
  readonly servers = new Watched<ServerRecord>();
  readonly nodes = new Watched<NodeRecord>();
  readonly claims = new Watched<ClaimRecord>();
  readonly table = new RoutingTable(
    { fleet: 'f', isConnected: true, directory: this } as unknown as ClusterNetwork,
    'self',
  );
  readonly changed: string[] = [];

  constructor() {
    void this.table.start();
    this.table.onInstances = (server) => this.changed.push(server);
  }

  node(name: string, session: string | undefined, offers: string[] = []): void {
    this.nodes.put(name, session === undefined ? undefined : ({ name, session, offers } as unknown as NodeRecord));
  }

  claim(server: string, slot: number, node: string, session: string, generation = 1, held = true): void {
    this.claims.put(keyOfSlot(server, slot), { server, slot, node, session, generation, held, config: 1 });
  }

  at(server: string): string[] {
    return this.table.instancesOf(server).map(({ node, slot, generation }) => `${node} ${slot} ${generation}`);
  }

  takeChanged(): string[] {
    return this.changed.splice(0).sort();
  }
}

test('fails without remaining watches if a table cannot be watched', async () => {
  const stopped: string[] = [];
  const watched = (name: string) => ({ watch: async () => () => stopped.push(name) });
  const refused = { watch: () => Promise.reject(new Error('no nodes')) };
  const directory = { servers: watched('servers'), nodes: refused, claims: watched('claims') };
  const table = new RoutingTable({ fleet: 'f', directory } as unknown as ClusterNetwork, 'self');
  await expect(table.start()).rejects.toThrow('no nodes');
  expect(stopped).toEqual(['servers', 'claims']);
});

test('a claim counts while the current session of its node holds it', () => {
  const directory = new Directory();
  directory.claim('files', 1, 'a', 's1');
  expect(directory.at('files')).toEqual([]);
  directory.node('a', 's1');
  expect(directory.at('files')).toEqual(['a 1 1']);
  expect(directory.table.instancesOf('files')[0]).toMatchObject({
    id: 'files_1_1_s1',
    subject: 'standpipe.f.call.a.files_1_1_s1',
  });
  directory.node('a', 's2'); // the node lost its lease and has a new one
  expect(directory.at('files')).toEqual([]);
  directory.claim('files', 1, 'a', 's2', 2);
  expect(directory.at('files')).toEqual(['a 1 2']);
  directory.claim('files', 1, 'a', 's2', 2, false);
  expect(directory.at('files')).toEqual([]);
  directory.claim('files', 1, 'b', 't', 3);
  directory.node('b', 't');
  expect(directory.at('files')).toEqual(['b 1 3']);
  directory.claims.put(keyOfSlot('files', 1), undefined);
  expect(directory.at('files')).toEqual([]);
});

test('returns replicas in the order of their slots, and the same list until a change', () => {
  const directory = new Directory();
  for (const [at, node] of ['a', 'b', 'c'].entries()) directory.node(node, `s${at}`);
  directory.claim('files', 3, 'c', 's2');
  directory.claim('files', 1, 'a', 's0');
  directory.claim('files', 2, 'b', 's1');
  expect(directory.at('files')).toEqual(['a 1 1', 'b 2 1', 'c 3 1']);
  const before = directory.table.instancesOf('files');
  directory.claim('other', 1, 'a', 's0');
  directory.node('c', 's2', ['own']);
  expect(directory.table.instancesOf('files')).toBe(before);
  directory.node('b', undefined);
  expect(directory.at('files')).toEqual(['a 1 1', 'c 3 1']);
});

test('servers in the configs of other nodes have the name of their node, and those of this node are excluded', () => {
  const directory = new Directory();
  const place = { labels: [], replicas: 1, spread: 'prefer', stateless: false } as const;
  directory.servers.put(keyOfServer('my files'), { name: 'my files', entry: {}, place });
  directory.node('a', 's', ['notes', 'x@y']);
  directory.node('self', 't', ['own']);
  expect(directory.table.servers()).toEqual(['my files', 'notes@a', 'x@y@a']);
  expect(directory.table.instancesOf('x@y@a')).toMatchObject([{ node: 'a', generation: undefined, slot: 0 }]);
  expect(directory.table.recordOf('my files')).toMatchObject({ name: 'my files' });
  directory.node('a', 's', ['notes']);
  expect(directory.at('x@y@a')).toEqual([]);
  expect([directory.table.whyNone('x@y@a'), directory.table.whyNone('notes@b')]).toEqual([
    'node "a" does not offer "x@y"',
    'node "b" is not in the fleet',
  ]);
  expect([directory.table.whyNone('my files'), directory.table.whyNone('else')]).toEqual([
    'no node runs it yet',
    'it is not a server of the fleet',
  ]);
});

test('omits unreadable records, and continues', () => {
  const directory = new Directory();
  for (const junk of [null, 1, 'text', [], {}, { name: 1, offers: 'all', server: 2, session: null }]) {
    directory.servers.put('junk', junk as never);
    directory.nodes.put('junk', junk as never);
    directory.claims.put('junk.1', junk as never);
  }
  directory.node('a', 's', ['notes']);
  directory.claim('files', 1, 'a', 's');
  expect(directory.at('files')).toEqual(['a 1 1']);
  expect(directory.table.servers()).toEqual(['notes@a']);
});

test('reports a server whose entry changes, and forgets a removed one', () => {
  const directory = new Directory();
  let reported = 0;
  directory.table.onServers = () => reported++;
  const place = { labels: [], replicas: 1, spread: 'prefer', stateless: false } as const;
  directory.servers.put('files', { name: 'files', entry: {}, place });
  directory.servers.put('files', { name: 'files', entry: { maxFrameBytes: 1 }, place });
  expect([reported, directory.table.recordOf('files')?.entry]).toEqual([2, { maxFrameBytes: 1 }]);
  directory.servers.put('files', undefined);
  expect([reported, directory.table.servers()]).toEqual([3, []]);
});

test('reports only the servers that a change concerns, among 20,000 claims of 1,000 nodes', () => {
  const directory = new Directory();
  for (let node = 0; node < 1000; node++) {
    for (let server = 0; server < 20; server++) directory.claim(`server ${node}/${server}`, 1, `n${node}`, `s${node}`);
  }
  for (let node = 0; node < 1000; node++) directory.node(`n${node}`, `s${node}`);
  directory.takeChanged();
  const heard: string[] = [];
  const stop = directory.table.listen('server 7/3', () => heard.push(directory.at('server 7/3').join()));
  directory.node('n7', undefined);
  expect(directory.takeChanged()).toEqual(Array.from({ length: 20 }, (_, at) => `server 7/${at}`).sort());
  expect(heard).toEqual(['']);
  directory.node('n8', 's8', ['own']);
  expect(directory.takeChanged()).toEqual(['own@n8']);
  directory.claim('server 7/3', 1, 'n9', 's9', 2);
  expect(directory.takeChanged()).toEqual(['server 7/3']);
  expect(heard).toEqual(['', 'n9 1 2']);
  stop();
  directory.node('n9', undefined);
  expect(heard).toHaveLength(2);
});

test('ignores unusable records that were written by hand', () => {
  const directory = new Directory();
  const { table } = directory;
  directory.node('a', 's1', ['own']);
  directory.servers.put('files', { name: 'files', entry: {}, place: {} } as never);
  directory.claim('files', 1, 'a', 's1');
  expect(table.servers()).toEqual(['files', 'own@a']);
  const values = [null, 1, 'text', [], {}, { name: 'files' }, { name: 'other', entry: {} }, { entry: {} }];
  for (const value of values) directory.servers.put('files', value as never);
  for (const name of ['own@a', 'files#1']) directory.servers.put(keyOfServer(name), { name, entry: {} } as never);
  expect(table.servers()).toEqual(['files', 'own@a']);
  const claim = { server: 'files', slot: 1, node: 'nowhere', generation: 1, held: true };
  for (const value of [null, {}, claim, { ...claim, session: 's1', server: 'other', node: 'a' }]) {
    directory.claims.put(keyOfSlot('files', 1), value as never);
    expect(directory.at('files')).toEqual(['a 1 1']);
  }
  expect(directory.at('other')).toEqual([]);
  for (const value of [null, {}, { name: 'b', session: 's1' }]) {
    directory.nodes.put('a', value as never);
    expect(table.servers()).toEqual(['files', 'own@a']);
  }
  directory.nodes.put('a', { name: 'a', session: 's2', offers: [{}, 5] } as never);
  expect(table.servers()).toEqual(['files']);
});

test('uses the first 1,000 servers of a node that offers more, and reports this once', () => {
  const directory = new Directory();
  const reported: string[] = [];
  directory.table.onTooManyOffers = (node) => reported.push(node);
  const offers = Array.from({ length: 100_000 }, (_, at) => `s${at}`);
  directory.node('a', 's', offers);
  directory.node(
    'a',
    's',
    offers.map((name, at) => (at === 5 ? 'other' : name)),
  );
  expect(directory.table.servers()).toHaveLength(1000);
  expect(directory.at('s999@a')).toEqual(['a 0 undefined']);
  expect([directory.at('s1000@a'), directory.at('other@a')]).toEqual([[], ['a 0 undefined']]);
  expect(reported).toEqual(['a']);
  directory.node('a', 's', offers.slice(0, 1000));
  directory.node('a', 's', offers.slice(0, 1001));
  expect(reported).toEqual(['a', 'a']);
});

test('detects a changed offer with repeated names, and omits a name that is invalid in a subject', () => {
  const directory = new Directory();
  directory.node('a', 's', ['x', 'x', 'ä'.repeat(1000)]);
  expect(directory.table.servers()).toEqual(['x@a']);
  directory.takeChanged();
  directory.node('a', 's', ['x', 'y']);
  directory.node('a', 's', ['y', 'x']);
  expect(directory.takeChanged()).toEqual(['x@a', 'y@a']);
});

test('omits a server with more than 100 labels, because without one of them it would run on other nodes', () => {
  const directory = new Directory();
  const labels = Array.from({ length: 101 }, (_, at) => `l${at}`);
  for (const [name, count] of Object.entries({ many: 101, most: 100 })) {
    directory.servers.put(name, { name, entry: {}, place: { labels: labels.slice(0, count) } } as never);
  }
  expect(directory.table.servers()).toEqual(['most']);
});

test('an unusable version of an entry is not a removal: the last usable version stays, with one report', () => {
  const directory = new Directory();
  const { table } = directory;
  const [reported, claims]: [string[], unknown[]] = [[], []];
  table.onUnusable = (kind, key) => reported.push(`${kind} ${key}`);
  table.onRunEnded = (node) => reported.push(`the run of ${node} has ended`);
  table.onClaim = (_key, claim) => claims.push(claim);
  const record = { name: 'x', entry: {}, place: { labels: [], replicas: 1, spread: 'prefer', stateless: false } };
  directory.servers.put('x', record as unknown as ServerRecord);
  directory.node('a', 's-a', ['own']);
  directory.claim('x', 1, 'a', 's-a');
  for (const junk of [{ type: 'io.nats.jetstream.api.v1.stream_info_response' }, null, 7]) {
    for (const each of [directory.servers, directory.nodes, directory.claims] as Watched<unknown>[])
      each.put(each === directory.claims ? 'x.1' : each === directory.nodes ? 'a' : 'x', junk);
  }
  expect(table.servers()).toEqual(['x', 'own@a']);
  expect(directory.at('x')).toEqual(['a 1 1']);
  expect(reported).toEqual(['server x', 'node a', 'claim x.1']);
  expect(claims.slice(1)).toEqual([undefined, undefined, undefined]); // the owner checks the claim after each change
  directory.servers.put('x', undefined);
  directory.claims.put('x.1', undefined);
  directory.nodes.put('a', undefined);
  expect(table.servers()).toEqual([]);
  expect(directory.at('x')).toEqual([]);
  expect(reported.slice(3)).toEqual(['the run of a has ended']);
});
