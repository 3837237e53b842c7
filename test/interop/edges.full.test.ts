// Cases outside the matrix: clients that cannot answer, the shortest ways to connect, caches, and endings.

import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { closing, until } from '../fixtures/server.ts';

const command = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../fixtures/interop/${name}.mjs`, import.meta.url)), ...args],
  stderr: 'ignore' as const,
});

async function official(options: ClientOptions, name = 'our-server', prior?: object): Promise<Client> {
  const client = closing(new Client({ name: 'edges', version: '1' }, options));
  await client.connect(new StdioClientTransport(command(name)), prior ? { prior: prior as never } : {});
  return client;
}

describe('a client that cannot answer gets an error, and the connection continues', () => {
  const tools = ['ask', 'ask-by-page', 'sample', 'roots'];
  const modes = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

  test.each(Object.entries(modes))('official client, our server, %s', async (era, mode) => {
    const client = await official({ versionNegotiation: { mode } });
    expect(client.getProtocolEra()).toBe(era);
    for (const name of tools) {
      await expect(client.callTool({ name })).rejects.toMatchObject({ code: -32021 });
    }
    expect(await client.callTool({ name: 'echo', arguments: { text: 'still here' } })).toMatchObject({
      content: [{ text: 'still here' }],
    });
  });

  test.each(['legacy', 'modern'] as const)('our client, official server, %s', async (era) => {
    const client = closing(await connect(command('official-2-server'), { era, requestTimeoutMs: 100_000 }));
    for (const name of tools) {
      const outcome = await client.callTool(name).then(
        ({ isError }) => isError,
        (error) => error.rpcCode,
      );
      expect([true, -32021]).toContain(outcome);
    }
    expect(await client.callTool('echo', { text: 'still here' })).toMatchObject({ content: [{ text: 'still here' }] });
  });
});

describe('the official client with our server', () => {
  test('connects without a probe if it has the description of the server', async () => {
    const discover = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    const client = await official({}, 'our-server', { kind: 'modern', discover });
    expect(await client.callTool({ name: 'echo', arguments: { text: 'first' } })).toMatchObject({
      content: [{ text: 'first' }],
    });
  });

  test('receives changes through handlers in its options', async () => {
    const changed: string[] = [];
    const on = (what: string) => ({ autoRefresh: false, debounceMs: 0, onChanged: () => void changed.push(what) });
    const listChanged = { tools: on('tools'), prompts: on('prompts'), resources: on('resources') };
    const client = await official({ versionNegotiation: { mode: 'auto' }, listChanged });
    await client.callTool({ name: 'grow' });
    await until('all changes arrive', () => changed.length === 3);
    expect(changed.sort()).toEqual(['prompts', 'resources', 'tools']);
  });

  test('caches a list for the time that our server sets', async () => {
    const client = await official({ versionNegotiation: { mode: 'auto' } }, 'our-caching-server');
    const count = async () => (await client.callTool({ name: 'lists' })).content;
    await client.listTools();
    await client.listTools();
    expect(await count()).toMatchObject([{ text: '1' }]);
  });

  test('is notified when our server ends a subscription', async () => {
    const client = await official({ versionNegotiation: { mode: 'auto' } }, 'our-caching-server');
    const listening = await client.listen({ toolsListChanged: true });
    await client.callTool({ name: 'close' }).catch(() => undefined); // it may close before the answer
    expect(await listening.closed).toBe('graceful');
  });
});

test('our client caches a list for the time that the official server sets, and is notified of the end of its subscription', async () => {
  const requests: string[] = [];
  const observer = { sent: (text: string) => requests.push(JSON.parse(text).method) };
  const client = closing(
    await connect({ ...command('official-caching-server'), observer }, { probeTimeoutMs: 100_000 }),
  );
  await client.listTools();
  await client.listTools();
  expect(requests.filter((method) => method === 'tools/list')).toHaveLength(1);
  const ended: string[] = [];
  client.onListChanged('tools', () => undefined, { onClosed: (why) => ended.push(why) });
  await until('it listens', () => requests.includes('subscriptions/listen'));
  await client.callTool('close').catch(() => undefined);
  await until('the end arrives', () => ended.length > 0);
  expect(ended[0]).toBe('server');
});
