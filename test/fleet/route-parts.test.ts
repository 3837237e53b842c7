// Chunked messages between two nodes that take longer than the delay of inquiries, or exceed the memory for arriving messages.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { subjectsOf } from '../../src/host/fleet/subjects.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { RouteNode } from '../fixtures/fleet/route-node.ts';
import { until } from '../fixtures/server.ts';

const nats = await startNatsServer();
const any = { input: { type: 'object' } } as const;
const maxFrameBytes = 8 * 1024 * 1024;
const long = 'x'.repeat(2_500_000); // the limit of NATS is 1 MB

/** An owner whose tool returns its text, and a caller on a clock that the test advances. */
async function pair(name: string, limits: { maxArrivingBytes?: number } = {}) {
  const clock = new ManualClock();
  const owner = await RouteNode.join(nats.url, `${name}-owner`);
  const caller = await RouteNode.join(nats.url, `${name}-caller`, { ...limits, clock });
  const runs: string[] = [];
  const server = new Server({ name, version: '1.0.0' });
  server.tool('echo', any, ({ text }: { text?: string }) => {
    runs.push(text!);
    return text!;
  });
  await owner.run(name, server.service);
  await until('the caller knows the owner', () => caller.table.instancesOf(name).length === 1);
  const client = await caller.connect(name, { maxFrameBytes });
  const echo = async (text: string) => {
    const { content } = await client.callTool('echo', { text });
    return (content[0] as { text: string }).text;
  };
  const close = async () => {
    await client.close();
    await Promise.all([owner.close(), caller.close()]);
  };
  return { clock, owner, caller, runs, echo, close };
}

test('does not inquire about a slow request before it is sent, and sends it once', async () => {
  const { clock, owner, caller, runs, echo, close } = await pair('slow-request');
  const { network } = caller;
  const publish = network.publish.bind(network);
  let sections = 0;
  let goOn: () => void = () => undefined;
  const open = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  network.publish = (subject, data, reply) => {
    if (data.length > 100_000) sections += 1;
    return publish(subject, data, reply) ?? (data.length > 100_000 ? open : undefined);
  };
  const answered = echo(long);
  await until('a part is sent', () => sections === 1);
  clock.advance(30_000);
  caller.services.reconnected(); // inquires about all calls
  await network.flush();
  await owner.network.flush();
  expect(runs).toEqual([]);
  goOn();
  expect((await answered) === long).toBe(true);
  expect(sections).toBe(3);
  expect(caller.services.counts.inquiries).toBe(0);
  await close();
});

test('answers above the memory limit are sent again, and their calls run once', async () => {
  const { clock, runs, echo, close } = await pair('many-answers', { maxArrivingBytes: 3_000_000 });
  let left = 3;
  const answers = Array.from({ length: left }, async (_, at) => {
    const text = at + long;
    const isSame = (await echo(text)) === text;
    left -= 1;
    return isSame;
  });
  await until('all are answered', () => {
    if (runs.length === 3) clock.advance(1_000);
    return left === 0;
  });
  expect(await Promise.all(answers)).toEqual([true, true, true]);
  expect(runs.map((text) => text[0]).sort()).toEqual(['0', '1', '2']);
  await close();
});

test('short chunks that announce long messages do not block a long request', async () => {
  const { owner, caller, echo, close } = await pair('announced');
  const { id } = caller.table.instancesOf('announced')[0]!;
  const { call, reply } = subjectsOf('route');
  for (let n = 1; n <= 5; n++)
    caller.network.publish(call(owner.name, id), `part ${n} 0 70 67108000\nx`, reply('evil', 'run', n));
  expect((await echo(long)).length).toBe(long.length);
  await close();
});
