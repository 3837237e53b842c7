import { expect, test } from 'vitest';
import { PlacerAttempts, type SlotAction } from './placer-attempts.ts';
import type { FleetView } from './plan.ts';

const place: SlotAction = { kind: 'place', server: 'x', slot: 1, node: 'a', revision: 3 };
const release: SlotAction = { kind: 'release', server: 'x', slot: 1, node: 'a', generation: 2, reason: '' };
const view = (config: number): FleetView => ({
  servers: new Map([['x', { key: 'x', revision: config, value: { name: 'x' } as never }]]),
  nodes: new Map([['a', {} as never]]),
  leases: new Set(['a']),
  claims: new Map(),
});

test('a slot has one request at a time, which is not repeated until its effect is visible', () => {
  const attempts = new PlacerAttempts();
  attempts.began(place);
  expect(attempts.isAsked(release, 0)).toBe(true);
  expect(attempts.at(0, view(1)).placing).toEqual(new Map([['x', new Map([[1, 'a']])]]));
  attempts.accepted(place, 0);
  expect(attempts.isAsked(place, 1_000)).toBe(true);
  expect(attempts.isAsked(release, 1_000)).toBe(false);
  expect(attempts.at(1_000, view(1)).nextMs).toBe(2_000);
  expect(attempts.at(2_000, view(1)).placing.size).toBe(0);
  expect(attempts.isAsked(place, 2_000)).toBe(false);
});

test('a change of the claim ends the wait', () => {
  const attempts = new PlacerAttempts();
  attempts.began(release);
  attempts.accepted(release, 0);
  expect(attempts.isAsked(release, 1)).toBe(true);
  attempts.claimChanged('x.1', undefined);
  expect(attempts.isAsked(release, 1)).toBe(false);
});

test('a node that refused is retried after increasing delays, and at once when the entry has changed', () => {
  const attempts = new PlacerAttempts();
  const waits: number[] = [];
  let nowMs = 0;
  for (let i = 0; i < 9; i++) {
    attempts.began(place);
    attempts.refused(place, { refused: 'no' }, 1, nowMs);
    const { refusals, nextMs } = attempts.at(nowMs, view(1));
    expect(refusals).toEqual(new Map([['x', new Map([['a', 'no']])]]));
    waits.push(nextMs - nowMs);
    nowMs = nextMs;
    expect(attempts.at(nowMs, view(1)).refusals.size).toBe(0);
    expect(attempts.lastRefusal('x', 'a')).toBe('no');
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(attempts.at(nowMs, view(2)).refusals.size).toBe(0);
  expect(attempts.lastRefusal('x', 'a')).toBeUndefined();
});

test('a node that is temporarily busy may run a server later, and one that cannot run it may not', () => {
  const attempts = new PlacerAttempts();
  attempts.refused(place, { refused: 'The node has no lease' }, 1, 0);
  expect(attempts.at(60_000, view(1)).unfit).toEqual(new Map());
  attempts.refused(place, { refused: 'a variable is not set', isUnfit: true }, 1, 0);
  expect(attempts.at(60_000, view(1)).unfit).toEqual(new Map([['x', new Map([['a', 'a variable is not set']])]]));
});

test('a node that does not answer gets no requests for a time, and slots that only it can run are not retried at once', () => {
  const attempts = new PlacerAttempts();
  attempts.began(release);
  attempts.unanswered(release, 0);
  expect(attempts.at(0, view(1)).silent).toEqual(new Set(['a']));
  expect(attempts.isAsked(release, 2_999)).toBe(true);
  expect(attempts.at(3_000, view(1)).silent.size).toBe(0);
  expect(attempts.isAsked(release, 3_000)).toBe(false);
  attempts.began(place);
  attempts.unanswered(place, 3_000);
  expect(attempts.isAsked(place, 3_000)).toBe(false);
});
