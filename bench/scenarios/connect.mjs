// Compares a client whose server is its child with one that uses the server of a running host through `standpipe
// connect`: the cost of two more processes in a call. With `copies`, these two processes only copy bytes.

import { connectDirectly, connectThrough, connectThroughCopies } from '../contenders/cli/connected-client.mjs';
import { startRunningHost } from '../contenders/cli/running-host.mjs';
import { startCopyingHost } from '../contenders/cli/start-copying-host.mjs';
import { timedLoad } from '../load.mjs';

export const title = 'tools/call through standpipe connect, one at a time, 100 bytes';
export const contenders = [
  { name: 'direct', connect: connectDirectly },
  { name: 'copies', connect: connectThroughCopies },
  { name: 'connect', connect: connectThrough },
];
export const differences = [
  ['connect', 'direct'],
  ['copies', 'direct'],
];
export const ratios = [
  ['connect', 'direct'],
  ['connect', 'copies'],
];
export const metrics = [
  { key: 'p50Us', label: 'p50, µs', digits: 0 },
  { key: 'p99Us', label: 'p99, µs', digits: 0 },
];

export const cases = ({ quick }) => [{ label: 'call', warmMs: quick ? 500 : 1500, durationMs: quick ? 500 : 2000 }];

export async function background() {
  const hosts = await Promise.all([startRunningHost('mcp'), startCopyingHost()]);
  return {
    shared: Object.assign({}, ...hosts.map(({ shared }) => shared)),
    end: () => Promise.all(hosts.map(({ end }) => end())),
  };
}

export async function measure({ connect }, { warmMs, durationMs }, shared) {
  const client = await connect(shared);
  try {
    return await timedLoad(client, { inFlight: 1, bytes: 100, warmMs, durationMs });
  } finally {
    await client.close();
  }
}

export const targets = [
  {
    text: 'µs that standpipe connect adds to the p50 of a call',
    value: ({ difference }) => difference('call', 'connect', 'direct', 'p50Us'),
    atMost: 60,
  },
  {
    text: 'µs that standpipe connect adds, of those that processes add which only copy bytes',
    value: ({ difference }) =>
      difference('call', 'connect', 'direct', 'p50Us') / difference('call', 'copies', 'direct', 'p50Us'),
    atMost: 1.3,
  },
];
