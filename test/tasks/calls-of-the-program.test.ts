// Calls of the program that runs a host, to tools of a server that require a task.

import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Host } from '../../src/host/host.ts';

test.each(['2026-07-28', '2025-11-25'] as const)(
  'callTool and use follow a task of a %s server to its end',
  async (revision) => {
    const args = [fileURLToPath(new URL('../fixtures/cli/tasks.mjs', import.meta.url))];
    const host = new Host({ mcpServers: { films: { command: process.execPath, args, revision } } });
    onTestFinished(() => host.stop());
    await host.start();
    const expected = { isError: true, content: [{ type: 'text', text: 'the disk is full' }] };
    expect(await host.callTool('films', 'fails')).toMatchObject(expected);
    expect(await host.use('films', (client) => client.callTool('fails'))).toMatchObject(expected);
  },
);
