// Our client over the official client transport, and our server over the official server transport, in both eras.

import { fileURLToPath } from 'node:url';
import { StdioClientTransport as OfficialTransport2 } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as OfficialTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { connect, StdioClientTransport } from '../../src/entry/client.ts';
import { closing, until } from '../fixtures/server.ts';
import { textOf } from './standard-checks.ts';

const path = (name: string) => fileURLToPath(new URL(`../fixtures/interop/${name}.mjs`, import.meta.url));
const command = (name: string) => ({ command: process.execPath, args: [path(name)], stderr: 'ignore' as const });

const transports = {
  ours: (name: string) => new StdioClientTransport(command(name)),
  'the official one (2.x)': (name: string) => new OfficialTransport2(command(name)),
  'the official one (1.x)': (name: string) => new OfficialTransport1(command(name)),
};
/** Other pairs of our client transport are in the matrix. */
const serversOf = (transport: string) =>
  transport === 'ours'
    ? ['our-server-on-official-transport']
    : ['our-server', 'our-server-on-official-transport', 'official-2-server'];

describe.each(Object.entries(transports))('our client over %s', (name, open) => {
  test.each(serversOf(name).flatMap((server) => [[server, 'modern'] as const, [server, 'legacy'] as const]))(
    '%s, %s',
    async (server, era) => {
      // The two official transports differ only in type; our client accepts both.
      const client = closing(await connect(() => open(server) as StdioClientTransport, { era, elicit: () => colour }));
      expect(client.server.era).toBe(era);
      const text = 'grüße 🙂 '.repeat(10_000);
      const echoes = await Promise.all(
        Array.from({ length: 10 }, (_, n) => client.callTool('echo', { text: `${n} ${text}` })),
      );
      expect(echoes.map((echo) => textOf(echo))).toEqual(echoes.map((_, n) => `${n} ${text}`));
      expect(textOf(await client.callTool('ask'))).toBe('accept: blue');
      const steps: number[] = [];
      const counting = client.callTool('count', { to: 2 }, { onProgress: ({ progress }) => steps.push(progress) });
      await until('all progress arrives', () => steps.length === 2);
      await client.callTool('finish');
      expect(textOf(await counting)).toBe('2');
      expect(steps).toEqual([1, 2]);
      await expect(client.callTool('wait', {}, { signal: AbortSignal.timeout(20) })).rejects.toThrow();
      await expect(client.readResource('mem://nowhere')).rejects.toMatchObject({ name: 'RpcError' });
      await client.close();
    },
  );
});

const colour = { action: 'accept', content: { colour: 'blue' } } as const;
