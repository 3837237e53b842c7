import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { type Counts, Limits } from '../../doors/limits.ts';
import type { Quotas } from '../../doors/principal.ts';
import { Ticket } from '../../doors/ticket.ts';
import { GatewayShare } from './gateway-share.ts';
import { QuotaHome } from './quota-home.ts';

const LIFETIME_MS = 5000;

/** Gateways of a fleet whose home answers, or does not. */
function fleet(count: number, quotas: Quotas) {
  const clock = new ManualClock();
  const home = new QuotaHome(LIFETIME_MS, clock);
  const state = { isThere: true, asks: 0 };
  const gateways = Array.from({ length: count }, (_, index) => {
    const shares: GatewayShare[] = [];
    const context = {
      clock,
      trustedMs: 0.6 * LIFETIME_MS,
      rank: () => ({ index, count }),
      async ask({ principal, quotas }: GatewayShare, wanted: Counts, requests: number) {
        state.asks += 1;
        if (!state.isThere) throw new Error('gone');
        return home.ask({ principal, quotas, gateway: `g${index}`, wanted, requests });
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
  /** Time passes as the gateways see it. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await Promise.all(gateways.map((gateway) => gateway.tick()));
    }
  };
  return { gateways, pass, home, state };
}

const admitted = (tickets: unknown[]) => tickets.filter((ticket) => ticket instanceof Ticket);
const release = (tickets: unknown[]) => {
  for (const ticket of tickets) if (ticket instanceof Ticket) ticket.release();
};

describe('quotas of several gateways', () => {
  it('are one quota: all of it at one gateway, or divided', async () => {
    const { gateways, pass } = fleet(3, { inFlight: 10 });
    const [a, b, c] = gateways as [(typeof gateways)[0], (typeof gateways)[0], (typeof gateways)[0]];
    const first = await Promise.all(Array.from({ length: 12 }, () => a.admit()));
    expect(admitted(first)).toHaveLength(10);
    expect(first.find((each) => !(each instanceof Ticket))).toMatchObject({
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

  it('let a principal with one place use any gateway, one at a time', async () => {
    const { gateways, pass } = fleet(2, { inFlight: 1 });
    for (const gateway of [gateways[0]!, gateways[1]!, gateways[0]!]) {
      const ticket = await gateway.admit();
      expect(ticket).toBeInstanceOf(Ticket);
      for (const other of gateways) expect(await other.admit()).toMatchObject({ status: 429 });
      release([ticket]);
      await pass(1500);
    }
  });

  it('are never more in all than the quota, whatever clients do, and come back', async () => {
    const step = fc.record({ gateway: fc.nat(2), what: fc.constantFrom('admit', 'release', 'pass') });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 7 }), fc.array(step, { maxLength: 60 }), async (quota, steps) => {
        const { gateways, pass, home } = fleet(3, { inFlight: quota, requestsPerMinute: 100_000 });
        const held: Ticket[][] = [[], [], []];
        for (const { gateway, what } of steps) {
          if (what === 'pass') await pass(500);
          else if (what === 'release') held[gateway]!.shift()?.release();
          else {
            const ticket = await gateways[gateway]!.admit();
            if (ticket instanceof Ticket) held[gateway]!.push(ticket);
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

  it('count requests of a minute together', async () => {
    const { gateways, pass } = fleet(2, { requestsPerMinute: 60 });
    const burst = async () => {
      const tickets = await Promise.all(
        Array.from({ length: 50 }, () => gateways.map((gateway) => gateway.admit())).flat(),
      );
      release(tickets);
      return admitted(tickets).length;
    };
    expect(await burst()).toBe(60);
    expect(await burst()).toBe(0);
    await pass(10_000);
    const later = await burst();
    expect(later).toBeLessThanOrEqual(10);
    expect(later).toBeGreaterThan(7);
  });

  it('are divided fairly while the home does not answer, after what was given out has ended', async () => {
    const { gateways, pass, state } = fleet(3, { inFlight: 8, requestsPerMinute: 600 });
    const [a, b, c] = gateways as [(typeof gateways)[0], (typeof gateways)[0], (typeof gateways)[0]];
    const first = await Promise.all(Array.from({ length: 8 }, () => a.admit()));
    expect(admitted(first)).toHaveLength(8);
    state.isThere = false;
    const inAll = async () => admitted(await Promise.all([b.admit(), c.admit()])).length;
    expect(await inAll()).toBe(0);
    release(first);
    await pass(7000);
    release(await Promise.all([a, b, c].map((gateway) => gateway.admit()))); // they find out that the home is gone
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

  it('of a gateway that is gone come back after the lifetime of its lease', async () => {
    const { gateways, pass, home } = fleet(2, { inFlight: 4 });
    const wanted = { sessions: 0, streams: 0, inFlight: 4, waitingBytes: 0 };
    home.ask({ principal: 'p', quotas: { inFlight: 4 }, gateway: 'dead', wanted, requests: 0 });
    expect(await gateways[0]!.admit()).toMatchObject({ status: 429 });
    await pass(LIFETIME_MS + 500);
    expect(admitted(await Promise.all(Array.from({ length: 5 }, () => gateways[0]!.admit())))).toHaveLength(4);
  });

  it('cost nothing for principals without quotas', async () => {
    const { gateways, state } = fleet(2, {});
    const limits = new Limits({ shared: () => expect.unreachable() });
    expect(limits.admit({ name: 'free' }, 'inFlight')).toBeInstanceOf(Ticket);
    expect(await gateways[0]!.admit()).toBeInstanceOf(Ticket);
    expect(state.asks).toBe(0);
  });
});
