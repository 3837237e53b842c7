import { expect, test } from 'vitest';
import type { Host } from '../../host.ts';
import type { NodeEndpoint } from './node-endpoint.ts';
import { OwnServers } from './own-servers.ts';

test('a node offers its first 1,000 servers, and reports once that it has more', () => {
  const notes: string[] = [];
  const opened = new Set<string>();
  const endpoint = { open: ({ server }: { server: string }) => opened.add(server) } as unknown as NodeEndpoint;
  const host = { service: () => ({}) } as unknown as Host;
  const own = new OwnServers(host, endpoint, { drainMs: 1, note: (text) => notes.push(text) });
  const names = Array.from({ length: 1005 }, (_, at) => `s${at}`);
  expect(own.offer(names, 'x')).toEqual(names.slice(0, 1000));
  expect(own.offer(names, 'x')).toHaveLength(1000);
  expect(opened.size).toBe(1000);
  expect(notes).toEqual([
    'This node offers the first 1000 of its 1005 servers to other nodes. Put the others on another node',
  ]);
});
