// Identities of processes in the answers of a node, and the time at which the process of a client ends.

import { afterAll, expect, test } from 'vitest';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { NodeEndpoint } from '../../src/host/fleet/node/node-endpoint.ts';
import { subjectsOf } from '../../src/host/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { contractServer } from '../contract/service.contract.ts';
import { CallingNode, callText } from '../fixtures/fleet/calling-node.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';

const nats = await startNatsServer();
const [answering, calling] = await Promise.all(
  ['answering', 'calling'].map((name) => openNetwork({ servers: [nats.url], fleet: 'test', name })),
);
const command = { command: process.execPath, args: [contractServer] };
const host = new Host({ mcpServers: { all: command, each: { ...command, share: 'client' } } });
const endpoint = new NodeEndpoint(answering!, 'alpha');
for (const server of ['all', 'each']) {
  endpoint.open({ id: server, server, service: host.service(server), generation: 7, mayAct: () => true });
}
const node = new CallingNode(calling!, 'beta', 'run1');
await Promise.all([answering!.flush(), calling!.flush()]);
afterAll(async () => {
  await endpoint.close();
  await host.stop();
  await Promise.all([answering!.close(), calling!.close()]);
});
const at = (server: string) => subjectsOf('test').call('alpha', server);
const RAN = 'dev.standpipe/ran';
const status = (server: string) => host.status().find(({ name }) => name === server)!;
const processes = () => status('each').processes.filter(({ state }) => state === 'ready');
const by = (id: string, affinity = id) => ({ 'dev.standpipe/caller': { id, affinity } });

test('a result names its node, claim and process on request, and an error with an unknown outcome always', async () => {
  const { result } = JSON.parse(await node.call(at('all'), 'echo', { text: 'x' }, { [RAN]: true }));
  const { pid } = status('all');
  expect(result._meta[RAN]).toEqual({ server: 'all', pid, generation: 1, node: 'alpha', claim: 7 });
  const plain = JSON.parse(await node.call(at('all'), 'echo', { text: 'x' }));
  expect(plain.result._meta[RAN]).toBeUndefined();
  const waiting = await node.publish(at('all'), callText('wait', {}, { progressToken: 1 }));
  await node.until(({ reply }) => reply === waiting);
  process.kill(pid!, 'SIGKILL');
  expect(JSON.parse(await node.last(waiting)).error.data['dev.standpipe/error']).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    ran: { server: 'all', pid, generation: 1, node: 'alpha', claim: 7 },
  });
});

test('the hops of a traced request are sent before its answer, which does not contain them', async () => {
  const reply = await node.publish(at('all'), `traced ${callText('echo', { text: 'x' })}`);
  const { result } = JSON.parse(await node.last(reply));
  expect(result._meta[RAN]).toBeUndefined();
  const [hops, answer] = node.received.filter((each) => each.reply === reply).map(({ text }) => text);
  expect(JSON.parse(answer!).result).toEqual(result);
  expect(JSON.parse(hops!.slice('hops '.length))).toEqual({
    node: 'alpha',
    generation: 7,
    pid: status('all').pid,
    life: 2,
    receivedMs: expect.any(Number),
    answeredMs: expect.any(Number),
  });
});

test('the process of a client runs until the client ends', async () => {
  const subject = at('each');
  await node.call(subject, 'echo', { text: 'x' }, by('1'));
  await node.call(subject, 'echo', { text: 'x' }, by('1'));
  await node.call(subject, 'echo', { text: 'x' }, by('2'));
  await node.call(subject, 'echo', { text: 'x' }, by('3', 'post:'));
  expect(processes().map(({ owner }) => owner)).toEqual([
    expect.stringMatching(/^client beta\/\w{16}\/1 /),
    expect.stringMatching(/^client beta\/\w{16}\/2 /),
    'requests without a session',
  ]);
  const waiting = await node.publish(subject, callText('wait', {}, { progressToken: 1, ...by('2') }));
  await node.until(({ reply }) => reply === waiting);
  calling!.publish(subject, `cancel ${waiting}`);
  await node.call(subject, 'cancelled', { atLeast: 1 }, by('2'));
  await node.publish(subject, 'gone 3');
  await node.publish(subject, 'gone 1');
  await until('2 are left', () => processes().length === 2);
  expect(processes()[0]!.owner).toMatch(/^client beta\/\w{16}\/2 /);
  const same = new CallingNode(calling!, 'gamma', 'run1');
  await calling!.flush();
  await same.call(subject, 'echo', { text: 'x' }, by('2'));
  expect(processes()).toHaveLength(3);
  await same.publish(subject, 'gone 2');
  await until('2 are left', () => processes().length === 2);
  endpoint.callerEnded('beta', 'run1');
  await until('1 are left', () => processes().length === 1);
  expect(processes()[0]!.owner).toBe('requests without a session');
});
