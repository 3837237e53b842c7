// Progress that arrives in one chunk with the answer of its call. The official clients lose it over their own
// transport. `bench` measures how many of these calls the official clients receive completely from our server.

import { Client as NewestClient } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { StdioClientTransport } from '../../src/wire/transport/stdio-client.ts';
import { closing, fixture, fixtureTransport } from '../fixtures/server.ts';

const SERVER = 'answers-with-its-progress';
const info = { name: 'test', version: '1.0.0' };
type OnProgress = (step: { progress: number }) => void;
type Call = (onprogress: OnProgress) => Promise<unknown>;

const clients: Record<string, () => Promise<Call>> = {
  'the official client 1.x over our transport': async () => {
    const client = closing(new FirstClient(info));
    await client.connect(fixtureTransport(SERVER) as never);
    return (onprogress) => client.callTool({ name: 'count' }, undefined, { onprogress });
  },
  'the official client 2.x over our transport': async () => {
    const client = closing(new NewestClient(info));
    await client.connect(fixtureTransport(SERVER));
    return (onprogress) => client.callTool({ name: 'count' }, { onprogress });
  },
  'our client': async () => {
    const open = () => new StdioClientTransport({ command: process.execPath, args: [fixture(SERVER)] });
    const client = closing(await connect(open));
    return (onProgress) => client.callTool('count', {}, { onProgress });
  },
};

test.each(Object.entries(clients))('%s receives all progress of 50 calls before their results', async (_name, open) => {
  const call = await open();
  for (let calls = 0; calls < 50; calls++) {
    const steps: number[] = [];
    await call(({ progress }) => steps.push(progress));
    expect(steps).toEqual([1, 2, 3]);
  }
});
