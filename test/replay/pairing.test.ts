// A recorded request gets the answer that belongs to it, whatever else is in the file.

import { expect, test } from 'vitest';
import { recorded, textOf, WrittenRecording } from './written-recording.ts';

const call = async (client: Awaited<ReturnType<WrittenRecording['client']>>, name: string, args?: object) =>
  textOf(await client.callTool(name, args as Record<string, unknown>));

test('the server has the recorded name, capabilities and instructions', async () => {
  const recording = new WrittenRecording();
  const serverInfo = { name: 'weather', version: '7', title: 'Weather' };
  recording.request(0, 'initialize', {});
  const capabilities = { tools: { listChanged: true } };
  recording.result(0, { protocolVersion: '2025-06-18', capabilities, serverInfo, instructions: 'Ask.' });
  const client = await recording.client();
  expect(client.server).toMatchObject({
    info: serverInfo,
    capabilities: { tools: { listChanged: true } },
    instructions: 'Ask.',
    revision: '2025-06-18',
  });
});

test('a recording of 2026-07-28 has its facts from server/discover', async () => {
  const recording = new WrittenRecording();
  recording.request(0, 'server/discover');
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '1' } };
  recording.result(0, {
    supportedVersions: ['2026-07-28'],
    capabilities: { prompts: {} },
    resultType: 'complete',
    _meta,
  });
  const { server } = await recording.client();
  expect(server).toMatchObject({ info: { name: 'modern' }, revision: '2026-07-28', capabilities: { prompts: {} } });
});

test('a recording that began after the handshake has the capabilities that were used', async () => {
  const recording = new WrittenRecording().call(5, 'tool').text(5, 'done');
  const client = await recording.client();
  expect(client.server.capabilities).toEqual({ tools: {} });
  expect(await call(client, 'tool')).toBe('done');
});

test('ids that are used again belong to the newest request', async () => {
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'a').text(1, 'first').call(1, 'b').text(1, 'second').call('1', 'c').text('1', 'third');
  const client = await recording.client();
  expect([await call(client, 'a'), await call(client, 'b'), await call(client, 'c')]).toEqual([
    'first',
    'second',
    'third',
  ]);
});

test('the same id in several process runs and runs of the program is not mixed up', async () => {
  const recording = new WrittenRecording().initialize();
  for (const [run, life] of [
    ['a', 1],
    ['a', 2],
    ['b', 1],
  ] as const)
    recording.call(1, `${run}${life}`, {}, { run, life });
  for (const [run, life] of [
    ['b', 1],
    ['a', 2],
    ['a', 1],
  ] as const)
    recording.text(1, `of ${run}${life}`, { run, life });
  // The numbers of events are their own for each run.
  const client = await recording.client();
  expect(await Promise.all(['a1', 'a2', 'b1'].map((name) => call(client, name)))).toEqual(['of a1', 'of a2', 'of b1']);
});

test('clients of an HTTP tap that use the same id at once are told apart by the HTTP request', async () => {
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'a', {}, { exchange: 1 }).call(1, 'b', {}, { exchange: 2 });
  recording.notify('notifications/message', { level: 'error', data: 'from a' }, { exchange: 1 });
  recording.text(1, 'of a', { exchange: 1, status: 200 }).text(1, 'of b', { exchange: 2, status: 200 });
  const client = await recording.client();
  const logs: unknown[] = [];
  client.onLog(({ data }) => logs.push(data));
  expect(await call(client, 'b')).toBe('of b');
  expect(logs).toEqual([]);
  expect(textOf(await client.callTool('a', {}, { logLevel: 'debug' }))).toBe('of a');
  expect(logs).toEqual(['from a']);
});

test('the messages of a batch are paired one by one', async () => {
  const recording = new WrittenRecording().initialize();
  const requests = ['a', 'b'].map((name, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: {} },
  }));
  const answers = ['of a', 'of b'].map((text, id) => ({
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text }] },
  }));
  recording.sent(requests).came(answers.reverse());
  const client = await recording.client();
  expect([await call(client, 'a'), await call(client, 'b')]).toEqual(['of a', 'of b']);
});

test('a late answer to a cancelled request is given, and one to a lost request', async () => {
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'cancelled').cancel(1).text(1, 'late').call(2, 'lost').exit(1).text(2, 'from the pipe');
  const client = await recording.client();
  expect(await call(client, 'cancelled')).toBe('late');
  expect(await call(client, 'lost')).toBe('from the pipe');
});

test('a cancelled request and one without an answer stay unanswered until the client gives up', async () => {
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'cancelled').cancel(1).call(2, 'pending');
  const client = await recording.client();
  for (const name of ['cancelled', 'pending']) {
    const abort = new AbortController();
    const waiting = client.callTool(name, {}, { signal: abort.signal });
    abort.abort(new Error('gave up'));
    await expect(waiting).rejects.toThrow('gave up');
  }
});

test('a request that was lost fails with OUTCOME_UNKNOWN in a program', async () => {
  const client = await new WrittenRecording().initialize().call(1, 'crashes').exit(1).client();
  await expect(client.callTool('crashes', {})).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
});

test('half of an answer at the end of the process is a lost request, and one that was too long is cut', async () => {
  const recording = new WrittenRecording().initialize().call(1, 'crashes').call(2, 'big');
  const fault = (code: string, id: number) => {
    const text = `{"jsonrpc":"2.0","id":${id},"result":{"content":[`;
    return { kind: 'fault', direction: 'fromServer', code, offset: 0, length: 9_000, text };
  };
  recording.line(fault('FRAME_TRUNCATED', 1)).line(fault('FRAME_TOO_LONG', 2)).exit(1);
  const client = await recording.client();
  await expect(client.callTool('crashes', {})).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect(client.callTool('big', {})).rejects.toThrow('is incomplete');
});

test('a server of MCP that prints an object with a version stays one', async () => {
  const recording = recorded('one')
    .came({ version: [1, 2] })
    .call(7, 'other')
    .text(7, 'two');
  expect(await call(await recording.client(), 'other')).toBe('two');
});

test('a recorded error has its code, message and data', async () => {
  const recording = new WrittenRecording().initialize().call(1, 'tool');
  recording.came({ jsonrpc: '2.0', id: 1, error: { code: -31_000, message: 'Quota used', data: { left: 0 } } });
  const client = await recording.client();
  const failed = client.callTool('tool', {});
  await expect(failed).rejects.toMatchObject({ rpcCode: -31_000, message: 'Quota used', data: { left: 0 } });
});

test('an HTTP error is an error with the status', async () => {
  const recording = new WrittenRecording().initialize().call(1, 'tool', {}, { exchange: 4 });
  const http = { kind: 'http', exchange: 4, method: 'POST', url: 'http://localhost/mcp' };
  recording.line({ ...http, state: 'answered', status: 503, waitMs: 1, body: 'other' });
  await expect((await recording.client()).callTool('tool', {})).rejects.toThrow('HTTP status 503');
});

test('progress reaches the request with its token, and not after its end', async () => {
  const recording = new WrittenRecording().initialize();
  const params = (name: string, progressToken: unknown) => ({ name, arguments: {}, _meta: { progressToken } });
  const step = (progressToken: unknown, progress: number) =>
    recording.notify('notifications/progress', { progressToken, progress });
  recording.request(1, 'tools/call', params('a', 1)).request(2, 'tools/call', params('b', '1'));
  step(1, 10);
  step('1', 20);
  recording.text(1, 'of a');
  step(1, 30);
  step('1', 40);
  step('unknown', 50);
  recording.text(2, 'of b');
  const client = await recording.client();
  const steps = async (name: string) => {
    const found: number[] = [];
    await client.callTool(name, {}, { onProgress: ({ progress }) => found.push(progress) });
    return found;
  };
  expect(await steps('a')).toEqual([10]);
  expect(await steps('b')).toEqual([20, 40]);
});

test('a question belongs to the newest request that may ask, and a ping is not asked', async () => {
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'asks').request(2, 'tools/list').request(3, 'resources/list');
  recording.came({ jsonrpc: '2.0', id: 'p', method: 'ping' });
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
  recording.came({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
  recording.sent({ jsonrpc: '2.0', id: 'q', result: { action: 'accept', content: { name: 'Ada' } } });
  recording.result(2, { tools: [] }).result(3, { resources: [] }).text(1, 'Hello Ada');
  const asked: string[] = [];
  const elicit = ({ message }: { message: string }) => {
    asked.push(message);
    return { action: 'accept' as const, content: {} };
  };
  const client = await recording.client({}, { elicit });
  expect(await call(client, 'asks')).toBe('Hello Ada');
  expect(asked).toEqual(['Who?']);
  // A client that cannot answer gets the recorded result all the same.
  expect(await call(await recording.client(), 'asks')).toBe('Hello Ada');
});

test('the questions of 2026-07-28 are asked by name, in each round', async () => {
  const recording = new WrittenRecording();
  recording.request(0, 'server/discover').result(0, { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
  const question = (message: string) => ({
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties: {} } },
  });
  recording.call(1, 'asks');
  recording.result(1, { resultType: 'input_required', inputRequests: { who: question('Who?') }, requestState: 's1' });
  const answers = { who: { action: 'accept', content: {} } };
  const params = { name: 'asks', arguments: {}, inputResponses: answers };
  recording.request(2, 'tools/call', { ...params, requestState: 's1' });
  recording.result(2, { resultType: 'input_required', inputRequests: { why: question('Why?') } });
  recording.request(3, 'tools/call', params).text(3, 'Thanks');
  const asked: string[] = [];
  const elicit = ({ message }: { message: string }) => {
    asked.push(message);
    return { action: 'accept' as const, content: {} };
  };
  const client = await recording.client({}, { elicit });
  expect(await call(client, 'asks')).toBe('Thanks');
  expect(asked).toEqual(['Who?', 'Why?']);
});

test('notifications outside of requests follow the answer that they followed, once', async () => {
  const recording = new WrittenRecording().initialize({ tools: { listChanged: true } });
  recording.call(1, 'adds').text(1, 'added').notify('notifications/tools/list_changed');
  recording.notify('notifications/cancelled', { requestId: 1 });
  const client = await recording.client();
  let count = 0;
  const changed = new Promise<void>((resolve) => {
    client.onListChanged('tools', () => {
      count++;
      resolve();
    });
  });
  await call(client, 'adds');
  await changed;
  await call(client, 'adds');
  await call(client, 'adds');
  expect(count).toBe(1);
});

test('stderr and stray output belong to the request that was running', async () => {
  const printed: string[] = [];
  const recording = new WrittenRecording().initialize().stderr('starting\n').call(1, 'noisy');
  recording.stderr('working\n').came('not a message').text(1, 'done').stderr('idle\n');
  const options = { onStderr: (text: string) => printed.push(text), onNoise: (text: string) => printed.push(text) };
  const service = recording.replay(options);
  const { clientOf } = await import('../../src/entry/client.ts');
  const client = await clientOf(service);
  await expect.poll(() => printed).toEqual(['starting\n']);
  await call(client, 'noisy');
  await expect.poll(() => printed).toEqual(['starting\n', 'working\n', 'not a message', 'idle\n']);
});

test('of several servers in a recording one is replayed, and LiteMCP servers are passed over', async () => {
  const recording = new WrittenRecording().initialize();
  const lite = { server: 'lite' };
  recording.sent({ id: 1, version: [1, 0], type: 'list' }, lite).came({ id: 1, version: [1, 0], data: {} }, lite);
  recording.line({ kind: 'state', from: 'idle', to: 'starting', server: 'never-used' });
  recording.call(1, 'tool').text(1, 'done');
  expect(await call(await recording.client(), 'tool')).toBe('done');
  recording
    .initialize(undefined, { server: 'other' })
    .call(2, 'tool', {}, { server: 'other' })
    .text(2, 'other', { server: 'other' });
  await expect(recording.client()).rejects.toMatchObject({
    message: expect.stringMatching(/has several servers: recorded, other$/),
    hint: 'Choose one: --server recorded',
  });
  expect(await call(await recording.client({ server: 'other' }), 'tool')).toBe('other');
  await expect(recording.client({ server: 'othr' })).rejects.toThrow('has no server named "othr"');
  await expect(recording.client({ server: 'lite' })).rejects.toThrow(
    'The server lite uses LiteMCP; only MCP can be replayed',
  );
});

test('a server is found among hundreds', async () => {
  const recording = new WrittenRecording();
  for (let each = 0; each < 300; each++) {
    const where = { server: `s${each}` };
    recording.initialize(undefined, where).call(1, 'tool', {}, where).text(1, `of ${each}`, where);
  }
  expect(await call(await recording.client({ server: 's299' }), 'tool')).toBe('of 299');
  await expect(recording.client({ server: 's300' })).rejects.toThrow('has no server named "s300"');
});

test.each(['extension', 'experimental', 'none'])('a task is given to a client of its form: %s', async (form) => {
  const recording = new WrittenRecording();
  const isModern = form !== 'experimental';
  const task = { taskId: 't1', status: 'working', createdAt: 'x', lastUpdatedAt: 'x' };
  const result = { content: [{ type: 'text', text: 'done' }] };
  if (isModern) {
    const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    recording.request(0, 'server/discover').result(0, { supportedVersions: ['2026-07-28'], capabilities });
    recording.call(1, 'slow').result(1, { resultType: 'task', ...task, ttlMs: null, pollIntervalMs: 1 });
    recording.request(2, 'tasks/get', { taskId: 't1' }).result(2, { ...task, ttlMs: null, pollIntervalMs: 1 });
    recording
      .request(3, 'tasks/get', { taskId: 't1' })
      .result(3, { ...task, ttlMs: null, status: 'completed', result });
  } else {
    recording.initialize({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
    recording.request(1, 'tools/call', { name: 'slow', arguments: {}, task: {} });
    recording.result(1, { task: { ...task, ttl: null, pollInterval: 1 } });
    recording.request(2, 'tasks/get', { taskId: 't1' }).result(2, { ...task, ttl: null, status: 'completed' });
    recording.request(3, 'tasks/result', { taskId: 't1' }).result(3, result);
  }
  const client = await recording.client({}, form === 'none' ? { extensions: [] } : {});
  expect(await call(client, 'slow')).toBe('done');
});
