// One search of 3,000 tools through a host, in a warm process.

import { fileURLToPath } from 'node:url';
import { word } from '../contenders/many-tools/words.mjs';

export const title = 'find_tools among 3,000 tools';
export const contenders = [{ name: 'search' }];
export const metrics = [
  { key: 'searchMs', label: 'CPU ms a search', digits: 2 },
  { key: 'firstMs', label: 'ms to the first answer of a ready host', digits: 0 },
];

export const cases = ({ quick }) => [{ label: '3,000 tools', searches: quick ? 200 : 2_000 }];

export async function measure(_contender, { searches }) {
  const [{ Host }, { clientOf }] = await Promise.all([
    import('../../dist/entry/host.js'),
    import('../../dist/entry/client.js'),
  ]);
  const server = fileURLToPath(new URL('../contenders/many-tools/server.mjs', import.meta.url));
  const host = new Host({ mcpServers: { many: { command: process.execPath, args: [server] } } });
  try {
    await host.start();
    return await timed(await clientOf(host.toolSearch), searches);
  } finally {
    await host.stop();
  }
}

async function timed(client, searches) {
  const find = (n) => client.callTool('find_tools', { query: `${word(n)} ${word(n * 3)} ${word(n * 7)}` });
  const startMs = performance.now();
  await find(0);
  const firstMs = performance.now() - startMs;
  for (let n = 0; n < 50; n++) await find(n);
  const before = process.cpuUsage();
  for (let n = 0; n < searches; n++) await find(n);
  const { user, system } = process.cpuUsage(before);
  return { searchMs: (user + system) / 1000 / searches, firstMs };
}

export const targets = [
  {
    text: 'CPU ms to search 3,000 tools',
    value: ({ median }) => median('3,000 tools', 'search', 'searchMs'),
    atMost: 5,
  },
];
