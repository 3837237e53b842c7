// Traffic and recordings crafted to use too much memory or CPU.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlowDirection, FlowEvent } from '../flow/event.ts';
import type { Exchange } from './exchange.ts';
import { Exchanges, ExchangesBySeq } from './exchanges.ts';

/** An event as read from a recording, which may have any sequence numbers and server names. */
function frame(seq: number, server: string, direction: FlowDirection, message: unknown): FlowEvent {
  const payload = new TextEncoder().encode(JSON.stringify(message));
  return { kind: 'frame', seq, atMs: seq, server, life: 1, direction, payload, length: payload.length };
}

const request = (id: unknown, method = 'm', params?: object) => ({ jsonrpc: '2.0', id, method, params });
const answer = (id: unknown) => ({ jsonrpc: '2.0', id, result: {} });

describe('exchanges of a hostile stream', () => {
  it('are limited in bytes: long methods, ids, tools and errors remove the oldest', () => {
    const exchanges = new Exchanges({ maxBytes: 1_000_000 });
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < 100; i++) {
      exchanges.see(frame(4 * i + 1, 'a', 'toServer', request(i, long)));
      exchanges.see(frame(4 * i + 2, 'a', 'toServer', request(`${i}${long}`)));
      exchanges.see(frame(4 * i + 3, 'a', 'toServer', request(`t${i}`, 'tools/call', { name: long })));
      exchanges.see(frame(4 * i + 4, 'a', 'fromServer', { jsonrpc: '2.0', id: i, error: { code: 1, message: long } }));
      expect(exchanges.heldBytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(exchanges.size).toBeGreaterThan(5);
    expect(exchanges.size + exchanges.forgotten).toBe(300);
  });

  it('are kept for servers with pending requests, however many names there are', () => {
    const exchanges = new Exchanges({ maxExchanges: 100 });
    exchanges.see(frame(1, 'waits', 'toServer', request('first')));
    for (let i = 0; i < 50; i++) exchanges.see(frame(i + 2, 'waits', 'toServer', request(i)));
    for (let i = 0; i < 20_000; i++) {
      exchanges.see(frame(2 * i + 100, `name ${i}`, 'fromServer', answer(1)));
      exchanges.see({
        kind: 'exit',
        seq: 2 * i + 101,
        atMs: 0,
        server: `other ${i}`,
        life: 1,
        exitCode: 0,
        signal: null,
      });
    }
    expect(exchanges.lives).toBe(1);
    exchanges.see(frame(90_000, 'waits', 'fromServer', answer(49)));
    expect([...exchanges.all()].at(-1)).toMatchObject({ outcome: 'ok' });
    for (let i = 0; i < 20_000; i++) exchanges.see(frame(i + 100_000, `name ${i}`, 'toServer', request(1)));
    expect(exchanges.lives).toBeLessThanOrEqual(400);
    expect(exchanges.size).toBe(100);
  });

  it('are removed one by one in constant time, even if 200,000 of them share a number', () => {
    const bySeq = new ExchangesBySeq();
    const all = Array.from({ length: 200_000 }, (_, id) => ({ id }) as Exchange);
    for (const each of all) bySeq.link(7, each);
    expect(bySeq.get(7)).toHaveLength(200_000);
    for (const each of all) bySeq.unlink(7, each); // a linear search per exchange would take minutes
    expect(bySeq.get(7)).toEqual([]);
  });

  it('agree with a naive implementation for every sequence number', () => {
    const message = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), id: fc.nat(5), many: fc.nat(3) }),
      fc.record({ kind: fc.constantFrom('answer' as const, 'cancel' as const, 'progress' as const), id: fc.nat(5) }),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (messages, maxExchanges) => {
        const exchanges = new Exchanges({ maxExchanges });
        for (const [at, each] of messages.entries()) exchanges.see(toEvent(at + 1, each));
        const all = [...exchanges.all()];
        expect(all.length).toBeLessThanOrEqual(maxExchanges);
        for (let seq = 1; seq <= messages.length; seq++) {
          const belongs = ({ requestSeq, answerSeq, cancelSeq, lastProgressSeq }: Exchange) =>
            [requestSeq, answerSeq, cancelSeq, lastProgressSeq].includes(seq);
          expect(new Set(exchanges.forSeq(seq))).toEqual(new Set(all.filter(belongs)));
        }
      }),
    );
    function toEvent(seq: number, each: { kind: string; id: number; many?: number }): FlowEvent {
      const { kind, id, many = 0 } = each;
      const ask = (n: number) => request(id + n, 'm', { _meta: { progressToken: id + n } });
      if (kind === 'ask')
        return frame(seq, 'a', 'toServer', many === 0 ? ask(0) : Array.from({ length: many }, (_, n) => ask(n)));
      if (kind === 'answer') return frame(seq, 'a', 'fromServer', answer(id));
      const params = kind === 'cancel' ? { requestId: id } : { progressToken: id };
      const method = kind === 'cancel' ? 'notifications/cancelled' : 'notifications/progress';
      return frame(seq, 'a', kind === 'cancel' ? 'toServer' : 'fromServer', { jsonrpc: '2.0', method, params });
    }
  });
});
