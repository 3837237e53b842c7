// A server that has forgotten its session, 2025-03-26 to 2025-11-25: the client opens a new one. No call is repeated or
// lost.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { Server } from '../../src/mcp/server/server.ts';
import type { HttpClientOptions } from '../../src/wire/transport/http/http-client.ts';
import { adapterOf } from '../fixtures/http-client/adapter.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { type Forgetful, official1, official2Sessions } from './official-servers.ts';
import { type Exchange, event, type Script, scripted } from './scripted-server.ts';

const revision = '2025-06-18';
const notFound = ({ response }: Pick<Exchange, 'response'>) => void response.writeHead(404).end();

interface ForgetfulOptions {
  /** Handles requests of unknown sessions. */
  refuse?: (exchange: Exchange) => void;
  /** Handles the request for a second session. */
  reopen?: (exchange: Exchange) => void;
  options?: ClientOptions;
  target?: Partial<HttpClientOptions>;
}

/**
 * A server whose sessions are named s1, s2, … It knows only the last one, until `forget`. Counts the calls that ran.
 */
async function forgetful(
  script: Script = {},
  { refuse = notFound, reopen, options = {}, target = {} }: ForgetfulOptions = {},
) {
  const state = {
    sessions: 0,
    known: '',
    ran: [] as string[],
    forget() {
      state.known = '';
    },
  };
  const own: Script = {
    initialize: (exchange) => {
      const { response, answer, message } = exchange;
      state.sessions++;
      if (state.sessions > 1 && reopen) return reopen(exchange);
      state.known = `s${state.sessions}`;
      response.setHeader('mcp-session-id', state.known);
      answer({
        protocolVersion: message.params?.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 's', version: String(state.sessions) },
      });
    },
    'notifications/initialized': ({ response }) => response.writeHead(202).end(),
    'notifications/cancelled': ({ response }) => response.writeHead(202).end(),
    answer: ({ response }) => response.writeHead(202).end(),
    'tools/call': ({ answer, message }) => {
      state.ran.push(String(message.params?.name));
      answer({ content: [] });
    },
    'tools/list': ({ answer }) => answer({ tools: [] }),
    get: ({ response }) => response.writeHead(405).end(),
    delete: ({ response }) => response.writeHead(200).end(),
    ...script,
  };
  const inSession = Object.entries(own).map(([what, act]): [string, Script[string]] => [
    what,
    (exchange) => {
      const isKnown = what === 'initialize' || exchange.request.headers['mcp-session-id'] === state.known;
      if (isKnown) act(exchange);
      else refuse(exchange);
    },
  ]);
  const server = await scripted(Object.fromEntries(inSession));
  later(server.close);
  const client = await connect({ url: server.url, auth: false, ...target }, { revision, ...options });
  later(() => client.close());
  return { client, server, state };
}

const error = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });

test.each<[string, (exchange: Exchange) => void]>([
  ['404', notFound],
  ['404 with a body', ({ json }) => json(error(-32001, 'Session not found'), 404)],
  ['400 that names the session', ({ json }) => json(error(-32000, 'Bad Request: No valid session ID'), 400)],
])('%s: opens one new session, in which each refused call runs once', async (_, refuse) => {
  const learned: object[] = [];
  const { client, server, state } = await forgetful(
    {},
    { refuse, target: { observer: { learned: (facts) => learned.push(facts) } } },
  );
  const changes: string[] = [];
  client.onListChanged('tools', () => changes.push('tools'));
  await client.listTools();
  state.forget();
  const before = server.seen.length;
  const names = Array.from({ length: 20 }, (_each, at) => `call-${at}`);
  await Promise.all(names.map((name) => client.callTool(name)));
  expect(state.ran.toSorted()).toEqual(names.toSorted());
  expect(state.sessions).toBe(2);
  expect(client.transport.sessionId).toBe('s2');
  expect(client.server.info.version).toBe('2');
  expect(changes).toEqual(['tools']);
  expect(learned.filter((facts) => 'session' in facts)).toHaveLength(2); // an observer sees both sessions
  const opened = server.seen.slice(before).filter(({ what }) => /initialize|get/.test(what));
  expect(opened.map(({ what, headers }) => [what, headers['mcp-session-id'], headers['mcp-protocol-version']])).toEqual(
    [
      ['initialize', undefined, undefined],
      ['notifications/initialized', 's2', revision],
      ['get', 's2', revision],
    ],
  );
  expect(opened[0]!.message).toEqual(server.seen[0]!.message);
  await client.listTools(); // the list of the old session is not used
  expect(server.seen.filter(({ what }) => what === 'tools/list')).toHaveLength(2);
});

test('running calls of the old session are not repeated: they end with their answer, or with an unknown outcome', async () => {
  const open = new Map<string, Exchange>();
  const { client, server, state } = await forgetful({
    'tools/call': (exchange) => {
      const name = String(exchange.message.params?.name);
      state.ran.push(name);
      open.set(name, exchange);
      if (name === 'cut') exchange.stream('id: e1\nretry: 1\ndata:\n\n');
      else if (name === 'again') exchange.answer({ content: [] });
    },
  });
  const answered = client.callTool('answered');
  const cut = client.callTool('cut').catch((thrown) => thrown);
  await until('both run', () => open.size === 2);
  state.forget();
  await client.callTool('again');
  open.get('cut')!.response.destroy();
  expect(await cut).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  open.get('answered')!.answer({ content: [{ type: 'text', text: 'done' }] });
  expect((await answered).content).toEqual([{ type: 'text', text: 'done' }]);
  expect(state.ran).toEqual(['answered', 'cut', 'again']);
  expect(server.seen.filter(({ what, headers }) => what === 'get' && headers['last-event-id'])).toEqual([]);
});

test('a question of the old session is aborted, and its answer reaches no other session', async () => {
  const question = { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: { message: 'Who?' } };
  let isAborted = false;
  const { client, server, state } = await forgetful(
    {
      'tools/call': ({ message, answer, stream }) => {
        if (message.params?.name === 'asks') return stream(event(question));
        answer({ content: [] });
      },
    },
    {
      options: {
        elicit: (_params, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              isAborted = true;
              resolve({ action: 'decline' });
            });
            state.forget();
            void client.listTools();
          }),
      },
    },
  );
  await expect(client.callTool('asks')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await client.callTool('again');
  expect(isAborted).toBe(true);
  expect(state.sessions).toBe(2);
  expect(server.seen.map(({ what }) => what)).not.toContain('answer');
});

test('a server stream that ends with the session is opened in the new one, even if 404 is the first reply', async () => {
  const { client, server, state } = await forgetful({
    get: ({ stream, response, request }) => {
      if (request.headers['mcp-session-id'] === 's2') return notFound({ response });
      stream('retry: 1\n\n');
      state.forget();
      response.end();
    },
  });
  await until('it is requested in both', () => server.seen.filter(({ what }) => what === 'get').length === 3);
  await client.callTool('run');
  expect(state.sessions).toBe(2);
});

test('uses a new session of a server whose name is not a string', async () => {
  const forgot = await forgetful(
    {},
    {
      reopen: ({ response, answer }) => {
        forgot.state.known = 's2';
        response.setHeader('mcp-session-id', 's2');
        const serverInfo = { name: { toString: 1 }, version: 2 };
        answer({ protocolVersion: revision, capabilities: { tools: {} }, serverInfo });
      },
    },
  );
  forgot.state.forget();
  await forgot.client.callTool('run');
  expect(forgot.state.ran).toEqual(['run']);
  expect(forgot.client.server.info).toMatchObject({ name: 'unknown', version: '2' });
});

test('calls that are refused in each new session fail, and after three new sessions the connection ends', async () => {
  const { client, state } = await forgetful({ 'tools/call': notFound });
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 'NOT_SENT' });
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 'NOT_SENT' });
  expect(await client.closed).toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: 'The server ended the session, after 3 new ones within 60 seconds',
  });
  expect(state.sessions).toBe(4);
});

test.each<[string, (exchange: Exchange) => void, string]>([
  ['refuses a new session', notFound, 'HTTP status 404'],
  ['refuses it with an error', ({ json, message }) => json({ ...error(-32000, 'Full'), id: message.id }), 'Full'],
  [
    'refuses it with an error whose message is not a string',
    ({ json, message: { id } }) => json({ jsonrpc: '2.0', id, error: { code: 1, message: { toString: 1 } } }),
    'does not answer this request',
  ],
  [
    'answers with too many values',
    ({ answer }) => answer({ protocolVersion: revision, capabilities: {}, many: Array(1_000_000).fill(0) }),
    'does not answer this request',
  ],
  ['has no message', ({ json }) => json('hello'), 'does not answer this request'],
  [
    'has another revision',
    ({ response, answer }) => {
      response.setHeader('mcp-session-id', 'other');
      answer({ protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 's', version: '1' } });
    },
    'it has the revision "2025-03-26" instead of 2025-06-18',
  ],
])('a server that %s ends the connection, and the calls did not run', async (_, refuse, why) => {
  const { client, server, state } = await forgetful({}, { reopen: refuse });
  state.forget();
  const calls = ['a', 'b'].map((name) => client.callTool(name).catch((thrown) => thrown));
  for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ code: 'NOT_SENT' });
  expect(await client.closed).toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: expect.stringContaining(why),
  });
  expect(state.ran).toEqual([]);
  const ended = server.seen.filter(({ what }) => what === 'delete').map(({ headers }) => headers['mcp-session-id']);
  expect(ended).toEqual(why.includes('revision') ? ['other'] : []);
});

test('a new session that is not answered ends the connection in time, and close meanwhile leaves no timer', async () => {
  for (const isClosed of [true, false]) {
    const clock = new ManualClock();
    const { client, state } = await forgetful({}, { reopen: () => undefined, target: { clock } });
    state.forget();
    const call = client.callTool('run').catch((thrown) => thrown);
    await until('it requests a new session', () => state.sessions === 2);
    const later = client.callTool('later').catch((thrown) => thrown);
    if (isClosed) await client.close();
    else clock.advance(30_000);
    expect(await call).toMatchObject({ code: 'NOT_SENT' });
    expect(await later).toMatchObject({ code: 'NOT_SENT' });
    await client.closed;
    expect(clock.pending).toBe(0);
    expect(state.ran).toEqual([]);
  }
});

test('restores subscriptions and the log level, and reports possible changes', async () => {
  const server = new Server({ name: 'ours', version: '1.0.0' });
  server.resource('memo://a', { name: 'a' }, () => 'noted');
  server.tool('logs', {}, (_input, call) => {
    call.log('debug', 'said');
    return 'done';
  });
  const serving = await serveHttp(server, { token: false });
  later(() => serving.close());
  const adapter = await adapterOf(String(serving.url));
  const client = await connect({ url: adapter.url }, { revision: '2025-11-25' });
  later(() => client.close());
  const [updates, changes, logs]: [string[], string[], unknown[]] = [[], [], []];
  await client.subscribe('memo://a', ({ uri }) => updates.push(uri));
  client.onListChanged('resources', () => changes.push('resources'));
  client.onLog(({ data }) => logs.push(data));
  await client.setLogLevel('debug');
  const old = client.transport.sessionId!;
  await fetch(serving.url, {
    method: 'DELETE',
    headers: { 'mcp-session-id': old, 'mcp-protocol-version': '2025-11-25' },
  });
  expect((await client.callTool('logs')).content).toEqual([{ type: 'text', text: 'done' }]);
  expect(client.transport.sessionId).not.toBe(old);
  await until('all is restored', () => updates.length === 1 && changes.length === 1);
  await until('the level is set', () => adapter.steps.filter((step) => step === 'logging/setLevel').length === 2);
  server.resourceUpdated('memo://a');
  await until('an update of the new session', () => updates.length === 2);
  logs.length = 0;
  await client.setLogLevel('debug'); // after the request that restored the level
  await client.callTool('logs');
  await until('it logs', () => logs.includes('said'));
});

test('a subscription that the new session refuses ends', async () => {
  const { client, state } = await forgetful({
    'resources/subscribe': ({ answer, json, message }) => {
      if (state.sessions === 1) answer();
      else json({ ...error(-32002, 'Gone'), id: message.id });
    },
  });
  const ends: string[] = [];
  await client.subscribe('memo://a', () => undefined, { onClosed: (why) => ends.push(why) });
  state.forget();
  await client.callTool('run');
  await until('it has ended', () => ends.length > 0);
  expect(ends).toEqual(['server']);
  expect(client.warnings.map(({ topic }) => topic)).toContain('subscribe-failed');
});

test.each<[string, () => Promise<Forgetful>, 'end' | 'forget']>([
  ['1.x that ended the session', official1, 'end'],
  ['1.x that was restarted', official1, 'forget'],
  ['2.x that ended the session', official2Sessions, 'end'],
  ['2.x that was restarted', official2Sessions, 'forget'],
])('opens a new session at an official server: %s', async (_, serve, loseSessions) => {
  const serving = await serve();
  later(() => serving.close());
  const client = await connect({ url: serving.url }, { revision: '2025-11-25' });
  later(() => client.close());
  const old = client.transport.sessionId;
  await serving[loseSessions]();
  expect((await client.callTool('echo', { text: 'hello' })).content).toEqual([{ type: 'text', text: 'hello' }]);
  expect(client.transport.sessionId).not.toBe(old);
});
