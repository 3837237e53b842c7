// Outcomes of calls to another node when the connection or a node fails: each call runs once and is answered once, or fails with an error
// that says that it did not run or may have run. A real NATS server, on a network that can be cut.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { RpcCode } from '../../src/base/errors.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { answerNodeRequests, askNode, type NodeHandlers } from '../../src/host/fleet/node/answer-node-requests.ts';
import { runOf, subjectsOf } from '../../src/host/fleet/subjects.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { NatsProxy } from '../fixtures/fleet/nats-proxy.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { RouteNode } from '../fixtures/fleet/route-node.ts';
import { until } from '../fixtures/server.ts';

const nats = await startNatsServer();
const any = { input: { type: 'object' } } as const;
const maxFrameBytes = 4 * 1024 * 1024;

/** Counts how often each call ran. `hold`: calls wait until `go`. */
class Work {
  readonly runs = new Map<string, number>();
  readonly #held = new Set<() => void>();
  #holds = false;

  server(node: string): Server {
    const server = new Server({ name: 'work', version: '1.0.0' });
    server.tool('work', any, async ({ key }: { key?: string }) => {
      this.runs.set(key!, (this.runs.get(key!) ?? 0) + 1);
      if (this.#holds) await new Promise<void>((go) => this.#held.add(go));
      return `${key} by ${node}`;
    });
    return server;
  }

  hold(): void {
    this.#holds = true;
  }

  go(): void {
    this.#holds = false;
    for (const go of this.#held) go();
    this.#held.clear();
  }

  get started(): number {
    return this.runs.size;
  }

  get doubled(): string[] {
    return [...this.runs].filter(([, count]) => count > 1).map(([key]) => key);
  }
}

let servers = 0;

/** An owner and a caller, each behind its own proxy. */
async function pair(work: Work) {
  const name = `work${++servers}`;
  const [toOwner, toCaller] = [await NatsProxy.open(nats.port), await NatsProxy.open(nats.port)];
  const owner = await RouteNode.join(toOwner.url, `o${servers}`);
  const caller = await RouteNode.join(toCaller.url, `c${servers}`);
  const placed = await owner.run(name, work.server(owner.name).service);
  await until('the caller knows the owner', () => caller.table.instancesOf(name).length === 1);
  const client = await caller.connect(name, { maxFrameBytes });
  const close = async () => {
    toOwner.heal();
    toCaller.heal();
    await client.close();
    await Promise.all([owner.close(), caller.close()]);
  };
  return { name, toOwner, toCaller, owner, caller, placed, client, close };
}

const textOf = async (client: Client, key: string): Promise<string> => {
  const { content } = await client.callTool('work', { key });
  return (content[0] as { text: string }).text;
};

test('calls in flight while NATS restarts are answered, and calls made meanwhile run once', async () => {
  const work = new Work();
  const { client, owner, caller, close } = await pair(work);
  work.hold();
  const running = Array.from({ length: 20 }, (_, at) => textOf(client, `running ${at}`));
  await until('all run', () => work.started === 20);
  await nats.stop();
  await until('both know', () => !owner.network.isConnected && !caller.network.isConnected);
  work.go(); // the answers cannot be sent yet
  const meanwhile = Array.from({ length: 20 }, (_, at) => textOf(client, `meanwhile ${at}`));
  await nats.start();
  expect(await Promise.all(running)).toEqual(running.map((_, at) => `running ${at} by ${owner.name}`));
  expect(await Promise.all(meanwhile)).toEqual(meanwhile.map((_, at) => `meanwhile ${at} by ${owner.name}`));
  expect(work.doubled).toEqual([]);
  await close();
});

test('every call runs and is answered once when the network is cut under load, on either side', async () => {
  const work = new Work();
  const { client, owner, toOwner, toCaller, close } = await pair(work);
  let answered = 0;
  const load = Array.from({ length: 16 }, async (_, lane) => {
    for (let at = 0; at < 60; at++) {
      const key = `${lane}/${at}`;
      expect(await textOf(client, key)).toBe(`${key} by ${owner.name}`);
      answered++;
    }
  });
  for (const [at, proxy] of [toOwner, toCaller, toOwner, toCaller].entries()) {
    await until('calls were answered', () => answered >= (at + 1) * 100);
    proxy.cut();
    proxy.heal();
  }
  await Promise.all(load);
  expect(work.started).toBe(16 * 60);
  expect(work.doubled).toEqual([]);
  await close();
});

test('a server that moves between nodes under load runs every call once', async () => {
  const work = new Work();
  const { name, client, owner, caller, placed, close } = await pair(work);
  const other = await RouteNode.join(nats.url, 'other');
  const nodes = [owner, other];
  let [current, answered] = [placed, 0];
  const load = Array.from({ length: 16 }, async (_, lane) => {
    for (let at = 0; at < 60; at++) {
      expect(await textOf(client, `${lane}/${at}`)).toContain(`${lane}/${at} by `);
      answered++;
    }
  });
  for (let move = 1; move <= 6; move++) {
    await until('calls were answered', () => answered >= move * 100);
    await current.end();
    const next = nodes[move % 2]!;
    current = await next.run(name, work.server(next.name).service);
  }
  await Promise.all(load);
  expect(current.claim.generation).toBe(7);
  expect(caller.table.instancesOf(name)).toMatchObject([{ node: owner.name, generation: 7 }]);
  expect(work.started).toBe(16 * 60);
  expect(work.doubled).toEqual([]);
  await other.close();
  await close();
});

test('calls in flight at a lost node have an unknown outcome, and later calls run at the next owner', async () => {
  const work = new Work();
  const { name, client, owner, caller, toOwner, close } = await pair(work);
  const other = await RouteNode.join(nats.url, 'next');
  work.hold();
  const lost = textOf(client, 'lost').catch((error: unknown) => error);
  await until('it runs', () => work.started === 1);
  toOwner.cut();
  work.go();
  await caller.forget(owner.name); // its lease has expired
  const next = textOf(client, 'next');
  expect(await lost).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    message: expect.stringContaining(`"${owner.name}"`),
    ran: { server: name, node: owner.name, claim: 1 },
  });
  await other.run(name, work.server(other.name).service);
  expect(await next).toBe('next by next');
  expect(work.doubled).toEqual([]);
  await other.close();
  await close();
});

test('a call does not run again if another process with the name of the owner does not know it', async () => {
  const work = new Work();
  const { client, owner, toOwner, close } = await pair(work);
  work.hold();
  const lost = textOf(client, 'lost').catch((error: unknown) => error);
  await until('it runs', () => work.started === 1);
  toOwner.cut();
  const network = await openNetwork({ servers: [nats.url], fleet: 'route', name: 'again' });
  // The directory still has the record of the earlier process.
  const handlers: Partial<NodeHandlers> = {
    'standpipe/calls': ({ calls }) => ({ run: 'another', states: calls.map(() => 'unknown') }),
  };
  answerNodeRequests(network, owner.name, handlers as NodeHandlers);
  expect(await lost).toMatchObject({ code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('was restarted') });
  work.go();
  expect(work.doubled).toEqual([]);
  await network.close();
  await close();
});

test('an owner that may not act, or is busy, runs no calls', async () => {
  const work = new Work();
  const { name, client, owner, caller, placed, close } = await pair(work);
  placed.mayAct = false;
  const moved = textOf(client, 'moved');
  const abort = new AbortController();
  const given = client
    .callTool('work', { key: 'cancelled' }, { signal: abort.signal })
    .catch((error: unknown) => error);
  await caller.network.flush(); // the calls have reached NATS,
  await owner.network.flush(); // and the owner
  abort.abort(new Error('enough'));
  expect(await given).toMatchObject({ message: 'enough' });
  placed.mayAct = true;
  expect(await moved).toBe(`moved by ${owner.name}`);
  expect([...work.runs.keys()]).toEqual(['moved']);
  const narrow = await RouteNode.join(nats.url, 'narrow', { limits: { maxCallsPerNode: 1 } });
  await placed.end();
  await narrow.run(name, work.server(narrow.name).service);
  work.hold();
  const first = textOf(client, 'first');
  await until('it runs', () => work.started === 2);
  await expect(textOf(client, 'second')).rejects.toMatchObject({ rpcCode: RpcCode.serverBusy, code: 'SERVER_BUSY' });
  work.go();
  expect(await first).toBe('first by narrow');
  expect(work.started).toBe(2);
  await narrow.close();
  await close();
});

test('the characters of unanswered requests are limited, and further requests are refused unsent', async () => {
  const work = new Work();
  const { name, owner, close } = await pair(work);
  const bounded = await RouteNode.join(nats.url, 'bounded', { maxHeldChars: 4096 });
  const client = await bounded.connect(name, { maxFrameBytes });
  work.hold();
  const held = textOf(client, 'k'.repeat(3000));
  await until('it runs', () => work.started === 1);
  const refused = await textOf(client, 'j'.repeat(3000)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'NOT_SENT', cause: { code: 'SEND_QUEUE_FULL' } });
  work.go();
  expect(await held).toBe(`${'k'.repeat(3000)} by ${owner.name}`);
  expect(await textOf(client, 'i'.repeat(3000))).toContain('iii');
  await client.close();
  await bounded.close();
  await close();
});

test('long messages are sent in chunks, and an answer above the limit fails only its own call', async () => {
  const work = new Work();
  const { client, owner, close } = await pair(work);
  const long = 'ä'.repeat(1_000_000); // 2 MB of UTF-8; the limit of NATS is 1 MB
  const short = textOf(client, 'short');
  expect(await textOf(client, long)).toBe(`${long} by ${owner.name}`);
  expect(await short).toBe(`short by ${owner.name}`);
  await expect(textOf(client, 'x'.repeat(maxFrameBytes))).rejects.toMatchObject({ code: 'FRAME_TOO_LONG' });
  expect(await textOf(client, 'after')).toBe(`after by ${owner.name}`);
  await close();
});

test('cancels a call at the node that runs it', async () => {
  const { name, owner, close } = await pair(new Work());
  const server = new Server({ name: 'slow', version: '1.0.0' });
  let [began, cancelled] = [false, false];
  server.tool('wait', any, async (_args, call) => {
    began = true;
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    cancelled = true;
    return 'cancelled';
  });
  const slow = `${name}-slow`;
  await owner.run(slow, server.service);
  const other = await RouteNode.join(nats.url, 'cancels');
  const client = await other.connect(slow, { maxFrameBytes });
  const abort = new AbortController();
  const waited = client.callTool('wait', {}, { signal: abort.signal }).catch((error: unknown) => error);
  await until('it runs', () => began);
  abort.abort(new Error('enough'));
  expect(await waited).toMatchObject({ message: 'enough' });
  await until('it is cancelled', () => cancelled);
  expect(other.services.inFlight).toBe(0);
  await client.close();
  await other.close();
  await close();
});

test('a service that is opened after the node has left fails to start, so that the host does not wait for it', async () => {
  const name = `work${++servers}`;
  const node = await RouteNode.join(nats.url, `left${servers}`);
  await node.declare(name);
  await node.run(name, new Work().server(node.name).service);
  await until('the table has it', () => node.table.instancesOf(name).length > 0);
  await node.services.close();
  await expect(node.services.open(name, { maxFrameBytes }).start()).rejects.toMatchObject({ code: 'NOT_SENT' });
  await node.close();
});

test('a program without the secret of a run cannot answer, refuse or cancel its calls', async () => {
  const work = new Work();
  const { owner, caller, client, close } = await pair(work);
  const evil = await openNetwork({ servers: [nats.url], fleet: 'route', name: 'evil', lifetimeMs: 60_000 });
  work.hold();
  const answer = textOf(client, 'once');
  await until('it runs', () => work.started === 1);
  const subjects = subjectsOf('route');
  const { id } = caller.table.instancesOf(`work${servers}`)[0]!;
  // All values that the directory reveals: the session and the run of each node.
  for (const run of [caller.session, runOf({ pid: process.pid, startedAt: caller.startedAt })]) {
    for (let call = 1; call < 50; call++) {
      const reply = subjects.reply(caller.name, run, call);
      evil.publish(reply, 'refused moved forged');
      evil.publish(subjects.call(owner.name, id), `cancel ${reply}`, reply);
    }
  }
  await evil.flush();
  await caller.network.flush();
  await owner.network.flush();
  work.go();
  expect(await answer).toBe(`once by ${owner.name}`);
  expect(work.doubled).toEqual([]);
  await evil.close();
  await close();
});

test('a call whose number is refused as old is sent again with another secret, and runs once', async () => {
  const work = new Work();
  const clock = new ManualClock();
  const owner = await RouteNode.join(nats.url, 'old-owner', { clock });
  const caller = await RouteNode.join(nats.url, 'old-caller');
  const replies: string[] = [];
  const evil = await openNetwork({ servers: [nats.url], fleet: 'route', name: 'evil', lifetimeMs: 60_000 });
  evil.subscribe(subjectsOf('route').call(owner.name, '*'), ({ reply }) => replies.push(reply!));
  await evil.flush();
  await owner.run('old', work.server(owner.name).service);
  await until('the caller knows the owner', () => caller.table.instancesOf('old').length === 1);
  const client = await caller.connect('old', { maxFrameBytes });
  expect(await textOf(client, 'before')).toBe('before by old-owner');
  await until('a reply subject is known', () => replies.length > 0);
  const known = replies[0]!;
  const state = await askNode(
    evil,
    owner.name,
    'standpipe/calls',
    { calls: [known.replace(/\d+$/, '900000')] },
    60_000,
  );
  expect(state.states).toEqual(['unknown']);
  clock.advance(120_000); // the owner forgets all calls up to this number
  expect(await textOf(client, 'after')).toBe('after by old-owner');
  expect(work.doubled).toEqual([]);
  await until('another secret is used', () => new Set(replies.map((reply) => reply.replace(/\d+$/, ''))).size === 2);
  await client.close();
  await Promise.all([evil.close(), owner.close(), caller.close()]);
});
