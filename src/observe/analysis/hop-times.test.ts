// The parts of the time of a request that another node answered, with clocks that differ.

import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { HopFact } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { hopTimes } from './exchange.ts';
import { Exchanges } from './exchanges.ts';

const AHEAD_MS = 60_000;

/** 10 ms to the other node, 5 ms in it, 2 ms back. Its clock is one minute ahead. */
function answeredBy(measured: Partial<HopFact>) {
  const clock = new ManualClock();
  const store = new FlowStore({ clock });
  const startedAtMs = store.startedAt.getTime();
  const exchanges = new Exchanges();
  store.subscribe((event) => void exchanges.see(event));
  const source = store.begin('files');
  clock.advance(100);
  source.text('toServer', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}');
  clock.advance(17);
  const receivedMs = startedAtMs + 110 + AHEAD_MS;
  source.hop({ id: 1, node: 'b', generation: 3, pid: 42, receivedMs, answeredMs: receivedMs + 5, ...measured });
  source.text('fromServer', '{"jsonrpc":"2.0","id":1,"result":{}}');
  const [exchange] = exchanges.all();
  return hopTimes(exchange!, startedAtMs);
}

const exact = { node: 'b', generation: 3, pid: 42, nodeMs: 5, wayMs: 12 };

test('both ways are one sum if the offset of the clocks is unknown', () => {
  expect(answeredBy({})).toEqual(exact);
});

test('the offset divides the ways, with an uncertainty', () => {
  expect(answeredBy({ offsetMs: AHEAD_MS, uncertaintyMs: 0.5 })).toEqual({ ...exact, outMs: 10, uncertaintyMs: 1.5 });
});

test('a wrong offset never makes a part negative, and the uncertainty never exceeds both ways', () => {
  expect(answeredBy({ offsetMs: 0, uncertaintyMs: 1e6 })).toEqual({ ...exact, outMs: 12, uncertaintyMs: 12 });
  expect(answeredBy({ offsetMs: 2 * AHEAD_MS, uncertaintyMs: 1e6 })).toEqual({ ...exact, outMs: 0, uncertaintyMs: 12 });
});

test('limits the time that a node claims to the time of the request', () => {
  expect(answeredBy({ answeredMs: Number.MAX_SAFE_INTEGER })).toEqual({ ...exact, nodeMs: 17, wayMs: 0 });
});
