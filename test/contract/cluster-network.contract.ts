// Behaviour of every cluster network of a fleet. `open` connects to the same fleet each time; `restart` restarts the server with its stored
// data.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterNetwork, NodeRecord, Table } from '../../src/host/fleet/cluster-network.ts';

export interface NetworkUnderTest {
  open(): Promise<ClusterNetwork>;
  /** Opens a cluster network that can be cut and healed. */
  openCuttable(): Promise<{ network: ClusterNetwork; cut(): void; heal(): void }>;
  restart(): Promise<void>;
}

const record = (name: string, pid = 0) => ({ name, pid }) as NodeRecord;
let lastName = 0;
const fresh = (what: string) => `${what}${++lastName}`;

export function networkContract(name: string, under: NetworkUnderTest): void {
  const open = async () => {
    const network = await under.open();
    onTestFinished(() => network.close());
    return network;
  };
  const openCuttable = async () => {
    const cuttable = await under.openCuttable();
    onTestFinished(async () => {
      cuttable.heal();
      await cuttable.network.close();
    });
    return cuttable;
  };

  describe(`${name}: tables`, () => {
    it('change a value only at its known revision', async () => {
      const { nodes } = (await open()).directory;
      const key = fresh('cas');
      expect(await nodes.get(key)).toBeUndefined();
      const first = (await nodes.create(key, record('a')))!;
      expect(await nodes.create(key, record('b'))).toBeUndefined();
      expect(await nodes.update(key, record('b'), first + 7)).toBeUndefined();
      const second = (await nodes.update(key, record('c'), first))!;
      expect(second).toBeGreaterThan(first);
      expect(await nodes.get(key)).toEqual({ key, value: record('c'), revision: second });
      expect(await nodes.keys()).toContain(key);
      expect(await nodes.remove(key, first)).toBe(false);
      expect(await nodes.remove(key, second)).toBe(true);
      expect(await nodes.remove(key, second)).toBe(false);
      expect(await nodes.get(key)).toBeUndefined();
      expect(await nodes.keys()).not.toContain(key);
      expect(await nodes.create(key, record('d'))).toBeGreaterThan(second);
    });

    it('accept one of many concurrent changes of an entry', async () => {
      const tables = [(await open()).directory.nodes, (await open()).directory.nodes];
      const key = fresh('race');
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, i) => tables[i % 2]!.create(key, record('a', i))),
      );
      const [won] = created.filter((revision) => revision !== undefined);
      expect(created.filter((revision) => revision !== undefined)).toHaveLength(1);
      let revision = won!;
      for (let round = 0; round < 10; round += 1) {
        const pids = Array.from({ length: 10 }, (_, i) => round * 10 + i);
        const results = await Promise.all(pids.map((pid) => tables[pid % 2]!.update(key, record('a', pid), revision)));
        const winners = pids.filter((_, i) => results[i] !== undefined);
        expect(winners).toHaveLength(1);
        const entry = (await tables[round % 2]!.get(key))!;
        expect(entry.value.pid).toBe(winners[0]);
        revision = entry.revision;
      }
    });

    it('remove expired leases, and released leases at once', async () => {
      const { table } = (await open()).leases;
      const watcher = await open();
      const lease = { session: 's', node: 'n' };
      const [kept, dropped, returned] = [fresh('node.k'), fresh('node.d'), fresh('node.r')];
      let revision = (await table.create(kept, lease))!;
      await table.create(dropped, lease);
      const toReturn = (await table.create(returned, lease))!;
      expect(await watcher.leases.table.keys()).toEqual(new Set([kept, dropped, returned]));
      expect(await table.remove(returned, toReturn + 1000)).toBe(false);
      expect(await table.remove(returned, toReturn)).toBe(true);
      expect(await watcher.leases.table.keys()).not.toContain(returned);
      expect(await table.create(returned, lease)).toBeGreaterThan(toReturn);
      while ((await watcher.leases.table.keys()).has(dropped)) revision = (await table.update(kept, lease, revision))!;
      expect(await table.update(dropped, lease, toReturn)).toBeUndefined();
      expect(await table.get(dropped)).toBeUndefined();
      expect((await table.get(kept))?.revision).toBe(revision);
      expect([await table.isGone(dropped), await watcher.leases.table.isGone(kept)]).toEqual([true, false]);
    });

    it('report every entry first, then every change in order', async () => {
      const { claims, servers } = (await open()).directory;
      const other = (await open()).directory;
      const nothing: string[] = [];
      const stopFirst = await other.servers.watch(({ key }) => nothing.push(key));
      expect(nothing).toEqual([]);
      stopFirst(); // a second watch would get the state of this one
      // Entries, the last of which are removed again.
      for (let i = 0; i < 30; i += 1) await servers.create(`s${i}`, { name: `s${i}` } as never);
      for (let i = 20; i < 30; i += 1) await servers.remove(`s${i}`, (await servers.get(`s${i}`))!.revision);
      const seen: string[] = [];
      const stop = await other.servers.watch(({ key }) => seen.push(key));
      expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => `s${i}`));
      stop();
      await servers.create('later', { name: 'later' } as never);
      // Changes of a table while it is read.
      const key = fresh('busy.');
      let revision = (await claims.create(key, { generation: 0 } as never))!;
      const generations: number[] = [];
      const watching = other.claims.watch((entry) => entry.key === key && generations.push(entry.value!.generation));
      for (let i = 1; i <= 50; i += 1) revision = (await claims.update(key, { generation: i } as never, revision))!;
      await watching;
      await until(() => generations.at(-1) === 50);
      expect(generations).toEqual([...generations].sort((a, b) => a - b));
      expect(seen).not.toContain('later');
    });

    it('continue after a lost connection with all changes in between', async () => {
      const { nodes } = (await open()).directory;
      const { network, cut, heal } = await openCuttable();
      const [changed, removed, again, made] = ['chg', 'rem', 'aga', 'mad'].map(fresh) as [
        string,
        string,
        string,
        string,
      ];
      for (const key of [changed, removed, again]) await nodes.create(key, record('old', -1));
      const states = await mirrored(network.directory.nodes);
      // Continuous changes, also while the watch restarts.
      const busy = fresh('bus');
      const revisions: number[] = [];
      await network.directory.nodes.watch(({ revision }) => revisions.push(revision));
      let isOver = false;
      const writing = keepWriting(nodes, busy, () => isOver);
      for (let round = 0; round < 3; round += 1) {
        const lost = connection(network, false);
        cut();
        await lost;
        await expect(network.directory.nodes.get(changed)).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
        await nodes.update(changed, record('new', round), (await nodes.get(changed))!.revision);
        if (round === 0) await nodes.remove(removed, (await nodes.get(removed))!.revision);
        await nodes.remove(again, (await nodes.get(again))!.revision);
        await nodes.create(again, record('again', round));
        if (round === 1) await nodes.create(made, record('made'));
        const back = connection(network, true);
        heal();
        await back;
        await until(() => states.get(again)?.pid === round && states.get(changed)?.pid === round);
        expect(states.has(removed)).toBe(false);
        if (round > 0) await until(() => states.has(made));
      }
      isOver = true;
      const last = await writing;
      await until(() => revisions.at(-1) === last);
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    });

    it('survive a restart of the server, watches included', async () => {
      const network = await open();
      const { nodes } = network.directory;
      const key = fresh('restart');
      const revision = (await nodes.create(key, record('before')))!;
      const states = await mirrored(nodes);
      const back = connection(network, true);
      await under.restart();
      await back;
      expect(await nodes.get(key)).toEqual({ key, value: record('before'), revision });
      expect(await nodes.update(key, record('after'), revision)).toBeGreaterThan(revision);
      await until(() => states.get(key)?.name === 'after');
      const last = await nodes.get(key);
      expect(await nodes.remove(key, last!.revision)).toBe(true);
      await until(() => !states.has(key));
    });
  });

  describe(`${name}: messages`, () => {
    it('arrive in order, once, and return to their sender if there is no subscriber', async () => {
      const [a, b] = [await open(), await open()];
      const got: string[] = [];
      const subscription = a.subscribe('in.order', ({ data, reply }) => got.push(`${data.length}${reply ?? ''}`));
      const back: [string, boolean][] = [];
      b.subscribe('back.*', ({ subject, isUndeliverable }) => back.push([subject, isUndeliverable]));
      await a.flush();
      for (let i = 0; i < 200; i += 1) b.publish('in.order', new Uint8Array(i), i % 2 ? `back.${i}` : undefined);
      await b.flush();
      await a.flush();
      expect(got).toEqual(Array.from({ length: 200 }, (_, i) => `${i}${i % 2 ? `back.${i}` : ''}`));
      await subscription.end();
      await subscription.end();
      b.publish('in.order', '', 'back.none');
      b.publish('in.order', 'without reply');
      await b.flush();
      expect(back).toEqual([['back.none', true]]);
      expect(got).toHaveLength(200);
    });

    it('are delivered before a subscription has ended', async () => {
      const [a, b] = [await open(), await open()];
      let count = 0;
      const subscription = a.subscribe('ended', () => (count += 1));
      await a.flush();
      for (let i = 0; i < 1000; i += 1) b.publish('ended', 'x');
      await b.flush();
      await subscription.end();
      expect(count).toBe(1000);
    });

    it('above the limit are refused, and the connection stays usable', async () => {
      const network = await open();
      expect(() => network.publish('long', new Uint8Array(network.maxBytes + 1))).toThrowError(
        expect.objectContaining({ code: 'PAYLOAD_TOO_LONG' }),
      );
      await expect(
        network.directory.nodes.create(fresh('long'), record('x'.repeat(network.maxBytes))),
      ).rejects.toMatchObject({
        code: 'PAYLOAD_TOO_LONG',
      });
      let length = 0;
      network.subscribe('long', ({ data }) => (length = data.length));
      network.publish('long', new Uint8Array(network.maxBytes));
      await network.flush();
      expect(length).toBe(network.maxBytes);
    });

    it('are held back while many are unsent, and all arrive', async () => {
      const [a, b] = [await open(), await open()];
      let bytes = 0;
      b.subscribe('much', ({ data }) => (bytes += data.length));
      await b.flush();
      const chunk = new Uint8Array(500_000);
      let waits = 0;
      for (let i = 0; i < 80; i += 1) {
        const wait = a.publish('much', chunk);
        waits += wait ? 1 : 0;
        await wait;
      }
      await a.flush();
      await b.flush();
      expect(waits).toBeGreaterThan(0);
      expect(bytes).toBe(80 * chunk.length);
    });

    it('as requests are answered, fail without a subscriber, or time out', async () => {
      const [a, b] = [await open(), await open()];
      b.subscribe('ask', ({ data, reply }) => b.publish(reply!, data));
      b.subscribe('silent', () => undefined);
      await b.flush();
      expect(await a.request('ask', { x: 'ä' }, 5000)).toEqual({ x: 'ä' });
      await expect(a.request('none', {}, 5000)).rejects.toMatchObject({ code: 'NOT_SENT' });
      await expect(a.request('silent', {}, 20)).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    });

    it('are dropped while the connection is lost, and requests fail', async () => {
      const other = await open();
      const { network, cut, heal } = await openCuttable();
      const got: string[] = [];
      other.subscribe('lost', ({ data }) => got.push(Buffer.from(data).toString()));
      network.subscribe('there', ({ data }) => got.push(Buffer.from(data).toString()));
      await Promise.all([other.flush(), network.flush()]);
      const lost = connection(network, false);
      cut();
      await lost;
      expect(network.isConnected).toBe(false);
      expect(network.maxBytes).toBeGreaterThan(0);
      network.publish('lost', 'while it was cut');
      await expect(network.request('lost', {}, 5000)).rejects.toMatchObject({ code: 'NOT_SENT' });
      await expect(network.flush()).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
      const back = connection(network, true);
      heal();
      await back;
      network.publish('lost', 'after');
      other.publish('there', 'subscriptions are back');
      await Promise.all([network.flush(), other.flush()]);
      await until(() => got.length === 2);
      expect(got.sort()).toEqual(['after', 'subscriptions are back']);
    });

    it('are delivered after a listener has thrown, which is reported', async () => {
      const network = await open();
      const said: string[] = [];
      network.onConnection = (_, text) => said.push(text);
      let count = 0;
      network.subscribe('throws', () => {
        count += 1;
        throw new Error('of the listener');
      });
      network.publish('throws', '1');
      network.publish('throws', '2');
      await network.flush();
      expect(count).toBe(2);
      expect(said[0]).toContain('of the listener');
    });

    it('end when the network is closed, even without a connection', async () => {
      const { network, cut } = await under.openCuttable();
      const lost = connection(network, false);
      cut();
      await lost;
      await network.close();
      await network.close();
      expect(network.isConnected).toBe(false);
    });
  });
}

/** Entries of a table, as its watch reports them. */
async function mirrored(table: Table<NodeRecord>): Promise<Map<string, NodeRecord>> {
  const states = new Map<string, NodeRecord>();
  await table.watch(({ key, value }) => {
    if (value) states.set(key, value);
    else states.delete(key);
  });
  return states;
}

/** Writes until `isOver`. Resolves to the last revision. */
async function keepWriting(table: Table<NodeRecord>, key: string, isOver: () => boolean): Promise<number> {
  let revision = (await table.create(key, record('busy')))!;
  while (!isOver()) revision = (await table.update(key, record('busy'), revision))!;
  return revision;
}

function connection(network: ClusterNetwork, isConnected: boolean): Promise<void> {
  return new Promise((resolve) => {
    network.onConnection = (state) => {
      if (state === isConnected) resolve();
    };
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => setTimeout(resolve, 5));
}
