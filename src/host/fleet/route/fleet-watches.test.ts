import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { LogLevel } from '../../../mcp/types.ts';
import type { NodeFilter } from '../call-protocol.ts';
import type { FleetCall } from './call.ts';
import { FleetWatches } from './fleet-watches.ts';
import type { ServerRequests } from './server-requests.ts';

/** The watches of a server with one instance on another node. `streams`: the subscriptions sent to it. */
function open() {
  const streams: FleetCall[] = [];
  let lastId = 0;
  const requests = {
    calls: {
      clock: new ManualClock(),
      canReach: () => true,
      local: () => undefined,
      send: (call: FleetCall) => void streams.push(call),
      cancel: () => undefined,
    },
    instances: [{ id: 'one' }],
    isStateless: false,
    payloadOf: () => '{}',
    read: (_call: FleetCall, text: string) => JSON.parse(text),
    open: (_method: string, { notifications }: { notifications: NodeFilter }) =>
      new Promise((_resolve, reject) => watches.begin(++lastId, notifications, reject)),
  };
  const watches: FleetWatches = new FleetWatches(requests as unknown as ServerRequests, {});
  const send = (stream: FleetCall, method: string, params: object) =>
    stream.owner.received(stream, JSON.stringify({ jsonrpc: '2.0', method, params }), new Uint8Array());
  const acknowledge = (stream: FleetCall) =>
    send(stream, 'notifications/subscriptions/acknowledged', { notifications: stream.params.notifications });
  return { streams, watches, send, acknowledge };
}

test('a log message of a replaced stream is delivered once', async () => {
  const { streams, watches, send, acknowledge } = open();
  const heard: unknown[] = [];
  const watch = (logs: LogLevel) =>
    watches.watch({ filter: { logs }, notified: (_, params) => heard.push(params?.data) });
  const log = (stream: FleetCall, data: string) => send(stream, 'notifications/message', { level: 'error', data });
  const first = watch('error');
  await expect.poll(() => streams.length).toBe(1);
  acknowledge(streams[0]!);
  await first;
  const second = watch('debug');
  await expect.poll(() => streams.length).toBe(2);
  log(streams[0]!, 'before'); // both streams are active
  acknowledge(streams[1]!);
  await second;
  log(streams[1]!, 'after');
  log(streams[0]!, 'after'); // sent before the cancellation arrived
  expect(heard).toEqual(['before', 'before', 'after', 'after']);
});
