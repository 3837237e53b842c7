// Client requests linked to the requests to servers that they caused.

import { expect, test } from 'vitest';
import type { FlowDirection, FlowFact } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { Exchanges } from './exchanges.ts';
import { linkedWith } from './links.ts';

function setup(maxExchanges?: number) {
  const store = new FlowStore();
  const exchanges = new Exchanges({ maxExchanges });
  store.subscribe((event) => void exchanges.see(event));
  const text = (source: string, direction: FlowDirection, message: object) =>
    store.appendFrame(source, 1, direction, new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', ...message })));
  return {
    exchanges,
    add: (source: string, fact: FlowFact) => store.append(source, 1, fact),
    request: (source: string, direction: FlowDirection, id: number | string) =>
      text(source, direction, { id, method: 'tools/call', params: { name: 'x' } }),
    answer: (source: string, direction: FlowDirection, id: number | string) =>
      text(source, direction, { id, result: {} }),
    link: (request: number | string, id: number | string, direction: FlowDirection = 'toServer') =>
      store.append('client 1', 1, { kind: 'link', request, wire: 'weather', wireLife: 1, direction, id }),
  };
}

test('links before and after their request join one exchange', () => {
  const { exchanges, request, answer, link } = setup();
  request('client 1', 'fromClient', 7);
  link(7, 1);
  request('weather', 'toServer', 1);
  request('weather', 'fromServer', 'question');
  link(7, 'question', 'fromServer');
  answer('weather', 'toServer', 'question');
  answer('weather', 'fromServer', 1);
  answer('client 1', 'toClient', 7);
  const [call] = exchanges.all();
  expect(linkedWith(call!).map(({ direction, outcome }) => [direction, outcome])).toEqual([
    ['fromClient', 'ok'],
    ['toServer', 'ok'],
    ['fromServer', 'ok'],
  ]);
});

test('the ids of a client, of a server and of its questions may be equal', () => {
  const { exchanges, request, link } = setup();
  request('weather', 'fromServer', 1);
  request('client 1', 'fromClient', 1);
  link(1, 1);
  request('weather', 'toServer', 1);
  const [question, call] = exchanges.all();
  expect(linkedWith(call!).map(({ direction }) => direction)).toEqual(['fromClient', 'toServer']);
  expect(linkedWith(question!)).toEqual([question]);
});

test('a client that disconnects abandons its requests, and does not answer its questions', () => {
  const { exchanges, request, add } = setup();
  request('client 1', 'fromClient', 1);
  request('client 1', 'toClient', 1);
  add('client 1', { kind: 'client', state: 'closed', door: 'http' });
  expect([...exchanges.all()].map(({ outcome }) => outcome)).toEqual(['cancelled', 'lost']);
});

test('links never keep a forgotten exchange', () => {
  const { exchanges, request, link } = setup(20);
  for (let at = 0; at < 500; at++) {
    request('client 1', 'fromClient', at);
    for (let back = 0; back < 5; back++) link(at - back, at);
    link(at, 'never comes');
    link(at, 'x'.repeat(10_000));
    request('weather', 'toServer', at);
  }
  const held = new Set(exchanges.all());
  expect(held.size).toBe(20);
  for (const exchange of held) {
    for (const other of linkedWith(exchange)) expect(held).toContain(other);
  }
});

test('limits the links of a request', () => {
  const { exchanges, request, link } = setup();
  request('client 1', 'fromClient', 1);
  for (let at = 0; at < 1000; at++) {
    link(1, at);
    request('weather', 'toServer', at);
  }
  const [call] = exchanges.all();
  expect(linkedWith(call!).length).toBeLessThanOrEqual(102);
});
