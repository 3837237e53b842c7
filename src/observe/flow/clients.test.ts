// Clients as sources of the flow, and the limits on their memory.

import { expect, test } from 'vitest';
import { type FlowClientOrigin, FlowClients } from './clients.ts';
import type { ClientFact, FlowEvent } from './event.ts';
import { FlowStore } from './store.ts';

function setup(maxEvents = 10_000) {
  const store = new FlowStore({ maxEvents });
  const { observe } = new FlowClients(store);
  let ids = 0;
  const seen = (principal: string | undefined, origin: FlowClientOrigin) =>
    observe({ id: String(++ids), principal }, origin);
  return { store, seen };
}

const facts = (store: FlowStore) =>
  store.since(0).filter((event): event is FlowEvent & ClientFact => event.kind === 'client');
const alone = (name: string) => ({ door: 'http', alone: { revision: '2026-07-28', info: { name, version: '1' } } });

test('each connection is a client, with its first description of itself', () => {
  const { store, seen } = setup();
  const source = seen('ada', { door: 'socket' });
  source.introduced({ revision: '2025-11-25', info: undefined });
  source.introduced({ revision: '2025-11-25', info: { name: 'cursor', version: '2' } });
  source.introduced({ revision: '2026-07-28', info: { name: 'another', version: '3' } });
  source.closed();
  expect(facts(store).map(({ state, name, revision }) => [state, name, revision])).toEqual([
    ['opened', undefined, undefined],
    ['known', undefined, '2025-11-25'],
    ['known', 'cursor', '2025-11-25'],
    ['closed', 'cursor', '2025-11-25'],
  ]);
  expect(seen('ada', { door: 'socket' })).not.toBe(source);
  expect(facts(store).at(-1)).toMatchObject({ server: 'client 2', principal: 'ada' });
});

test('separate requests are one client for each principal and name, with one run each', () => {
  const { store, seen } = setup();
  for (const principal of ['ada', 'grace', 'ada']) {
    const source = seen(principal, alone('cursor'));
    source.fromClient('{}', source.nextExchange());
    source.toClient('{}', 1, 200);
    source.answered();
    source.closed();
  }
  expect(facts(store).map(({ server, principal }) => [server, principal])).toEqual([
    ['client 1', 'ada'],
    ['client 2', 'grace'],
  ]);
  const frames = store.since(0).filter(({ kind }) => kind === 'frame');
  expect(frames.map(({ server, life }) => `${server} ${life}`)).toEqual([
    ...['client 1 1', 'client 1 1', 'client 2 1', 'client 2 1', 'client 1 2', 'client 1 2'],
  ]);
});

test('a stateless request ends with a close event if it was cut off, and without one if it was answered', () => {
  const { store, seen } = setup();
  const source = seen(undefined, alone('cursor'));
  source.fromClient('{}', 1);
  source.closed();
  expect(facts(store).map(({ state }) => state)).toEqual(['opened', 'closed']);
});

test('repeats the facts about a client after the store has dropped them', () => {
  const { store, seen } = setup(10);
  const source = seen('ada', { door: 'socket' });
  source.introduced({ revision: '2025-11-25', info: { name: 'cursor', version: '2' } });
  const isKnown = Array.from({ length: 100 }, () => {
    source.fromClient('{}');
    const { name, principal, revision } = facts(store).at(-1) ?? {};
    return name === 'cursor' && principal === 'ada' && revision === '2025-11-25';
  });
  // Facts that were dropped with one frame are repeated with the next.
  expect(isKnown.filter((known, at) => !known && isKnown[at + 1] === false)).toEqual([]);
  expect(isKnown.filter((known) => known).length).toBeGreaterThan(80);
});

test('names of any length and number use a bounded amount of memory', () => {
  const { store, seen } = setup(50);
  for (let at = 0; at < 3000; at++) seen(undefined, alone(`${at} ${'x'.repeat(10_000)}`));
  expect(store.heldBytes).toBeLessThan(50 * 2000);
  // The newest 1,000 names are still known, so nothing is opened a second time.
  const before = store.lastSeq;
  seen(undefined, alone(`2999 ${'x'.repeat(10_000)}`));
  expect(store.lastSeq).toBe(before);
  seen(undefined, alone(`0 ${'x'.repeat(10_000)}`));
  expect(store.lastSeq).toBe(before + 1);
});

test('ignores a name that is not a string', () => {
  const { store, seen } = setup();
  for (const info of [null, 5, 'text', { name: 5, version: {} }]) {
    seen(undefined, { door: 'http', alone: { revision: 7, info } });
  }
  expect(facts(store)).toHaveLength(1);
  expect(facts(store)[0]).toMatchObject({ name: undefined, version: undefined, revision: undefined });
});
