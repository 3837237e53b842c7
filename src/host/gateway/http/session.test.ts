import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { newClient } from '../../../mcp/service.ts';
import { Limits } from '../limits.ts';
import { KeptEvents } from './event-log.ts';
import { WebExchange } from './exchange.ts';
import { HttpSession } from './session.ts';

function sessionOf(kept: KeptEvents, principal: string) {
  const account = new Limits().of({ name: principal });
  const options = { maxKeptChars: 1000, oneStream: false, kept, account };
  const session = new HttpSession('id', newClient(principal), 0, options);
  const full: boolean[] = [];
  session.onfull = (isFull) => full.push(isFull);
  const notify = (chars: number) =>
    session.send({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(chars) } });
  return { session, full, notify };
}

describe('a session whose client opens no stream', () => {
  it('is full at the limit of a session, and rejects further messages', async () => {
    const kept = new KeptEvents(1_000_000);
    const { session, full, notify } = sessionOf(kept, 'ada');
    await notify(300);
    await notify(300);
    await expect(notify(300)).rejects.toMatchObject({ code: 'NOT_SENT' });
    expect(full).toEqual([true]);
    await session.close();
    expect(full).toEqual([true, false]);
    expect(kept.unsentChars).toBe(0);
  });

  it('rejects a single message above the limit', async () => {
    const kept = new KeptEvents(1_000_000);
    const { session, full, notify } = sessionOf(kept, 'ada');
    await expect(notify(1000)).rejects.toMatchObject({ code: 'NOT_SENT' });
    expect(full).toEqual([true]);
    expect(kept.unsentChars).toBe(0);
    await session.close();
  });

  it('is full at the limit of its principal, while sessions of others are not', async () => {
    const kept = new KeptEvents(8000);
    const [one, other, ofOther] = [sessionOf(kept, 'ada'), sessionOf(kept, 'ada'), sessionOf(kept, 'grace')];
    await one.notify(600);
    await expect(other.notify(600)).rejects.toMatchObject({ code: 'NOT_SENT' });
    await ofOther.notify(600);
    expect([one.full, other.full, ofOther.full]).toEqual([[], [true], []]);
    for (const { session } of [one, other, ofOther]) await session.close();
    expect(kept.unsentChars).toBe(0);
  });
});

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

describe('a session whose client lost its connections', () => {
  it('keeps the answers, but neither the requests nor their connections', async () => {
    const { session } = sessionOf(new KeptEvents(1_000_000), 'ada');
    const held: WeakRef<object>[] = [];
    const lose = (id: number) => {
      const connection = new AbortController();
      const exchange = new WebExchange(new Request('http://localhost/', { method: 'POST', signal: connection.signal }));
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow' } } as const;
      held.push(new WeakRef(message.params), new WeakRef(exchange));
      session.request(message, exchange, 100);
      connection.abort();
    };
    for (let id = 1; id <= 5; id++) lose(id);
    for (let id = 1; id <= 5; id++) await session.send({ jsonrpc: '2.0', id, result: {} });
    await new Promise(setImmediate);
    collect();
    expect(held.filter((each) => each.deref() !== undefined)).toEqual([]);
    const resumed = new WebExchange(new Request('http://localhost/'));
    expect(session.resume('5-0', resumed)).toBeUndefined();
    expect(await (await resumed.response).text()).toContain('"id":5');
    await session.close();
  });
});
