import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventLog, KeptEvents } from './event-log.ts';

describe('the events that sessions keep', () => {
  it('stay within the limit of all sessions, and what can be fetched again is whole', () => {
    const step = fc.oneof(
      fc.record({
        act: fc.constant('add' as const),
        log: fc.nat(5),
        stream: fc.nat(2),
        chars: fc.constantFrom(0, 10, 90),
      }),
      fc.record({ act: fc.constantFrom('forget' as const, 'close' as const), log: fc.nat(5), stream: fc.nat(2) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const kept = new KeptEvents(600);
        const logs: (EventLog | undefined)[] = [];
        const streams = new Map<string, string[]>();
        for (const each of steps) {
          let log = logs[each.log];
          if (!log) {
            log = kept.open(300);
            logs[each.log] = log;
          }
          const key = `${each.log}-${each.stream}`;
          if (each.act === 'add') {
            const data = 'x'.repeat(each.chars);
            log.add(each.stream, data);
            streams.set(key, [...(streams.get(key) ?? []), data]);
          } else if (each.act === 'forget') {
            log.forget(each.stream);
            streams.delete(key);
          } else {
            log.close();
            logs[each.log] = undefined;
            for (const stream of [0, 1, 2]) streams.delete(`${each.log}-${stream}`);
          }
          expect(kept.chars).toBeLessThanOrEqual(600);
          expect(kept.chars).toBe(logs.reduce((sum, open) => sum + (open?.chars ?? 0), 0));
        }
        for (const [key, all] of streams) {
          const [log, stream] = key.split('-').map(Number) as [number, number];
          const missed = logs[log]!.after(`${stream}-1`);
          if (missed) expect(missed.events.map(({ data }) => data)).toEqual(all.slice(1));
        }
      }),
    );
  });

  it('go first from the session that keeps most', () => {
    const kept = new KeptEvents(1000);
    const [short, long, last] = [kept.open(1000), kept.open(1000), kept.open(1000)] as const;
    short.add(1, '');
    short.add(1, 'x'.repeat(10));
    for (let count = 0; count < 10; count++) long.add(1, 'x');
    last.add(1, 'x'.repeat(200));
    expect(short.after('1-1')?.events).toHaveLength(1);
    expect(long.after('1-1')).toBeUndefined();
    expect(last.after('1-0')?.events).toHaveLength(1);
  });
});
