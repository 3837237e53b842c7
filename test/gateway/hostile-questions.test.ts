// Fifty principals at one server of 2025-11-25 behind the gateway, some of which never answer questions: calls of the others are answered
// meanwhile, and a question never reaches another principal.

import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import type { Auth } from '../../src/host/gateway/access/auth.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';

const PRINCIPALS = 50;
const fixture = (name: string) => [fileURLToPath(new URL(`../fixtures/gateway/${name}`, import.meta.url))];
const args = fixture('asks.mjs');

/** A header names the principal: these tests do not verify identities. */
const auth: Auth = { authenticate: (request) => ({ name: request.header('x-test-principal')! }) };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(more: object = {}) {
  const entry = { command: process.execPath, args, revision: '2025-11-25' as const, ...more };
  const host = new Host({ mcpServers: { asks: entry } });
  closing.push(() => host.stop());
  const http = await serveHttp((name) => (name === 'asks' ? host.service(name) : undefined), { auth });
  closing.push(() => http.close());
  return {
    host,
    status: () => host.status()[0]!,
    client: (principal: string, answers: boolean) => clientOf(`${http.url}/asks`, principal, answers),
  };
}

async function clientOf(url: string, principal: string, answers: boolean) {
  const asked: string[] = [];
  const client = new Client({ name: principal, version: '1' }, { capabilities: { elicitation: { form: {} } } });
  let isAsked!: () => void;
  const whenAsked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  client.setRequestHandler('elicitation/create', async ({ params: { message } }) => {
    asked.push(message);
    isAsked();
    return answers ? { action: 'accept', content: { secret: message } } : new Promise<never>(() => undefined);
  });
  const requestInit = { headers: { 'x-test-principal': principal } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  closing.push(() => client.close());
  const call = async (tool: string, secret: string, signal?: AbortSignal) => {
    const options = { timeout: 600_000, ...(signal && { signal }) };
    const { content, isError } = await client.callTool({ name: tool, arguments: { secret } }, options);
    const [{ text }] = content as unknown as [{ text: string }];
    return isError ? `failed: ${text}` : text;
  };
  return { client, principal, asked, whenAsked, call };
}

type TestClient = Awaited<ReturnType<typeof clientOf>>;

const others = (open: (principal: string, answers: boolean) => Promise<TestClient>) =>
  Promise.all(Array.from({ length: PRINCIPALS - 1 }, (_, at) => open(`other-${at}`, true)));

/** All clients call concurrently, each client one tool after the other. Resolves to the wrong answers. */
async function wrong(clients: readonly TestClient[], tools: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const work = async ({ principal, call, asked }: TestClient) => {
    for (const [at, tool] of tools.entries()) {
      const secret = `${principal}/${at}`;
      const answer = await call(tool, secret).catch((error: Error) => `failed: ${error.message}`);
      if (answer !== secret) found.push(`${secret} (${tool}) got ${answer}`);
    }
    found.push(...asked.filter((secret) => !secret.startsWith(`${principal}/`)));
  };
  await Promise.all(clients.map(work));
  return found;
}

test('calls of 49 principals are answered while a question to another is pending', { timeout: 240_000 }, async () => {
  const { client, status } = await start();
  const hostile = await client('hostile', false);
  const honest = await others(client);
  const open = new AbortController();
  let ended = 0;
  const unanswered = async () => {
    await hostile.call('elicit', 'hostile/1', open.signal).catch(() => undefined);
    ended++;
  };
  const first = unanswered();
  await hostile.whenAsked;
  expect(await wrong(honest, ['plain', 'plain', 'plain'])).toEqual([]);
  // Tools that ask questions: each principal runs them without waiting for the hostile client.
  const second = unanswered();
  for (const each of honest.slice(0, 5)) expect(await wrong([each], ['elicit', 'plain', 'elicit'])).toEqual([]);
  expect(ended).toBe(0);
  expect(hostile.asked.every((secret) => secret === 'hostile/1')).toBe(true);
  expect(status().questions.refused).toBe(0);
  open.abort();
  await Promise.all([first, second]);
});

test('with more pending questions than processes, other calls are answered and further questions refused', {
  timeout: 240_000,
}, async () => {
  const { client, status } = await start({ asks: ['elicit'], share: { by: 'all', maxProcesses: 3 } });
  const hostile = await Promise.all(Array.from({ length: 6 }, (_, at) => client(`hostile-${at}`, false)));
  const open = new AbortController();
  const unanswered: Promise<unknown>[] = [];
  for (const each of hostile) {
    unanswered.push(each.call('elicit', `${each.principal}/1`, open.signal).catch(() => undefined));
    if (unanswered.length <= 3) await each.whenAsked;
  }
  const honest = await others(client);
  expect(await wrong(honest, ['plain', 'plain'])).toEqual([]);
  expect(status().processes.map(({ owner }) => owner)).toEqual([
    'all',
    'calls that ask questions',
    'calls that ask questions',
  ]);
  expect(hostile.slice(0, 3).map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
  open.abort();
  await Promise.all(unanswered);
  for (const { principal, asked } of hostile) expect(asked.filter((each) => each !== `${principal}/1`)).toEqual([]);
});

test('a client that cancels each call during its question does not prevent questions to others', {
  timeout: 240_000,
}, async () => {
  const { client } = await start({ asks: ['elicit'] });
  const hostile = await client('hostile', false);
  const honest = await Promise.all(['ada', 'grace'].map((name) => client(name, true)));
  let isHostile = true;
  const abandoning = (async () => {
    while (isHostile) {
      const before = hostile.asked.length;
      const giveUp = new AbortController();
      const call = hostile.call('elicit', 'hostile/1', giveUp.signal).catch(() => undefined);
      await expect.poll(() => hostile.asked.length > before || !isHostile, { timeout: 120_000 }).toBe(true);
      giveUp.abort();
      await call;
    }
  })();
  await hostile.whenAsked;
  expect(await wrong(honest, ['plain', 'elicit', 'plain', 'elicit'])).toEqual([]);
  isHostile = false;
  await abandoning;
});

test('questions during completions, subscriptions and log levels do not reach other principals', {
  timeout: 240_000,
}, async () => {
  const { client } = await start({ args: fixture('asks-anywhere.mjs') });
  const [ada, eve] = await Promise.all([client('ada', true), client('eve', true)]);
  const open = eve.call('hold', 'eve/1');
  await eve.call('held', 'eve/0');
  const requests = [
    ada.client.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: 'ada/1' } }),
    ada.client.subscribeResource({ uri: 'ada/2' }),
    ada.client.setLoggingLevel('debug'),
  ];
  await eve.client.callTool({ name: 'release', arguments: { secret: 'eve/2', count: requests.length } });
  const [completion] = await Promise.all([...requests, open]);
  expect(completion).toMatchObject({ completion: { values: [expect.stringMatching(/^(ada\/1|undefined)$/)] } });
  expect(eve.asked).toEqual([]);
  expect(ada.asked.filter((secret) => secret !== 'ada/1')).toEqual([]);
});

test('300 unanswered questions of one principal do not delay a question of another', { timeout: 240_000 }, async () => {
  const { client } = await start({ args: fixture('asks-anywhere.mjs'), share: { by: 'all', maxProcesses: 1 } });
  const [ada, eve] = await Promise.all([client('ada', true), client('eve', false)]);
  const giveUp = new AbortController();
  const args = { name: 'ask', arguments: { secret: 'eve/1', count: 300 } };
  const open = eve.client.callTool(args, { signal: giveUp.signal, timeout: 600_000 }).catch(() => undefined);
  await expect.poll(() => eve.asked.length, { timeout: 120_000 }).toBe(16);
  const call = ada.call('ask', 'ada/1');
  giveUp.abort();
  await open;
  expect(await call).toBe('ada/1');
  expect([...ada.asked, ...eve.asked].filter((secret) => secret === 'ada/1').length).toBe(ada.asked.length);
  expect(eve.asked).toEqual(Array(16).fill('eve/1'));
});
