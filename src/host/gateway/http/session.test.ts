import { describe, expect, it } from 'vitest';
import { newClient } from '../../../mcp/service.ts';
import { Limits } from '../limits.ts';
import { KeptEvents } from './kept-events.ts';
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
  it('is full when it has kept as much as a session may, and says what it did not keep', async () => {
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

  it('keeps one message as little as many, if it is too long', async () => {
    const kept = new KeptEvents(1_000_000);
    const { session, full, notify } = sessionOf(kept, 'ada');
    await expect(notify(1000)).rejects.toMatchObject({ code: 'NOT_SENT' });
    expect(full).toEqual([true]);
    expect(kept.unsentChars).toBe(0);
    await session.close();
  });

  it('is full when the sessions of its principal have kept as much as they may, and those of others are not', async () => {
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
