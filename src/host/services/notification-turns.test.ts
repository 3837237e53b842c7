import { expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { NotificationTurns } from './notification-turns.ts';

function turnsOfProcess() {
  const clock = new ManualClock();
  const turns = new NotificationTurns(clock);
  const sent: string[] = [];
  const send = (principal: string, bytes = 100, name = principal) =>
    turns.send(principal, bytes, () => void sent.push(name));
  return { clock, sent, send };
}

it('a principal that floods sends 16 notifications in 50 ms, in order, and those of others pass', () => {
  const { clock, sent, send } = turnsOfProcess();
  for (let at = 0; at < 100; at++) send('ada', 100, `ada ${at}`);
  send('grace');
  expect(sent).toHaveLength(17);
  clock.advance(50);
  expect(sent).toHaveLength(33);
  clock.advance(10_000);
  expect(sent.filter((each) => each !== 'grace')).toEqual(Array.from({ length: 100 }, (_, at) => `ada ${at}`));
  expect(clock.pending).toBe(0);
});

it('drops no notification: above 1,000 queued ones or 1 MiB, clients must wait until half of them are sent', async () => {
  const { clock, sent, send } = turnsOfProcess();
  const seen: string[] = [];
  const waits = Array.from({ length: 1500 }, () => send('ada'));
  expect(waits.findIndex((space) => space !== undefined)).toBe(1016);
  void waits[1016]!.then(() => seen.push('space'));
  expect(send('grace', 512 * 1024)).toBeUndefined();
  expect([send('grace', 512 * 1024), send('grace', 512 * 1024)]).toEqual([undefined, undefined]);
  expect(send('grace', 1)).toBeInstanceOf(Promise);
  clock.advance(50 * 61);
  await Promise.resolve();
  expect(seen).toEqual([]);
  clock.advance(50);
  await Promise.resolve();
  expect(seen).toEqual(['space']);
  expect(send('ada')).toBeUndefined();
  clock.advance(100_000);
  expect(sent).toHaveLength(1505);
});

it('a long notification takes several turns', () => {
  const { clock, sent, send } = turnsOfProcess();
  send('ada', 1024 * 1024);
  send('ada');
  clock.advance(150);
  expect(sent).toHaveLength(1);
  clock.advance(100);
  expect(sent).toHaveLength(2);
});
