// Tasks of 2026-07-28 at the HTTP gateway, of servers of each kind: one server, and the merged service.

import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import { answerIn } from '../fixtures/gateway/answer-in.ts';
import type { Message } from './raw-session.ts';

const file = fileURLToPath(new URL('../fixtures/tasks/keyed-server.mjs', import.meta.url));
const command = process.execPath;
const servers = {
  modern: { command, args: [file, 'required'], revision: '2026-07-28' },
  legacy: { command, args: [file, 'required'], revision: '2025-11-25' },
  hosted: { command, args: [file], tasks: { after: '1ms' } },
};
const cases = Object.keys(servers).flatMap((server) => [`/${server}`, ''].map((path) => [server, path] as const));
const META = 'io.modelcontextprotocol';
const envelope = {
  [`${META}/protocolVersion`]: '2026-07-28',
  [`${META}/clientCapabilities`]: { elicitation: {}, extensions: { [TASKS]: {} } },
};

const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } });
const host = new Host({ mcpServers: servers } as never);
let gateway = '';

beforeAll(async () => {
  await host.start();
  const authenticate = async (request: { header(name: string): string | undefined }) => ({
    name: request.header('authorization')!,
  });
  const serving = await serveHttp((name) => host.service(name), { auth: { authenticate } } as never);
  gateway = serving.url;
  // The first client of a process determines the questions that it may send.
  for (const server of Object.keys(servers)) {
    const client = await connect({ url: `${gateway}/${server}`, headers: { authorization: 'ada' } }, { elicit });
    await client.callTool('runs', {});
    await client.close();
  }
  return async () => {
    await serving.close();
    await host.stop();
  };
});

let last = 0;

/** A server that has the extension: the id is signed for its principal, and names the process run. */
const ids: Record<string, string> = { modern: 'standpipe:[0-9a-f]{32}/standpipe:[0-9a-f]{12}/[0-9a-f]{32}' };

describe.each(cases)('a task of a server of the kind %s at "%s"', (server, path) => {
  const tool = (name: string) => (path === '' ? `${server}__${name}` : name);

  function opened() {
    const key = String(++last);
    const url = gateway + path;
    const post = (method: string, params: object, headers: Record<string, string> = {}, authorization = 'ada') =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          authorization,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
      });
    const create = async () => {
      const name = tool('result');
      const response = await post('tools/call', { name, arguments: { key } }, { 'mcp-name': name });
      // On a busy machine, the answer is the last event of a stream.
      return answerIn(await response.text())!.result as Record<string, unknown> & { taskId: string };
    };
    const call = (name: string) => host.callTool(server, name, { key });
    return { key, url, post, create, call };
  }

  test('is declared and created in the form of 2026-07-28', async () => {
    const { post, create } = opened();
    const { result } = (await (await post('server/discover', {})).json()) as Message;
    const capabilities = result!.capabilities as Record<string, unknown>;
    expect(capabilities).toMatchObject({ extensions: { [TASKS]: {} } });
    expect(capabilities.tasks).toBeUndefined();
    const { statusMessage: _, ...created } = await create();
    const id = ids[server] ?? '[0-9a-f]{32}';
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(new RegExp(`^${path === '' ? `standpipe:${server}/` : ''}${id}$`)),
      status: 'working',
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
      ttlMs: 3_600_000,
      pollIntervalMs: expect.any(Number),
      _meta: expect.anything(),
    });
    for (const method of ['tasks/list', 'tasks/result']) {
      const { error } = (await (await post(method, { taskId: 'x' }, { 'mcp-name': 'x' })).json()) as Message;
      expect(error).toMatchObject({ code: -32601 });
    }
  });

  test('is found by `Mcp-Name`, which must be its id', async () => {
    const { post, create } = opened();
    const { taskId } = await create();
    const asked = async (method: string, headers: Record<string, string>) => {
      const response = await post(method, { taskId, inputResponses: {} }, headers);
      return [response.status, ((await response.json()) as Message).error?.code];
    };
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await asked(method, { 'mcp-name': taskId })).toEqual([200, undefined]);
      const encoded = `=?base64?${Buffer.from(taskId).toString('base64')}?=`;
      expect(await asked(method, { 'mcp-name': encoded })).toEqual([200, undefined]);
      expect(await asked(method, { 'mcp-name': `${taskId}0` })).toEqual([400, -32020]);
      expect(await asked(method, {})).toEqual([400, -32020]);
    }
  });

  test('does not exist for another principal', async () => {
    const { post, create } = opened();
    const { taskId } = await create();
    const asked = async (principal: string, method: string, of: string) => {
      const response = await post(method, { taskId: of, inputResponses: {} }, { 'mcp-name': of }, principal);
      return ((await response.json()) as Message).error;
    };
    const unknown = taskId.replace(/.{8}$/, '00000000');
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const refused = await asked('bob', method, taskId);
      expect(refused).toMatchObject({ code: -32602 });
      expect(refused).toEqual(await asked('bob', method, unknown));
      expect(await asked('ada', method, taskId)).toBeUndefined();
    }
  });

  test('notifies clients that listen to its id and may use it', async () => {
    const { post, create, call } = opened();
    const { taskId } = await create();
    const listening = async (principal: string) => {
      const wanted = { notifications: { taskIds: [taskId, 'unknown'] } };
      const response = await post('subscriptions/listen', wanted, {}, principal);
      return messagesOf(response.body!);
    };
    const [own, others] = await Promise.all([listening('ada'), listening('bob')]);
    const acknowledged = async (messages: AsyncIterator<Message>) => (await messages.next()).value;
    const _meta = { [`${META}/subscriptionId`]: 1 };
    expect(await acknowledged(own)).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta },
    });
    expect(JSON.stringify(await acknowledged(others))).not.toContain(taskId);
    await call('release');
    for (;;) {
      const { method, params } = (await own.next()).value as Message;
      expect([method, params!.taskId]).toEqual(['notifications/tasks', taskId]);
      expect(params!._meta).toMatchObject(_meta);
      if (params!.status === 'working') continue;
      expect(params).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
      break;
    }
    await own.return!(undefined);
    await others.return!(undefined);
  });

  test('is followed by `callTool`, sends questions to its client, and is cancelled', async () => {
    const { key, url, call } = opened();
    const client = await connect({ url, headers: { authorization: 'ada' } }, { elicit });
    onTestFinished(() => client.close());
    const handle = await client.callTool(tool('result'), { key }, { task: 'handle' });
    expect(await handle.status()).toMatchObject({ taskId: handle.taskId, status: 'working' });
    await call('begun');
    await handle.cancel();
    await call('aborted');
    await expect(handle.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    const asking = client.callTool(tool('question-at-once'), {});
    expect(await asking).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });
});

/** The messages of an event stream. */
async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6)) as Message;
  }
}
