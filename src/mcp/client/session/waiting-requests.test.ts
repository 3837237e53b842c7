import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { GatedRequest } from './gated-request.ts';
import { WaitingRequests } from './waiting-requests.ts';

test('does not read requests of one principal for another', async () => {
  const waiting = new WaitingRequests(new ManualClock(), 60_000, () => undefined);
  let reads = 0;
  const add = (principal: string) => {
    const request = {
      get principal() {
        reads++;
        return principal;
      },
      waited: () => undefined,
    };
    return waiting.add(request as unknown as GatedRequest, async () => principal);
  };
  const many = Array.from({ length: 500 }, () => add('ada'));
  const one = add('grace');
  reads = 0;
  expect([waiting.sinceMs('alan'), waiting.sinceMs('grace')]).toEqual([Number.POSITIVE_INFINITY, 0]);
  const asked: string[] = [];
  waiting.start((request) => {
    const { principal } = request;
    asked.push(principal!);
    return principal === 'grace';
  });
  expect(asked).toEqual(['ada', 'grace']);
  expect(reads).toBeLessThan(10);
  expect(await one).toBe('grace');
  expect(waiting.size).toBe(500);
  waiting.close(undefined);
  for (const each of many) await expect(each).rejects.toMatchObject({ code: 'NOT_SENT' });
});
