import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InFlight } from './in-flight.ts';

it('behaves like a Map for any additions and removals', () => {
  const id = fc.oneof(fc.nat(40), fc.nat(40).map(String));
  const step = fc.record({ id, adds: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1500, maxLength: 3000, size: 'max' }), (steps) => {
      const table = new InFlight<number | string, number>();
      const map = new Map<number | string, number>();
      for (const [at, each] of steps.entries()) {
        if (each.adds) {
          table.add(each.id, at);
          map.set(each.id, at);
        } else {
          expect(table.take(each.id)).toBe(map.get(each.id));
          map.delete(each.id);
        }
        expect([table.size, table.get(each.id)]).toEqual([map.size, map.get(each.id)]);
      }
      expect([...table.values()]).toEqual([...map.values()]);
      expect(table.takeAll()).toEqual([...map.values()]);
      expect(table.size).toBe(0);
    }),
    { numRuns: 10 },
  );
});

it('keeps thousands of entries in the order of insertion', () => {
  const table = new InFlight<number, number>();
  for (let id = 0; id < 10_000; id++) table.add(id, id);
  for (let id = 0; id < 10_000; id += 2) table.delete(id);
  expect([...table.values()]).toEqual(Array.from({ length: 5000 }, (_, at) => 2 * at + 1));
});
