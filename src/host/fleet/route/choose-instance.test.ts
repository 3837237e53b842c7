// Selection of the replica for a client.

import { expect, test } from 'vitest';
import { InstanceChooser } from './choose-instance.ts';
import type { RoutedInstance } from './routing-table.ts';

const instance = (slot: number, generation = 1): RoutedInstance => ({
  id: `files_${slot}_${generation}`,
  subject: '',
  server: 'files',
  node: `n${slot}`,
  session: 's',
  run: 'r',
  slot,
  generation,
  inFlight: 0,
});
const client = (id: string, principal?: string) => ({ id, principal, affinity: id });
const clients = Array.from({ length: 1000 }, (_, at) => client(String(at)));
const slotsOf = (chooser: InstanceChooser, instances: readonly RoutedInstance[]) =>
  clients.map((each) => chooser.choose(instances, false, each)!.slot);

test('replicas get about equal shares, and the end of a replica moves only its own clients', () => {
  const chooser = new InstanceChooser('self', 'all');
  const four = [1, 2, 3, 4].map((slot) => instance(slot));
  const before = slotsOf(chooser, four);
  for (const slot of [1, 2, 3, 4]) {
    const share = before.filter((each) => each === slot).length;
    expect(share).toBeGreaterThan(150);
    expect(share).toBeLessThan(350);
  }
  const after = slotsOf(chooser, four.slice(1));
  for (const [at, slot] of before.entries()) if (slot !== 1) expect(after[at]).toBe(slot);
  // When the slot is claimed again, clients that have another replica in the meantime stay there.
  expect(slotsOf(chooser, [instance(1, 2), ...four.slice(1)])).toEqual(after);
});

test('nodes without earlier choices choose equally', () => {
  const three = [1, 2, 3].map((slot) => instance(slot));
  expect(slotsOf(new InstanceChooser('a', 'all'), three)).toEqual(slotsOf(new InstanceChooser('b', 'all'), three));
});

test('clients of one principal use one replica if they share a process', () => {
  const chooser = new InstanceChooser('self', 'principal');
  const three = [1, 2, 3].map((slot) => instance(slot));
  const slots = clients.map(({ id }) => chooser.choose(three, false, client(id, 'ada'))!.slot);
  expect(new Set(slots).size).toBe(1);
});

test('a stateless server is called where the fewest calls are in flight, and among equals on this node or in turn', () => {
  const three = [1, 2, 3].map((slot) => instance(slot));
  const far = new InstanceChooser('self', 'all');
  expect([1, 2, 3, 4].map(() => far.choose(three, true, undefined)!.slot)).toEqual([2, 3, 1, 2]);
  const near = new InstanceChooser('n3', 'all');
  expect([1, 2].map(() => near.choose(three, true, undefined)!.slot)).toEqual([3, 3]);
  expect(near.choose([], true, undefined)).toBeUndefined();
  const shares = new Map<number, number>();
  for (let at = 0; at < 30; at++) {
    const chosen = near.choose(three, true, undefined)!;
    chosen.inFlight++;
    shares.set(chosen.slot, (shares.get(chosen.slot) ?? 0) + 1);
  }
  expect([...shares.values()]).toEqual([10, 10, 10]);
  three[0]!.inFlight = 0;
  expect([1, 2].map(() => near.choose(three, true, undefined)!.slot)).toEqual([1, 1]);
});

test('the number of choices is limited, and the least recently seen client is forgotten', () => {
  const chooser = new InstanceChooser('self', 'all');
  const [one, two] = [
    [instance(1), instance(3)],
    [instance(1), instance(2), instance(3)],
  ];
  const moved = clients.find((each) => new InstanceChooser('x', 'all').choose(two, false, each)!.slot === 2)!;
  const first = chooser.choose(one, false, moved)!.slot;
  expect(chooser.choose(two, false, moved)!.slot).toBe(first);
  for (let at = 0; at < 10_000; at++) chooser.choose(two, false, client(`other ${at}`));
  expect(chooser.choose(two, false, moved)!.slot).toBe(2);
});
