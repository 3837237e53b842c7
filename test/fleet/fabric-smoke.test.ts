import { expect, test } from 'vitest';
import { openFabric } from '../../src/fleet/nats/open-fabric.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';

test('a value changes only for those who know its revision', async () => {
  const nats = await startNatsServer();
  const fabric = await openFabric({ servers: [nats.url], fleet: 'test', name: 'a' });
  const { nodes } = fabric.directory;
  const seen: unknown[] = [];
  await nodes.watch(({ key, value }) => seen.push([key, value?.name]));
  const record = { name: 'a' } as never;
  const first = await nodes.create('a', record);
  expect(first).toBeTypeOf('number');
  expect(await nodes.create('a', record)).toBeUndefined();
  expect(await nodes.update('a', record, first! + 7)).toBeUndefined();
  const second = await nodes.update('a', record, first!);
  expect(await nodes.keys()).toEqual(new Set(['a']));
  expect(await nodes.remove('a', first!)).toBe(false);
  expect(await nodes.remove('a', second!)).toBe(true);
  expect(await nodes.get('a')).toBeUndefined();
  const back: boolean[] = [];
  fabric.subscribe('back', ({ isUndeliverable }) => back.push(isUndeliverable));
  fabric.publish('nothing.there', 'x', 'back');
  await fabric.flush();
  expect(back).toEqual([true]);
  expect(seen.at(-1)).toEqual(['a', undefined]);
  await fabric.close();
});
