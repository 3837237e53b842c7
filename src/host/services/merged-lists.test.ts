import { expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { HostedServer } from '../hosted-server.ts';
import { MergedLists } from './merged-lists.ts';

/** A server whose list of tools is read for each request, and answered by the test. */
function slowServer() {
  const clock = new ManualClock();
  const announced: string[] = [];
  let known = new Map([['echo', { name: 'echo' }]]);
  let settle!: () => void;
  let reading: Promise<object[]> | undefined;
  const list = () => {
    reading ??= new Promise((resolve) => {
      settle = () => resolve([...known.values()]);
    });
    return reading;
  };
  const catalogue = { last: () => known, valid: () => undefined };
  const server = {
    config: { name: 'slow', enabled: true },
    supervised: { state: 'ready', intention: {} },
    mayUse: () => true,
    pool: { home: { catalogue, service: { list } } },
  } as unknown as HostedServer;
  const lists = MergedLists.of(
    () => [server],
    clock,
    (_, kind) => announced.push(kind),
  );
  const answer = async (...tools: string[]) => {
    known = new Map(tools.map((name) => [name, { name }]));
    settle();
    reading = undefined;
    await new Promise(setImmediate);
  };
  return { clock, lists, announced, answer };
}

it('a client with a short wait causes a notification only if the entries changed', async () => {
  const { clock, lists, announced, answer } = slowServer();
  for (const [after, expected] of [
    [['echo'], []],
    [['echo', 'add'], ['tools']],
  ] as const) {
    const read = lists.read('tools', 'limited', 1);
    clock.advance(1);
    expect((await read).failed).toMatchObject([{ server: 'slow' }]);
    await answer(...after);
    expect(announced).toEqual(expected);
  }
});

it('a server that was omitted after the usual wait causes a notification, whatever its entries are', async () => {
  const { clock, lists, announced, answer } = slowServer();
  const [short, usual] = [lists.read('tools', 'limited', 1), lists.read('tools', 'limited')];
  clock.advance(10_000);
  expect((await usual).offers).toEqual([]);
  await short;
  await answer('echo');
  expect(announced).toEqual(['tools']);
});
