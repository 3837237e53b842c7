import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import type { FleetCall } from './call.ts';
import { FleetCalls } from './calls.ts';
import type { RoutingTable } from './routing-table.ts';
import { WaitingCalls } from './waiting-calls.ts';

const LIFETIME_MS = 1_000;

test('calls that failed at the end of their channel are not sent when the network returns', () => {
  const clock = new ManualClock();
  let isConnected = false;
  const calls = {
    clock,
    network: { leases: { lifetimeMs: LIFETIME_MS } },
    table: { instancesOf: () => [{}], whyNone: () => 'not connected' },
    canReach: () => isConnected,
  } as unknown as FleetCalls;
  const sent: FleetCall[] = [];
  let ends = 0;
  const waiting: WaitingCalls = new WaitingCalls(calls, 'work', {
    send: (call) => (isConnected ? sent.push(call) : waiting.add(call, 'not connected')),
    lose: () => expect.unreachable(),
    end: () => {
      ends++;
      waiting.end();
    },
  });
  const call = () => ({ method: 'tools/call' }) as unknown as FleetCall;
  waiting.add(call(), 'not connected');
  clock.advance(2 * LIFETIME_MS);
  waiting.add(call(), 'not connected');
  clock.advance(2 * LIFETIME_MS);
  expect(ends).toBe(1);
  isConnected = true;
  clock.advance(10 * LIFETIME_MS);
  expect(sent).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('during an outage of NATS, a new channel does not start the wait again', () => {
  const clock = new ManualClock();
  const network = { fleet: 'one', leases: { lifetimeMs: LIFETIME_MS }, subscribe: () => undefined };
  const calls = new FleetCalls(network as unknown as ClusterNetwork, {} as RoutingTable, 'node', { run: '1', clock });
  expect(calls.openWaitMs).toBe(2 * LIFETIME_MS);
  calls.disconnected();
  clock.advance(1.5 * LIFETIME_MS);
  calls.disconnected();
  expect(calls.openWaitMs).toBe(0.5 * LIFETIME_MS);
  clock.advance(LIFETIME_MS);
  expect(calls.openWaitMs).toBe(0);
  calls.reconnected();
  expect(calls.openWaitMs).toBe(2 * LIFETIME_MS);
});
