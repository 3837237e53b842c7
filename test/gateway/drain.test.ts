// A gateway that closes: it refuses new requests with a reason, then the calls in flight end, then streams and sessions.

import { expect, test } from 'vitest';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';

interface Question {
  result: { requestState: string; inputRequests: object };
}

async function serving() {
  const server = new Server({ name: 'drained', version: '1.0.0' });
  let goOn!: () => void;
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let began!: () => void;
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const aborted: unknown[] = [];
  let left = 2;
  server.tool('waits', {}, async (_, call) => {
    call.signal.addEventListener('abort', () => aborted.push(call.signal.reason));
    if (--left === 0) began();
    await released;
    return 'done';
  });
  server.tool('asks', {}, async (_, call) => {
    const { content } = await call.elicit({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return `Hello ${content?.name}`;
  });
  const http = await serveHttp(server, { token: false });
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(http.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
  const capabilities = { elicitation: { form: {} } };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } };
  const opened = await post({ id: 0, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
  const modern = (id: number, name: string, more: object = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    return post({ id, method: 'tools/call', params: { name, arguments: {}, _meta, ...more } }, headers);
  };
  const legacy = (id: number, name: string) => post({ id, method: 'tools/call', params: { name } }, session);
  const listen = (headers: object = session) =>
    fetch(http.url, { headers: { accept: 'text/event-stream', ...headers } });
  return { http, post, session, modern, legacy, listen, goOn, running, aborted };
}

test('a draining gateway ends calls in flight, accepts answers to questions, and refuses new requests', async () => {
  const { http, post, session, modern, legacy, listen, goOn, running, aborted } = await serving();
  const stream = await listen();
  const question = (await (await modern(1, 'asks')).json()) as Question;
  const asking = legacy(5, 'asks');
  const calls = [modern(2, 'waits'), legacy(3, 'waits')];
  await running;
  const reader = (await asking).body!.getReader();
  let asked = '';
  while (!asked.includes('elicitation/create')) asked += new TextDecoder().decode((await reader.read()).value);
  const { id } = JSON.parse(/^data: (.*elicitation\/create.*)$/m.exec(asked)![1]!);
  const closed = http.close({ drainMs: 1_000_000 });
  const refused = await modern(4, 'waits');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('connection')).toBe('close');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ id: 4, error: { message: expect.stringContaining('stopping') } });
  expect((await legacy(6, 'waits')).status).toBe(503);
  expect((await listen()).status).toBe(503);
  expect((await fetch(`${new URL(http.url).origin}/readyz`)).status).toBe(503);
  // Pending questions can still be answered, in both eras.
  const answer = { action: 'accept', content: { name: 'Ada' } };
  expect((await post({ id, result: answer }, session)).status).toBe(202);
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    rest += new TextDecoder().decode(part.value);
  expect(rest).toContain('Hello Ada');
  const [key] = Object.keys(question.result.inputRequests);
  const continued = await modern(7, 'asks', {
    requestState: question.result.requestState,
    inputResponses: { [key!]: answer },
  });
  expect(JSON.stringify(await continued.json())).toContain('Hello Ada');
  goOn();
  for (const call of calls) expect(await (await call).text()).toContain('done');
  await closed;
  await stream.text(); // the stream ended without an error
  expect(aborted).toEqual([]);
  await expect(modern(8, 'waits')).rejects.toThrow();
});

test('without drain time, calls in flight are cancelled and answered with an error', async () => {
  const { http, modern, legacy, running, aborted } = await serving();
  const calls = [modern(1, 'waits'), legacy(2, 'waits')];
  await running;
  await http.close();
  for (const call of calls) expect(await (await call).text()).toContain('may have run');
  expect(aborted).toHaveLength(2);
});
