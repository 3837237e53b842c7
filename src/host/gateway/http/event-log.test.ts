import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventLog, KeptEvents } from './event-log.ts';

const principals = ['ada', 'grace', undefined];

describe('the events of sessions', () => {
  it('stay within the limits of all sessions and of each principal, and a replay is complete', () => {
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
            log = kept.open(principals[each.log % 3], 400);
            logs[each.log] = log;
          }
          const key = `${each.log}-${each.stream}`;
          if (each.act === 'add') {
            const data = 'x'.repeat(each.chars);
            log.add(each.stream, data);
            if (each.chars === 0) log.addUnsent('x'.repeat(10));
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
          const charsOf = (open: (EventLog | undefined)[]) => open.reduce((sum, one) => sum + (one?.chars ?? 0), 0);
          expect(kept.chars).toBe(charsOf(logs));
          expect(charsOf([logs[0], logs[3]])).toBeLessThanOrEqual(300);
          expect(kept.unsentChars).toBeLessThanOrEqual(150);
        }
        for (const [key, all] of streams) {
          const [log, stream] = key.split('-').map(Number) as [number, number];
          const missed = logs[log]!.after(`${stream}-1`);
          if (missed) expect(missed.events.map(({ data }) => data)).toEqual(all.slice(1));
        }
        for (const log of logs) log?.close();
        expect(kept).toMatchObject({ chars: 0, unsentChars: 0 });
      }),
    );
  });

  it('are dropped from the longest log of the principal with the most events', () => {
    const kept = new KeptEvents(2000);
    const short = kept.open('ada', 1000);
    short.add(1, '');
    short.add(1, 'x');
    const long = kept.open('ada', 1000);
    for (let count = 0; count < 9; count++) long.add(1, 'x');
    expect(short.after('1-1')?.events).toHaveLength(1);
    expect(long.after('1-1')).toBeUndefined();
    expect(long.after('1-8')?.events).toHaveLength(1);
  });

  it('the events of one principal do not displace events of another, however many sessions it has', () => {
    const kept = new KeptEvents(100_000);
    const ada = kept.open('ada', 50_000);
    ada.add(1, '');
    ada.add(1, 'x'.repeat(40_000));
    const others = Array.from({ length: 500 }, () => kept.open('mallory', 50_000));
    for (const log of others) log.add(1, 'x'.repeat(1000));
    expect(ada.after('1-1')?.events).toHaveLength(1);
    expect(kept.chars - ada.chars).toBeLessThanOrEqual(50_000);
  });

  it('are not displaced by unsent messages, which are limited for each principal and in total', () => {
    const kept = new KeptEvents(100_000);
    const ada = kept.open('ada', 50_000);
    ada.add(1, '');
    ada.add(1, 'x'.repeat(40_000));
    const fill = (principal: string) => {
      const logs = Array.from({ length: 100 }, () => kept.open(principal, 50_000));
      return logs.filter((log) => log.addUnsent('x'.repeat(1000))).length;
    };
    expect(fill('mallory')).toBe(11);
    expect(ada.addUnsent('x'.repeat(1000))).toBe(true);
    expect(fill('mallet')).toBe(10);
    expect(kept.unsentChars).toBeLessThanOrEqual(25_000);
    expect(ada.after('1-1')?.events).toHaveLength(1);
  });

  it('are dropped in time proportional to their number', () => {
    const log = new KeptEvents(Number.POSITIVE_INFINITY).open(undefined, Number.POSITIVE_INFINITY);
    for (const stream of [1, 2, 1, 2]) for (let count = 0; count < 100_000; count++) log.add(stream, '');
    log.forget(1);
    expect(log.after('1-0')).toBeUndefined();
    expect(log.after('2-0')?.events).toHaveLength(200_000);
    log.forget(2);
    expect(log.chars).toBe(0);
  });
});
