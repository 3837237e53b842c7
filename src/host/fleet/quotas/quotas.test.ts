import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { Quotas } from '../../gateway/access/auth.ts';
import { Admission, type Counts, Limits } from '../../gateway/limits.ts';
import { GatewayShare, type ShareAsk } from './gateway-share.ts';
import { noCounts, QuotaHome, readAsk } from './quota-home.ts';

const LIFETIME_MS = 5000;

/** Gateways of a fleet whose home node can be switched off. */
function fleet(count: number, quotas: Quotas) {
  const clock = new ManualClock();
  const home = new QuotaHome(LIFETIME_MS, clock);
  const state = { isThere: true, asks: 0, answers: undefined as Promise<void> | undefined };
  const gateways = Array.from({ length: count }, (_, index) => {
    const shares: GatewayShare[] = [];
    const context = {
      clock,
      trustedMs: 0.6 * LIFETIME_MS,
      rank: () => ({ index, count }),
      async ask({ principal, quotas }: GatewayShare, asked: ShareAsk) {
        state.asks += 1;
        if (!state.isThere) throw new Error('gone');
        const grant = home.ask({ principal, quotas, gateway: `g${index}`, ...asked });
        await state.answers;
        return grant;
      },
    };
    const shared = (principal: string, own: Quotas, counts: Readonly<Counts>) => {
      shares.push(new GatewayShare(principal, own, counts, context));
      return shares.at(-1)!;
    };
    const limits = new Limits({ quotas, shared }, clock);
    return {
      limits,
      admit: async () => limits.admit({ name: 'p' }, 'inFlight'),
      tick: () => Promise.all(shares.map((share) => share.tick())),
    };
  });
  /** Advances the clock and ticks the gateways. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await Promise.all(gateways.map((gateway) => gateway.tick()));
    }
  };
  return { gateways, pass, home, state };
}

const admitted = (admissions: unknown[]) => admissions.filter((admission) => admission instanceof Admission);
const release = (admissions: unknown[]) => {
  for (const admission of admissions) if (admission instanceof Admission) admission.release();
};

/** `counts` are slots; `requests` is the rate. */
const askOf = (
  gateway: string,
  quotas: Quotas,
  asked: { [name in 'used' | 'had' | 'wanted' | 'requests']?: number },
) => {
  const { used = 0, had = used, wanted = had, requests = 0 } = asked;
  const counts = (inFlight: number) => ({ ...noCounts(), inFlight });
  return { principal: 'p', quotas, gateway, used: counts(used), had: counts(had), wanted: counts(wanted), requests };
};

describe('quotas of several gateways', () => {
  it('are one quota: all of it at one gateway, or divided', async () => {
    const { gateways, pass } = fleet(3, { inFlight: 10 });
    const [a, b, c] = gateways as [(typeof gateways)[0], (typeof gateways)[0], (typeof gateways)[0]];
    const first = await Promise.all(Array.from({ length: 12 }, () => a.admit()));
    expect(admitted(first)).toHaveLength(10);
    expect(first.find((each) => !(each instanceof Admission))).toMatchObject({
      status: 429,
      limit: 'inFlight',
      value: 10,
    });
    expect(admitted(await Promise.all([b.admit(), c.admit()]))).toHaveLength(0);
    release(first.slice(0, 6));
    await pass(1000);
    const second = await Promise.all(Array.from({ length: 4 }, () => [b.admit(), c.admit()]).flat());
    expect(admitted(second)).toHaveLength(6);
  });

  it('allow a principal with one slot to use any gateway, one at a time', async () => {
    const { gateways, pass } = fleet(2, { inFlight: 1 });
    for (const gateway of [gateways[0]!, gateways[1]!, gateways[0]!]) {
      const admission = await gateway.admit();
      expect(admission).toBeInstanceOf(Admission);
      for (const other of gateways) expect(await other.admit()).toMatchObject({ status: 429 });
      release([admission]);
      await pass(1500);
    }
  });

  it('are never exceeded in total, and are restored after use', async () => {
    const step = fc.record({ gateway: fc.nat(2), what: fc.constantFrom('admit', 'release', 'pass') });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 7 }), fc.array(step, { maxLength: 60 }), async (quota, steps) => {
        const { gateways, pass, home } = fleet(3, { inFlight: quota, requestsPerMinute: 100_000 });
        const held: Admission[][] = [[], [], []];
        for (const { gateway, what } of steps) {
          if (what === 'pass') await pass(500);
          else if (what === 'release') held[gateway]!.shift()?.release();
          else {
            const admission = await gateways[gateway]!.admit();
            if (admission instanceof Admission) held[gateway]!.push(admission);
          }
          expect(held.flat().length).toBeLessThanOrEqual(quota);
        }
        release(held.flat());
        await pass(3000);
        for (const { limits } of gateways) limits.sweep();
        home.sweep();
        expect([home.size, ...gateways.map(({ limits }) => limits.principals)]).toEqual([0, 0, 0, 0]);
      }),
      { numRuns: 60 },
    );
  });

  it('count the requests of a minute at all gateways', async () => {
    const { gateways, pass } = fleet(2, { requestsPerMinute: 60 });
    const burst = async () => {
      const admissions = await Promise.all(
        Array.from({ length: 50 }, () => gateways.map((gateway) => gateway.admit())).flat(),
      );
      release(admissions);
      return admitted(admissions).length;
    };
    expect(await burst()).toBe(60);
    expect(await burst()).toBe(0);
    await pass(10_000);
    const later = await burst();
    expect(later).toBeLessThanOrEqual(10);
    expect(later).toBeGreaterThan(7);
  });

  it('are divided fairly during an outage of the home node, after earlier shares have expired', async () => {
    const { gateways, pass, state } = fleet(3, { inFlight: 8, requestsPerMinute: 600 });
    const [a, b, c] = gateways as [(typeof gateways)[0], (typeof gateways)[0], (typeof gateways)[0]];
    const first = await Promise.all(Array.from({ length: 8 }, () => a.admit()));
    expect(admitted(first)).toHaveLength(8);
    state.isThere = false;
    const inAll = async () => admitted(await Promise.all([b.admit(), c.admit()])).length;
    expect(await inAll()).toBe(0);
    release(first);
    await pass(7000);
    release(await Promise.all([a, b, c].map((gateway) => gateway.admit()))); // the gateways detect the outage
    await pass(4000);
    const alone = await Promise.all([a, b, c].map((g) => Promise.all(Array.from({ length: 5 }, () => g.admit()))));
    expect(admitted(alone.flat()).length).toBe(8);
    expect(alone.every((each) => admitted(each).length >= 2)).toBe(true);
    release(alone.flat());
    state.isThere = true;
    await pass(1000);
    const again = await Promise.all(Array.from({ length: 8 }, () => c.admit()));
    expect(admitted(again)).toHaveLength(8);
  });

  it('the shares of a lost gateway are restored after the lifetime of its lease', async () => {
    const { gateways, pass, home } = fleet(2, { inFlight: 4 });
    home.ask(askOf('dead', { inFlight: 4 }, { wanted: 4 }));
    expect(await gateways[0]!.admit()).toMatchObject({ status: 429 });
    await pass(LIFETIME_MS + 500);
    expect(admitted(await Promise.all(Array.from({ length: 5 }, () => gateways[0]!.admit())))).toHaveLength(4);
  });

  it('are not used while they are being returned', async () => {
    const { gateways, pass, state } = fleet(2, { inFlight: 10 });
    const [a, b] = gateways as [(typeof gateways)[0], (typeof gateways)[0]];
    const first = await Promise.all(Array.from({ length: 10 }, () => a.admit()));
    await pass(500);
    release(first.slice(3));
    await pass(500);
    // The answer to the request that returns seven slots is in transit.
    let arrive!: () => void;
    state.answers = new Promise((resolve) => {
      arrive = resolve;
    });
    const passing = pass(500);
    const more = Promise.all(Array.from({ length: 7 }, () => a.admit()));
    const others = Promise.all(Array.from({ length: 7 }, () => b.admit()));
    arrive();
    await passing;
    expect(3 + admitted([...(await more), ...(await others)]).length).toBe(10);
  });

  it('request the home node rarely for a client that floods', async () => {
    const { gateways, pass, state } = fleet(2, { inFlight: 2, requestsPerMinute: 6 });
    const [a] = gateways as [(typeof gateways)[0]];
    const flood = async () => {
      for (let sent = 0; sent < 300; sent += 1) await a.admit();
    };
    await flood();
    const { asks } = state;
    expect(asks).toBeLessThan(20);
    await flood();
    expect(state.asks).toBe(asks);
    await pass(500);
    await flood();
    expect(state.asks).toBeLessThan(asks + 5);
  });

  it('are confirmed, but not raised, by a home node that does not know the shares of others yet', () => {
    const clock = new ManualClock();
    const home = new QuotaHome(LIFETIME_MS, clock);
    const ask = (gateway: string, counts: { used?: number; had?: number; wanted?: number }) =>
      home.ask(askOf(gateway, { inFlight: 10 }, counts)).held.inFlight;
    home.learn(2500);
    expect(ask('b', { wanted: 5 })).toBe(0);
    expect(ask('a', { used: 4, had: 6, wanted: 8 })).toBe(6);
    clock.advance(2500);
    expect(ask('b', { wanted: 5 })).toBe(4);
    // Slots in use count, even above the grant.
    expect(ask('c', { used: 3 })).toBe(0);
    expect(ask('a', { used: 4, had: 6 })).toBe(3);
    home.learn(clock.nowMs() + 2500);
    expect([ask('d', { wanted: 1 }), ask('b', { used: 2, wanted: 9 })]).toEqual([0, 2]);
  });

  it('different quotas of gateways do not restart a rate', () => {
    const clock = new ManualClock();
    const home = new QuotaHome(LIFETIME_MS, clock);
    let given = 0;
    for (let n = 0; n < 20; n += 1) {
      const requestsPerMinute = n % 2 ? 60 : 50;
      given += home.ask(askOf(`g${n % 2}`, { requestsPerMinute }, { requests: 50 })).requests;
    }
    expect(given).toBe(50);
  });

  it('take back from a gateway at most as many requests as it was granted', () => {
    const home = new QuotaHome(LIFETIME_MS, new ManualClock());
    const ask = (gateway: string, requests: number) =>
      home.ask(askOf(gateway, { requestsPerMinute: 60 }, { requests })).requests;
    expect([ask('a', 50), ask('b', 10)]).toEqual([50, 10]);
    ask('evil', -1e9);
    ask('b', -1e9);
    ask('b', -1e9);
    expect([ask('a', 60), ask('a', 1)]).toEqual([10, 0]);
    ask('a', -20);
    expect(ask('c', 60)).toBe(20);
  });

  it('tolerate any request of another node', async () => {
    const clock = new ManualClock();
    const home = new QuotaHome(LIFETIME_MS, clock);
    for (const ask of [{}, { principal: 'p' }, { principal: 'p', gateway: 'a.*', quotas: {} }]) {
      expect(() => readAsk(ask)).toThrow('A request for quotas needs');
    }
    const odd = ['x', -1, 1.5, null, {}, [], Number.POSITIVE_INFINITY, Number.NaN];
    for (const value of odd) {
      const counts = { inFlight: value, __proto__: value };
      const ask = { principal: 'p', gateway: 'odd', quotas: { inFlight: value, requestsPerMinute: value } };
      home.ask(readAsk({ ...ask, used: value, had: counts, wanted: counts, requests: value }));
    }
    expect(home.ask(askOf('a', { inFlight: 4 }, { wanted: 9 })).held.inFlight).toBe(4);
    for (const grant of [...odd, ...odd.map((each) => ({ held: { inFlight: each }, requests: each, waitMs: each }))]) {
      const context = { clock, trustedMs: 3000, rank: () => ({ index: 0, count: 1 }), ask: async () => grant as never };
      const shared = (principal: string, own: Quotas, counts: Readonly<Counts>) =>
        new GatewayShare(principal, own, counts, context);
      const limits = new Limits({ quotas: { inFlight: 2, requestsPerMinute: 3 }, shared }, clock);
      const admissions = [];
      for (let n = 0; n < 5; n += 1) admissions.push(await limits.admit({ name: 'p' }, 'inFlight'));
      expect(admitted(admissions)).toHaveLength(0);
    }
  });

  it('use no memory for principals without quotas', async () => {
    const { gateways, state } = fleet(2, {});
    const limits = new Limits({ shared: () => expect.unreachable() });
    expect(limits.admit({ name: 'free' }, 'inFlight')).toBeInstanceOf(Admission);
    expect(await gateways[0]!.admit()).toBeInstanceOf(Admission);
    expect(state.asks).toBe(0);
  });
});
