import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Admission, Limits } from './limits.ts';

const small = { maxSessions: 3, maxStreams: 3, maxInFlight: 4, maxWaitingBytes: 100 };
const ada = { name: 'ada', quotas: { inFlight: 2, streams: 1, sessions: 1, waitingBytes: 50, requestsPerMinute: 60 } };
const grace = { name: 'grace' };
const zero = { sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 };

type Step =
  | { act: 'admit'; who: typeof ada | typeof grace | undefined; kind: 'inFlight' | 'streams' }
  | { act: 'session'; who: typeof ada | typeof grace | undefined }
  | { act: 'hold' | 'release' | 'stream' | 'close'; at: number }
  | { act: 'body' | 'unread' | 'answered'; at: number; bytes: number }
  | { act: 'wait'; ms: number };

const who = fc.constantFrom(ada, grace, undefined);
const at = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    act: fc.constant('admit' as const),
    who,
    kind: fc.constantFrom('inFlight' as const, 'streams' as const),
  }),
  fc.record({ act: fc.constant('session' as const), who }),
  fc.record({ act: fc.constantFrom('hold' as const, 'release' as const, 'stream' as const, 'close' as const), at }),
  fc.record({
    act: fc.constantFrom('body' as const, 'unread' as const, 'answered' as const),
    at,
    bytes: fc.nat(60),
  }),
  fc.record({ act: fc.constant('wait' as const), ms: fc.nat(5000) }),
);

describe('the limits of a gateway', () => {
  it('are never exceeded by requests that can be refused, and all counts return to 0 however requests end', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const clock = new ManualClock();
        const limits = new Limits(small, clock);
        const open: { admission: Admission; holders: number; isReading: boolean }[] = [];
        const sessions: (() => void)[] = [];
        for (const each of steps) {
          if (each.act === 'wait') clock.advance(each.ms);
          else if (each.act === 'admit') {
            const admission = limits.admit(each.who, each.kind);
            if (admission instanceof Admission) open.push({ admission, holders: 1, isReading: true });
          } else if (each.act === 'session') {
            const account = limits.of(each.who);
            if (!account.take('sessions')) sessions.push(() => account.give('sessions'));
          } else if (each.act === 'close') sessions.splice(each.at % (sessions.length || 1), 1)[0]?.();
          else {
            const held = open[each.at % (open.length || 1)];
            if (!held) continue;
            if (each.act === 'hold' && held.holders > 0) {
              held.admission.hold();
              held.holders++;
            } else if (each.act === 'release') {
              held.admission.release();
              held.holders--;
            } else if (each.act === 'stream' && held.holders > 0) held.admission.becomeStream();
            else if (each.act === 'body' && held.holders > 0 && held.isReading) held.admission.addBody(each.bytes);
            else if (each.act === 'unread') held.admission.setUnread(each.bytes);
            else if (each.act === 'answered') {
              held.admission.answered(each.bytes);
              held.isReading = false;
            }
          }
          expect(limits.counts.sessions).toBeLessThanOrEqual(small.maxSessions);
          expect(limits.counts.streams).toBeLessThanOrEqual(small.maxStreams);
          expect(limits.counts.inFlight).toBeLessThanOrEqual(small.maxInFlight);
          expect(limits.of(ada).counts.inFlight).toBeLessThanOrEqual(2);
          for (const count of Object.values(limits.counts)) expect(count).toBeGreaterThanOrEqual(0);
        }
        for (const { admission, holders } of open) for (let left = holders; left > 0; left--) admission.release();
        for (const close of sessions) close();
        expect(limits.counts).toEqual(zero);
        clock.advance(60_000);
        limits.sweep();
        expect(limits.principals).toBe(0);
      }),
    );
  });

  it('refuse a principal above its quota with 429, and all clients above the limit of the gateway with 503', () => {
    const limits = new Limits(small);
    limits.admit(ada, 'inFlight');
    limits.admit(ada, 'inFlight');
    expect(limits.admit(ada, 'inFlight')).toMatchObject({ status: 429, limit: 'inFlight', value: 2, retryAfterS: 1 });
    limits.admit(undefined, 'inFlight');
    limits.admit(undefined, 'inFlight');
    expect(limits.admit(undefined, 'inFlight')).toMatchObject({ status: 503, limit: 'inFlight', value: 4 });
  });

  it('allow a principal without quotas half of a limit while others are active, and all of it otherwise', () => {
    const limits = new Limits(small);
    const taken = [1, 2, 3, 4].map(() => limits.admit(grace, 'inFlight'));
    expect(taken.every((admission) => admission instanceof Admission)).toBe(true);
    for (const admission of taken) (admission as Admission).release();
    limits.admit(ada, 'inFlight');
    limits.admit(grace, 'inFlight');
    limits.admit(grace, 'inFlight');
    expect(limits.admit(grace, 'inFlight')).toMatchObject({ status: 429, value: 2 });
    expect(new Limits({ ...small, quotas: { inFlight: 0 } }).admit(grace, 'inFlight')).toMatchObject({ status: 429 });
  });

  it('allow a principal half of each limit without a quota, whatever other quotas it has', () => {
    const limits = new Limits({ maxWaitingBytes: 1000, maxInFlight: 10 });
    const eve = { name: 'eve', quotas: { inFlight: 5 } };
    limits.admit(grace, 'inFlight');
    const admission = limits.admit(eve, 'inFlight') as Admission;
    expect(admission.addBody(500)).toBeUndefined();
    expect(admission.addBody(1)).toMatchObject({ status: 429, limit: 'waitingBytes', value: 500 });
    const generous = { name: 'ida', quotas: { waitingBytes: 1000 } };
    admission.release();
    expect((limits.admit(generous, 'inFlight') as Admission).addBody(900)).toBeUndefined();
  });

  it('reserve half of the kept bytes for others, even if a principal is alone', async () => {
    const limits = new Limits({ maxWaitingBytes: 1000 });
    const admission = limits.admit(grace, 'inFlight') as Admission;
    expect(await admission.becomeStream(501)).toMatchObject({ status: 429, limit: 'waitingBytes', value: 500 });
    expect(await (limits.admit(grace, 'inFlight') as Admission).becomeStream(500)).toBeUndefined();
    expect(admission.addBody(500)).toBeUndefined();
  });

  it('reserve half of the sessions and streams for others, even if a principal is alone', async () => {
    const limits = new Limits({ maxSessions: 4, maxStreams: 6 });
    const account = limits.of(grace);
    expect([account.take('sessions'), await account.takeOrAsk('sessions')]).toEqual([undefined, undefined]);
    const beyond = { status: 429, limit: 'sessions', value: 2 };
    expect(account.take('sessions')).toMatchObject(beyond);
    expect(await account.takeOrAsk('sessions')).toMatchObject(beyond);
    for (const _each of [1, 2]) expect(limits.admit(grace, 'streams')).toBeInstanceOf(Admission);
    const listening = limits.admit(grace, 'inFlight') as Admission;
    expect(await listening.becomeStream()).toBeUndefined();
    const full = { status: 429, limit: 'streams', value: 3 };
    expect(limits.admit(grace, 'streams')).toMatchObject(full);
    expect(await (limits.admit(grace, 'inFlight') as Admission).becomeStream()).toMatchObject(full);
    expect(limits.of({ name: 'ida' }).take('sessions')).toBeUndefined();
    const generous = limits.of({ name: 'eve', quotas: { sessions: 4 } });
    expect(generous.take('sessions')).toBeUndefined();
  });

  it('allow clients without a principal all sessions and streams', () => {
    const limits = new Limits({ maxSessions: 2, maxStreams: 2 });
    for (const _each of [1, 2]) {
      expect(limits.of(undefined).take('sessions')).toBeUndefined();
      expect(limits.admit(undefined, 'streams')).toBeInstanceOf(Admission);
    }
    expect(limits.of(undefined).take('sessions')).toMatchObject({ status: 503, limit: 'sessions', value: 2 });
  });

  it('limit the requests per minute of a principal, and name the time of the next one', () => {
    const clock = new ManualClock();
    const limits = new Limits({}, clock);
    const admit = () => {
      const admission = limits.admit({ name: 'x', quotas: { requestsPerMinute: 2 } }, 'inFlight');
      if (admission instanceof Admission) admission.release();
      return admission;
    };
    admit();
    admit();
    expect(admit()).toMatchObject({ status: 429, limit: 'requestsPerMinute', value: 2, retryAfterS: 30 });
    clock.advance(30_000);
    expect(admit()).toBeInstanceOf(Admission);
    expect(admit()).toMatchObject({ status: 429 });
  });
});
