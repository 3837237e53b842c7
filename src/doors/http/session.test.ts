import { describe, expect, it } from 'vitest';
import { newClient } from '../../mcp/service.ts';
import { Limits } from '../limits.ts';
import { KeptEvents } from './event-log.ts';
import { HttpSession } from './session.ts';

function sessionOf(kept: KeptEvents) {
  const account = new Limits().of(undefined);
  const session = new HttpSession('id', newClient(), 0, { maxKeptChars: 1000, oneStream: false, kept, account });
  const full: boolean[] = [];
  session.onfull = (isFull) => full.push(isFull);
  const notify = (chars: number) =>
    session.send({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(chars) } });
  return { session, full, notify };
}

describe('a session whose client opens no stream', () => {
  it('is full when it has kept as much as a session may', async () => {
    const kept = new KeptEvents(1_000_000);
    const { session, full, notify } = sessionOf(kept);
    for (let sent = 0; sent < 5; sent++) await notify(300);
    expect(full).toEqual([true]);
    await session.close();
    expect(kept.chars).toBe(0);
  });

  it('is full as soon as all sessions together have kept as much as they may', async () => {
    const kept = new KeptEvents(500);
    const [one, other] = [sessionOf(kept), sessionOf(kept)];
    await one.notify(600);
    expect(one.full).toEqual([true]);
    await other.notify(10);
    expect(other.full).toEqual([true]);
    await one.session.close();
    await other.session.close();
    expect(kept.chars).toBe(0);
  });
});
