// Meaning of a lost connection: a session loses no messages and cancels nothing, while a request of 2026-07-28 is cancelled.

import { afterEach, expect, test } from 'vitest';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts a server whose tool reports progress, and then waits until the test releases it. */
async function serving() {
  let goOn!: () => void;
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let abort!: (reason: unknown) => void;
  const aborted = new Promise<unknown>((resolve) => {
    abort = resolve;
  });
  const server = new Server({ name: 'streams', version: '1.0.0' });
  server.tool('waits', {}, async (_, call) => {
    call.signal.addEventListener('abort', () => abort(call.signal.reason));
    call.progress(1, 2);
    await released;
    call.progress(2, 2);
    return call.signal.aborted ? 'aborted' : 'done';
  });
  server.tool('echo', {}, async (args, call) => {
    call.progress(1);
    await Promise.resolve();
    return JSON.stringify(args);
  });
  const { url, token, close } = await serveHttp(server);
  closing.push(close);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
  };
  const post = (body: object, more: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body), signal });
  const get = (more: Record<string, string>) => fetch(url, { headers: { ...headers, ...more } });
  return { post, get, goOn, aborted };
}

type Post = Awaited<ReturnType<typeof serving>>['post'];

async function openSession(post: Post) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
}

const call = (id: number, name: string, args: object = {}, meta: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: 'same', ...meta } },
});
const modernHeaders = (name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': name,
});

interface SseEvent {
  id: string | undefined;
  data: string;
}

async function* eventsOf(response: Response): AsyncGenerator<SseEvent> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) yield { id: field('id'), data };
    }
  }
}

test('a client of a session that reconnects gets the missed events, and its request was not cancelled', async () => {
  const { post, get, goOn } = await serving();
  const session = await openSession(post);
  const connection = new AbortController();
  const first = await post(call(1, 'waits'), session, connection.signal);
  const seen: SseEvent[] = [];
  for await (const event of eventsOf(first)) {
    seen.push(event);
    if (event.data.includes('"progress":1')) break;
  }
  connection.abort();
  goOn();
  const rest = await get({ ...session, 'last-event-id': seen.at(-1)!.id! });
  expect(rest.status).toBe(200);
  const missed: SseEvent[] = [];
  for await (const event of eventsOf(rest)) missed.push(event);
  expect(
    missed.map(({ data }) => JSON.parse(data)).map(({ params, result }) => params?.progress ?? result?.content[0].text),
  ).toEqual([2, 'done']);
});

test('a client that reconnects before the loss is noticed gets the missed events, and the old connection is closed', async () => {
  const { post, get, goOn } = await serving();
  const session = await openSession(post);
  const lost = eventsOf(await post(call(1, 'waits'), session));
  let seen = (await lost.next()).value!;
  while (!seen.data.includes('"progress":1')) seen = (await lost.next()).value!;
  const back = { ...session, 'last-event-id': seen.id! };
  const [second, third] = [eventsOf(await get(back)), eventsOf(await get(back))];
  // Each replaced stream ends, and does not affect the newest one.
  expect(await lost.next()).toMatchObject({ done: true });
  expect(await second.next()).toMatchObject({ done: true });
  goOn();
  const rest: string[] = [];
  for await (const { data } of third) rest.push(data);
  expect(rest.at(-1)).toContain('"done"');
});

test('in 2026-07-28 closing the connection cancels the request', async () => {
  const { post, goOn, aborted } = await serving();
  const connection = new AbortController();
  const response = await post(call(1, 'waits', {}, modernMeta), modernHeaders('waits'), connection.signal);
  for await (const { data } of eventsOf(response)) if (data.includes('"progress":1')) break;
  connection.abort();
  await aborted;
  goOn();
});

test('clients that use the same ids and progress tokens get their own answers', async () => {
  const { post } = await serving();
  const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(post)));
  const calls = Array.from({ length: 400 }, (_, at) => ({ client: at % 20, number: at }));
  const wrong: string[] = [];
  await Promise.all(
    calls.map(async ({ client, number }) => {
      const isModern = client >= 10;
      const id = isModern ? 1 : Math.floor(number / 20) + 1;
      const body = call(id, 'echo', { client, number }, isModern ? modernMeta : {});
      const response = await post(body, isModern ? modernHeaders('echo') : sessions[client]);
      const messages: { id?: number; params?: object; result?: { content: { text: string }[] } }[] = [];
      for await (const { data } of eventsOf(response)) if (data !== '') messages.push(JSON.parse(data));
      const answer = messages.at(-1);
      const isRight = answer?.id === id && answer.result?.content[0]?.text === JSON.stringify({ client, number });
      if (!isRight || messages.length !== 2) wrong.push(JSON.stringify({ client, number, messages }));
    }),
  );
  expect(wrong).toEqual([]);
});
