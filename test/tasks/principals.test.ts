// Tasks that a server answers for itself, behind a host with several principals: a task exists only for the principal of its call, also if
// the server counts its ids.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { clientOf } from '../../src/mcp/client/client.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import { innermostId } from '../../src/mcp/handles.ts';
import { type ClientIdentity, newClient, type Params, type Result, type Service } from '../../src/mcp/service.ts';
import { TestCaller } from '../contract/test-caller.ts';
import { serveCounting } from '../fixtures/tasks/serve-counting.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const file = fileURLToPath(new URL('../fixtures/tasks/counting-server.mjs', import.meta.url));
const entry = { command: process.execPath, args: [file], revision: '2026-07-28' };
const unknown = { rpcCode: -32602 };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function started(config: object, options: object = {}) {
  const host = new Host({ mcpServers: { only: config } } as never, options);
  closing.push(() => host.stop());
  await host.start();
  return host;
}

/** A client that declares the extension. */
function asker(service: Service, identity: ClientIdentity) {
  const request = async (method: string, params: Params): Promise<Result> => {
    const capabilities = { extensions: { [TASKS]: {} } };
    const caller = new TestCaller();
    const client = { ...caller.client, revision: '2026-07-28', capabilities, identity };
    return service.request(method, params, Object.assign(caller, { client, request: {} }) as never);
  };
  return {
    request,
    /** The ids that may be watched. */
    accepted: async (taskIds: readonly unknown[]) => {
      let ids: unknown;
      const { client } = new TestCaller();
      const stop = await service.watch({
        filter: { further: { taskIds } },
        client: { ...client, revision: '2026-07-28', capabilities: { extensions: { [TASKS]: {} } }, identity },
        accepted: (members) => {
          ids = members.taskIds;
        },
        notified: () => undefined,
      });
      stop();
      return ids;
    },
    create: async (given: string) => {
      const { resultType, taskId } = await request('tools/call', { name: 'job', arguments: { text: given } });
      expect(resultType).toBe('task');
      return taskId as string;
    },
    read: async (taskId: string) => {
      const { taskId: named, result } = await request('tasks/get', { taskId });
      expect(named).toBe(taskId);
      return (result as { content: { text: string }[] }).content[0]!.text;
    },
  };
}

type Asker = ReturnType<typeof asker>;

async function expectUnknown({ request }: Asker, taskId: string) {
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    await expect(request(method, { taskId, inputResponses: {} })).rejects.toMatchObject(unknown);
  }
}

test.each([{}, { autoStart: false }, { share: 'client' }, { tasks: { after: '1ms' } }])(
  'the first task of a server belongs to its principal, with %j',
  async (keys) => {
    const host = await started({ ...entry, ...keys });
    for (const service of [host.service('only'), host.service()]) {
      const tool = service === host.service('only') ? 'job' : 'only__job';
      const [ada, bob, none] = [newClient('ada'), newClient('bob'), newClient()].map((each) => asker(service, each));
      const { taskId } = await ada!.request('tools/call', { name: tool, arguments: { text: 'of ada' } });
      await expectUnknown(bob!, String(taskId));
      await expectUnknown(none!, String(taskId));
      for (const guessed of ['1', '2', String(taskId).replace(/[^/]*$/, '2')]) await expectUnknown(bob!, guessed);
      expect(await ada!.read(String(taskId))).toBe('of ada');
      expect(await asker(service, newClient('ada')).request('tools/list', {})).toBeDefined();
    }
  },
);

test('a server that gets the extension with an update does not hide the earlier tasks of the host', async () => {
  const keyed = fileURLToPath(new URL('../fixtures/tasks/keyed-server.mjs', import.meta.url));
  const host = await started({ ...entry, args: [keyed], tasks: { after: '1ms' } });
  const service = host.service('only');
  const [ada, bob] = [newClient('ada'), newClient('bob')].map((each) => asker(service, each));
  const called = { name: 'result', arguments: { key: 'never released' } };
  const { taskId: earlier } = await ada!.request('tools/call', called);
  await host.reload(new Host({ mcpServers: { only: { ...entry, args: [keyed, 'required'] } } } as never).config!);
  const { taskId: later } = await ada!.request('tools/call', called);
  expect([innermostId(String(earlier)) === earlier, innermostId(String(later)) === later]).toEqual([true, false]);
  expect(await ada!.request('tasks/get', { taskId: earlier })).toMatchObject({ taskId: earlier, status: 'failed' });
  expect(await ada!.request('tasks/get', { taskId: later })).toMatchObject({ taskId: later, status: 'working' });
  const taskIds = [earlier, later, 'unknown'];
  expect([await ada!.accepted(taskIds), await bob!.accepted(taskIds)]).toEqual([[earlier, later], []]);
});

test('a task without a principal does not exist for a principal', async () => {
  const host = await started(entry);
  const none = asker(host.service('only'), newClient());
  const taskId = await none.create('of none');
  await expectUnknown(asker(host.service('only'), newClient('ada')), taskId);
  expect(await asker(host.service('only'), newClient()).read(taskId)).toBe('of none');
});

test('processes with equal ids do not mix up their tasks', async () => {
  const host = await started({ ...entry, share: 'client' });
  const [ada, bob, again] = ['ada', 'bob', 'ada'].map((name) => asker(host.service('only'), newClient(name)));
  const ids = [await ada!.create('of ada'), await bob!.create('of bob'), await again!.create('of ada again')];
  expect(new Set(ids).size).toBe(3);
  expect(await ada!.read(ids[0]!)).toBe('of ada');
  expect(await bob!.read(ids[1]!)).toBe('of bob');
  expect(await again!.read(ids[2]!)).toBe('of ada again');
  await expectUnknown(bob!, ids[0]!);
  await expectUnknown(again!, ids[0]!); // its process is another one
});

test('a task of a process that has ended is not one of the next process', async () => {
  const host = await started(entry);
  const [ada, bob] = ['ada', 'bob'].map((name) => asker(host.service('only'), newClient(name)));
  const earlier = await ada!.create('of ada');
  await ada!.request('tools/call', { name: 'die' }).catch(() => undefined);
  const later = await bob!.create('of bob');
  expect(later).not.toBe(earlier);
  await expectUnknown(ada!, earlier);
  await expectUnknown(ada!, later);
  expect(await bob!.read(later)).toBe('of bob');
});

async function remoteServer() {
  const { url, close } = await serveCounting();
  closing.push(close);
  return { url, revision: '2026-07-28' };
}

test('a task of a server at a URL is read through the next host, by its principal alone', async () => {
  const remote = await remoteServer();
  const stateFile = join(temporaryFolder('state'), 'records');
  const first = await started(remote, { stateFile });
  const taskId = await asker(first.service('only'), newClient('ada')).create('of ada');
  await first.stop();
  const next = await started(remote, { stateFile });
  const [ada, bob] = ['ada', 'bob'].map((name) => asker(next.service('only'), newClient(name)));
  await expectUnknown(bob!, taskId);
  expect(await ada!.read(taskId)).toBe('of ada');
  // Another server has equal ids.
  const other = await started(await remoteServer(), { stateFile });
  await asker(other.service('only'), newClient('bob')).create('of bob');
  await expectUnknown(asker(other.service('only'), newClient('ada')), taskId);
});

test('a host without a state file forgets the tasks of a server at a URL', async () => {
  const remote = await remoteServer();
  const first = await started(remote);
  const taskId = await asker(first.service('only'), newClient('ada')).create('of ada');
  await first.stop();
  await expectUnknown(asker((await started(remote)).service('only'), newClient('ada')), taskId);
});

test('the program that runs the host uses the ids of the server', async () => {
  const host = await started(entry);
  const taskId = await asker(host.service('only'), newClient('ada')).create('of ada');
  const program = await clientOf(host.service('only'), {});
  const handle = await program.callTool('job', { text: 'of the program' }, { task: 'handle' });
  expect(await handle.result()).toMatchObject({ content: [{ text: 'of the program' }] });
  await expectUnknown(asker(host.service('only'), newClient('ada')), handle.taskId);
  expect(innermostId(taskId)).toBe('1');
});
