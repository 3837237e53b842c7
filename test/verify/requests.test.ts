// What is sent: values of earlier answers, values that the recording hides, questions, pages and tasks. The recordings are written by hand.

import { expect, test } from 'vitest';
import { type VerifyOptions, verify } from '../../src/entry/recording.ts';
import { type Call, Server } from '../../src/entry/server.ts';
import { runCli } from '../cli/run-cli.ts';
import { WrittenRecording } from '../replay/written-recording.ts';
import { volatile } from './volatile.ts';

const readOnly = { annotations: { readOnlyHint: true } };
const rules = ['ignore result.capabilities'];
const anyInput = { ...readOnly, input: { type: 'object' } } as const;

function server(): Server {
  return new Server({ name: 'was-recorded', version: '3' });
}

function verified(recording: WrittenRecording, given: Server, options: VerifyOptions = {}) {
  return verify(recording.write(), given.service, { rules, ...options });
}

test('identifiers of answers are sent in later requests, whole, as words and as numbers', async () => {
  const got: unknown[] = [];
  const tested = server();
  tested.tool('create', anyInput, () => ({
    content: [{ type: 'text', text: 'Created note-new1 at https://notes.test/note-new1' }],
    structuredContent: { id: 71, key: 'k-new-1', state: 'shut', cursor: 'next' },
  }));
  tested.tool('use', anyInput, (args) => {
    got.push(args);
    return 'used';
  });
  const recording = new WrittenRecording()
    .initialize()
    .call(1, 'create')
    .result(1, {
      content: [{ type: 'text', text: 'Created note-old1 at https://notes.test/note-old1' }],
      structuredContent: { id: 17, key: 'k-old-1', state: 'open', cursor: 'first' },
    });
  const uses = [
    { id: 'note-old1', note_id: 17, count: 17 },
    { url: 'https://notes.test/note-old1?a', keys: ['k-old-1'], state: 'open', cursor: 'first' },
  ];
  for (const [at, args] of uses.entries()) recording.call(at + 2, 'use', args).text(at + 2, 'used');
  const report = await verified(recording, tested);
  expect(got).toEqual([
    { id: 'note-new1', note_id: 71, count: 17 },
    { url: 'https://notes.test/note-new1?a', keys: ['k-new-1'], state: 'open', cursor: 'next' },
  ]);
  expect(report.results.map(({ status }) => status)).toEqual(['different', 'same', 'same']);
});

test('an answer that repeats a carried value is the same', async () => {
  const tested = server();
  tested.tool('create', anyInput, () => 'note-new1');
  tested.tool('read', anyInput, ({ id }) => `This is ${id}, unlike note-old2`);
  const recording = new WrittenRecording().initialize().call(1, 'create').text(1, 'note-old1');
  recording.call(2, 'read', { id: 'note-old1' }).text(2, 'This is note-old1, unlike note-old2');
  const { results } = await verified(recording, tested, { rules: [...rules, 'tools/call create: id **'] });
  expect(results.map(({ status }) => status)).toEqual(['same', 'same']);
});

const tools = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: 'object' }, ...readOnly }));

test('the pages of a list are read with the new cursors, and compared as one list', async () => {
  const got: unknown[] = [];
  const paged = (sizes: number[], names: string[]) => ({
    ...server().service,
    describe: () => ({ info: { name: 'was-recorded', version: '3' }, capabilities: {} }),
    request: (_: string, { cursor }: Record<string, unknown>) => {
      got.push(cursor);
      const at = cursor === undefined ? 0 : Number(String(cursor).slice(4));
      const from = sizes.slice(0, at).reduce((sum, size) => sum + size, 0);
      const isLast = at === sizes.length - 1;
      return { tools: tools(...names.slice(from, from + sizes[at]!)), ...(!isLast && { nextCursor: `new-${at + 1}` }) };
    },
    notify: () => undefined,
    watch: async () => () => undefined,
  });
  const recording = () => {
    const written = new WrittenRecording().initialize().request(1, 'tools/list', {});
    written.result(1, { tools: tools('a', 'b'), nextCursor: 'old-1' });
    return written.request(2, 'tools/list', { cursor: 'old-1' }).result(2, { tools: tools('c') });
  };
  const same = await verify(recording().write(), paged([1, 1, 1], ['a', 'b', 'c']), { rules });
  expect(got).toEqual([undefined, 'new-1', 'new-2']);
  expect(same.results.map(({ status, number }) => [status, number])).toEqual([['same', 1]]);
  const more = await verify(recording().write(), paged([2, 2], ['a', 'b', 'x', 'c']), { rules });
  expect(more.results[0]).toMatchObject({
    status: 'different',
    differences: [],
    changes: [{ what: 'tool', name: 'x', kind: 'added' }],
  });
  const other = await verify(recording().write(), paged([3], ['b', 'a', 'c']), { rules });
  expect(other.results[0]).toMatchObject({
    status: 'different',
    differences: [{ path: 'result.tools', before: ['a', 'b', 'c'], after: ['b', 'a', 'c'], isOrder: true }],
  });
});

function masked(): WrittenRecording {
  const recording = new WrittenRecording().initialize();
  const params = { name: 'login', arguments: { user: 'ada', password: '[redacted]', key: 'Key [env API_KEY]' } };
  recording.sent({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { redacted: true });
  return recording.text(1, 'Hello, your token is [redacted].', { redacted: true });
}

test('a request with a hidden value is sent only if the value is given', async () => {
  const got: unknown[] = [];
  const tested = server();
  tested.tool('login', anyInput, (args) => {
    got.push(args);
    return 'Hello, your token is 1234.';
  });
  const [without] = (await verified(masked(), tested)).results;
  expect(without).toMatchObject({
    status: 'skipped',
    cause: 'value',
    reason: "The recording hides arguments.password: give its value with --set 'arguments.password=…'",
  });
  expect(got).toEqual([]);
  const set = [
    { path: 'arguments.password', value: 'secret' },
    { path: '**.key', value: 'Key 1' },
  ];
  const [given] = (await verified(masked(), tested, { set })).results;
  expect(given!.status).toBe('same'); // the placeholder of the answer stands for the new token
  expect(got).toEqual([{ user: 'ada', password: 'secret', key: 'Key 1' }]);
});

test('[env NAME] is a variable of the server, and never one of this program', async () => {
  const file = masked().write();
  const args = ['verify', file, '--json', '--set', 'arguments.password=${PASSWORD}', ...['--allow-calls', '*']];
  const env = { PASSWORD: 'p', API_KEY: 'not for the server' };
  const hidden = await runCli([...args, '--', ...volatile()], { env });
  expect(JSON.parse(hidden.stdout).results.find(({ target }: { target: string }) => target === 'login')).toMatchObject({
    reason: "The recording hides arguments.key: give its value with --set 'arguments.key=…'",
  });
  const passed = await runCli([...args, '--env', 'API_KEY', '--', ...volatile()], { env });
  const [, login] = JSON.parse(passed.stdout).results;
  expect(login).toMatchObject({ status: 'failing' }); // this server has no such tool: the request was sent
  expect(passed.stdout).not.toContain('not for the server');
  const unset = await runCli([...args, '--', ...volatile()], { env: {} });
  expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('The variable PASSWORD is not set') });
});

test('questions are answered as recorded, also with an error, and an unexpected one is refused', async () => {
  const tested = server();
  const ask = (message: string) => async (_: unknown, call: Call) => {
    const { action } = await call.elicit({ message, requestedSchema: { type: 'object', properties: {} } });
    return action;
  };
  tested.tool('first', readOnly, ask('One?'));
  tested.tool('second', readOnly, ask('Two?'));
  const recording = new WrittenRecording();
  const client = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } };
  recording.request('i', 'initialize', client);
  const serverInfo = { name: 'was-recorded', version: '1' };
  recording.result('i', { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
  const params = { message: 'One?', requestedSchema: { type: 'object', properties: {} } };
  recording.call(1, 'first').came({ jsonrpc: '2.0', id: 's1', method: 'elicitation/create', params });
  recording.sent({ jsonrpc: '2.0', id: 's1', result: { action: 'decline' } }).text(1, 'decline');
  recording.call(2, 'second').text(2, 'nothing');
  const { results } = await verified(recording, tested);
  expect(results.map(({ target, status }) => [target, status])).toEqual([
    ['first', 'same'],
    ['second', 'failing'],
  ]);
  expect(results[1]!.reason).toBe('The server asked elicitation/create, and the recording has no answer to it');
});

test('polls of a task are repeated until the recorded state, with the new id', async () => {
  let polls = 0;
  const asked: unknown[] = [];
  const service = {
    describe: () => ({ info: { name: 'was-recorded', version: '3' }, capabilities: {} }),
    request: (method: string, params: Record<string, unknown>) => {
      asked.push(params.taskId ?? method);
      if (method === 'tools/call') return { task: { taskId: 'new-1', status: 'working' } };
      if (method === 'tasks/get') return { taskId: 'new-1', status: ++polls < 3 ? 'working' : 'completed' };
      return { content: [{ type: 'text', text: 'done' }] };
    },
    notify: () => undefined,
    watch: async () => () => undefined,
  };
  const recording = () => {
    const written = new WrittenRecording().initialize().call(1, 'render');
    written.result(1, { task: { taskId: 'old-1', status: 'working' } });
    for (const [id, status] of ['working', 'working', 'completed'].entries()) {
      written.request(id + 2, 'tasks/get', { taskId: 'old-1' }).result(id + 2, { taskId: 'old-1', status });
    }
    return written.request(9, 'tasks/result', { taskId: 'old-1' }).text(9, 'done');
  };
  const report = await verify(recording().write(), service, {
    allowCalls: ['render'],
    rules: [...rules, 'id result.task.taskId'],
  });
  expect(report.results.map(({ method, status }) => [method, status])).toEqual([
    ['tools/call', 'same'],
    ['tasks/get', 'skipped'],
    ['tasks/get', 'skipped'],
    ['tasks/get', 'same'],
    ['tasks/result', 'same'],
  ]);
  expect(asked).toEqual(['tools/call', 'new-1', 'new-1', 'new-1', 'new-1']);
  const without = await verify(recording().write(), service, { rules });
  expect(without.results.map(({ status, cause }) => [status, cause])).toEqual([
    ['skipped', 'permission'],
    ['skipped', 'recording'],
    ['skipped', 'recording'],
    ['skipped', 'permission'],
    ['skipped', 'permission'],
  ]);
});

test('requests for methods that MCP does not define are sent only if they are allowed', async () => {
  const sent: string[] = [];
  const service = {
    describe: () => ({ info: { name: 'was-recorded', version: '3' }, capabilities: {} }),
    request: (method: string) => {
      sent.push(method);
      return { done: true };
    },
    notify: () => undefined,
    watch: async () => () => undefined,
  };
  const file = new WrittenRecording().initialize().request(1, 'vendor/purge', {}).result(1, { done: true }).write();
  const refused = await verify(file, service, { rules });
  expect(refused.results[0]).toMatchObject({ status: 'skipped', cause: 'permission' });
  expect(sent).toEqual([]);
  const allowed = await verify(file, service, { rules, allowCalls: ['vendor/*'] });
  expect(allowed.results[0]!.status).toBe('same');
});

test('what the recorded client declared for one request is declared again', async () => {
  const meta = (capabilities: object) => ({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'editor', version: '9' },
    },
  });
  const recording = new WrittenRecording();
  recording.request(0, 'server/discover', meta({}));
  const found = {
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    serverInfo: { name: 'was-recorded', version: '1' },
  };
  recording.result(0, { ...found, resultType: 'complete' });
  recording.request(1, 'prompts/get', { name: 'a', ...meta({ sampling: {} }) }).result(1, { messages: [] });
  const clients: unknown[] = [];
  const service = {
    describe: () => ({ info: { name: 'was-recorded', version: '3' }, capabilities: {} }),
    request: (
      _: string,
      params: Record<string, unknown>,
      { client }: { client: { capabilities: object; info: unknown } },
    ) => {
      clients.push([client.capabilities, client.info, params]);
      return { messages: [] };
    },
    notify: () => undefined,
    watch: async () => () => undefined,
  };
  const report = await verify(recording.write(), service, {});
  expect(report).toMatchObject({ revision: '2026-07-28', counts: { same: 1 } });
  expect(clients).toEqual([[{ sampling: {} }, { name: 'editor', version: '9' }, { name: 'a' }]]);
});
