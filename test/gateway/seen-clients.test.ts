// Clients in the flow: the messages between each client and the host, in every era and over every gateway, and the frames of servers that
// belong to them.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeText } from '../../src/base/decode-text.ts';
import { type ControlServer, serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { isModernRevision, type Revision } from '../../src/mcp/revisions.ts';
import { Analysis } from '../../src/observe/analysis/analysis.ts';
import type { ClientSummary } from '../../src/observe/analysis/clients.ts';
import { linkedWith } from '../../src/observe/analysis/links.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const everything = fileURLToPath(new URL('../fixtures/cli/everything.mjs', import.meta.url));
const fallsOnce = fileURLToPath(new URL('../fixtures/gateway/falls-once.mjs', import.meta.url));
const calculator = fileURLToPath(new URL('../../examples/litemcp/calculator.mjs', import.meta.url));
const folder = temporaryFolder('seen');
const revisions = ['2026-07-28', '2025-11-25'] as const satisfies Revision[];

let host: Host;
let serving: HttpServing;
let control: ControlServer;

beforeAll(async () => {
  const entry = { command: process.execPath, args: [everything] };
  const inputs = () => ({ elicit: () => ({ action: 'decline' as const }) });
  host = new Host(
    {
      mcpServers: {
        modern: { ...entry, revision: '2026-07-28' },
        legacy: { ...entry, revision: '2025-11-25' },
        falls: { ...entry, args: [fallsOnce, join(folder, 'fell')] },
        calculator: { ...entry, args: [calculator], protocol: 'litemcp' },
      },
    },
    { inputs },
  );
  serving = await serveHttp((name) => host.service(name), { observeClient: host.clients.observe });
  control = await serveControl(host, join(folder, 'control'));
});

afterAll(async () => {
  await serving.close();
  await control.close();
  await host.stop();
});

/** Analyses the flow from an event on. */
function analysed(after = 0) {
  const analysis = new Analysis();
  for (const event of host.flow.since(after)) analysis.see(event, 0);
  return { analysis, clients: analysis.clients.list() };
}

async function official(server: string, revision: Revision, name: string) {
  const client = new Client(
    { name, version: '1.0' },
    {
      capabilities: { elicitation: { form: {} } },
      ...(isModernRevision(revision)
        ? { versionNegotiation: { mode: 'auto' } }
        : { supportedProtocolVersions: [revision] }),
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name } }));
  const url = new URL(`${serving.url}/${server}`);
  const requestInit = { headers: { authorization: `Bearer ${serving.token}` } };
  const Transport = revision === '2024-11-05' ? SSEClientTransport : StreamableHTTPClientTransport;
  await client.connect(new Transport(url, { requestInit }));
  return client;
}

const named = (clients: ClientSummary[], wanted: string) => clients.filter(({ name }) => name === wanted);

test.each([
  ['2026-07-28', 'http', true],
  ['2025-11-25', 'http', false],
  ['2024-11-05', 'http+sse', false],
] as const)('a client of %s is listed with its gateway, revision and traffic', async (revision, door, stateless) => {
  const client = await official('modern', revision, `listed-${revision}`);
  await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  await client.callTool({ name: 'fails', arguments: {} });
  await client.close();
  const listed = () => named(analysed().clients, `listed-${revision}`);
  if (door === 'http+sse') await until('it is gone', () => listed()[0]?.closedAtMs !== undefined);
  expect(listed()).toHaveLength(1);
  const [seen] = listed();
  expect(seen).toMatchObject({ door, revision, version: '1.0', principal: 'owner', stateless, errors: 1 });
  expect(seen!.requests).toBeGreaterThanOrEqual(3);
  expect(seen!.bytesIn).toBeGreaterThan(0);
  expect(seen!.bytesOut).toBeGreaterThan(seen!.bytesIn / 10);
});

test('a program at the socket is a client until it disconnects', async () => {
  const remote = (await RemoteHost.connect(control.path))!;
  await remote.client('modern').callTool('greet', { name: 'Ada' });
  await remote.close();
  const gone = () => analysed().clients.filter(({ door, closedAtMs }) => door === 'socket' && closedAtMs !== undefined);
  await until('it is gone', () => gone().some(({ requests }) => requests > 0));
  expect(gone()[0]).toMatchObject({ name: 'standpipe', revision: '2026-07-28' });
});

test.each(revisions.flatMap((client) => revisions.map((server) => [client, server] as const)))(
  'a request of a client of %s and the frames of a server of %s are one exchange',
  async (revision, serverRevision) => {
    const server = isModernRevision(serverRevision) ? 'modern' : 'legacy';
    const before = host.flow.lastSeq;
    const client = await official(server, revision, `linked-${revision}-${serverRevision}`);
    await client.callTool({ name: 'greet', arguments: { name: 'Grace' } });
    await client.close();
    const { analysis } = analysed(before);
    const calls = host.flow.since(before).flatMap((event) => analysis.exchangesOf(event.seq));
    const call = calls.find(({ direction, tool }) => direction === 'fromClient' && tool === 'greet')!;
    const together = linkedWith(call).map(({ direction, tool, outcome }) => ({ direction, tool, outcome }));
    expect(together).toEqual([
      { direction: 'fromClient', tool: 'greet', outcome: 'ok' },
      { direction: 'toServer', tool: 'greet', outcome: 'ok' },
    ]);
    const [upstream] = call.links!;
    expect(upstream).toMatchObject({ server });
    expect(upstream!.startMs).toBeGreaterThanOrEqual(call.startMs);
    expect(upstream!.endMs).toBeLessThanOrEqual(call.endMs!);
  },
);

test.each(revisions.flatMap((client) => revisions.map((server) => [client, server] as const)))(
  'the questions during a call of a client of %s to a server of %s belong to its exchange',
  async (revision, serverRevision) => {
    const server = isModernRevision(serverRevision) ? 'modern' : 'legacy';
    const before = host.flow.lastSeq;
    const client = await official(server, revision, `asked-${revision}-${serverRevision}`);
    await client.callTool({ name: 'asks', arguments: {} });
    await client.close();
    const { analysis } = analysed(before);
    const exchanges = host.flow.since(before).flatMap(({ seq }) => analysis.exchangesOf(seq));
    const call = exchanges.find(({ direction, tool }) => direction === 'fromClient' && tool === 'asks')!;
    const together = linkedWith(call).map(({ direction, method, outcome }) => [direction, method, outcome].join(' '));
    const questions = [
      ...(server === 'legacy' ? ['fromServer elicitation/create ok'] : ['toServer tools/call ok']),
      // A client of 2026-07-28 gets the question as a result, and sends its request again with the answer.
      ...(isModernRevision(revision) ? ['fromClient tools/call ok'] : ['toClient elicitation/create ok']),
    ];
    expect(together.sort()).toEqual(['fromClient tools/call ok', 'toServer tools/call ok', ...questions].sort());
  },
);

test('a call of a LiteMCP server is one exchange', async () => {
  const before = host.flow.lastSeq;
  const client = await official('calculator', '2026-07-28', 'calculating');
  const [tool] = (await client.listTools()).tools;
  const args = Object.keys(tool!.inputSchema.properties ?? {}).map((name) => [name, 2]);
  await client.callTool({ name: tool!.name, arguments: Object.fromEntries(args) });
  await client.close();
  const { analysis } = analysed(before);
  const exchanges = host.flow.since(before).flatMap(({ seq }) => analysis.exchangesOf(seq));
  const call = exchanges.find(({ direction, method }) => direction === 'fromClient' && method === 'tools/call')!;
  expect(linkedWith(call).map(({ server, method }) => [server, method])).toEqual([
    [call.server, 'tools/call'],
    ['calculator', 'call'],
  ]);
});

test('a request that is sent again after a crash has one exchange with both processes', async () => {
  const before = host.flow.lastSeq;
  const client = await official('falls', '2025-11-25', 'retrying');
  // A call is repeated only if the lost process had declared the tool as safe to repeat.
  await client.listTools();
  await client.callTool({ name: 'falls-once', arguments: {} });
  await client.close();
  const { analysis } = analysed(before);
  const exchanges = host.flow.since(before).flatMap(({ seq }) => analysis.exchangesOf(seq));
  const call = exchanges.find(({ direction, tool }) => direction === 'fromClient' && tool === 'falls-once')!;
  expect(linkedWith(call).map(({ server, life, outcome }) => [server, life, outcome])).toEqual([
    [call.server, 1, 'ok'],
    ['falls', 1, 'lost'],
    ['falls', 2, 'ok'],
  ]);
});

test('clients of 2026-07-28 with the same name and principal are one client in the list', async () => {
  const clients = await Promise.all(Array.from({ length: 5 }, () => official('modern', '2026-07-28', 'many')));
  await Promise.all(clients.map((client) => client.callTool({ name: 'greet', arguments: { name: 'Ada' } })));
  await Promise.all(clients.map((client) => client.close()));
  const [seen, ...others] = named(analysed().clients, 'many');
  expect(others).toEqual([]);
  expect(seen!.requests).toBeGreaterThanOrEqual(10);
  // Each answer is matched to its own request, although all clients use the same ids.
  const { analysis } = analysed();
  const exchanges = host.flow.since(0).flatMap(({ seq }) => analysis.exchangesOf(seq));
  const own = exchanges.filter(({ server }) => server === seen!.client);
  expect(own.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
});

test('a refused request is shown with its status, as a problem of the client', async () => {
  const before = host.flow.lastSeq;
  const headers = { authorization: `Bearer ${serving.token}`, 'content-type': 'application/json' };
  const post = (body: string) => fetch(`${serving.url}/modern`, { method: 'POST', headers, body });
  expect((await post('{"jsonrpc":')).status).toBe(400);
  expect((await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(400);
  const { analysis, clients } = analysed(before);
  expect(clients).toHaveLength(1);
  expect(clients[0]).toMatchObject({ door: 'http', principal: 'owner', errors: 2 });
  const refused = analysis.problems.find(({ kind }) => kind === 'refused');
  expect(refused).toMatchObject({ server: clients[0]!.client, count: 2 });
  expect(refused!.explanation).toContain('HTTP 400');
});

test('the flow contains neither tokens nor session ids', async () => {
  const client = await official('modern', '2025-11-25', 'secretive');
  await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  const { sessionId } = client.transport as StreamableHTTPClientTransport;
  await client.close();
  const old = await official('modern', '2024-11-05', 'secretive');
  await old.close();
  const flow = host.flow
    .since(0)
    .map((event) => (event.kind === 'frame' ? decodeText(event.payload) : JSON.stringify(event)));
  expect(flow.length).toBeGreaterThan(20);
  expect(sessionId).toMatch(/^[\w-]{36}$/);
  for (const secret of [serving.token!, sessionId!, 'Bearer', 'sessionId=']) {
    expect(flow.filter((text) => text.includes(secret))).toEqual([]);
  }
});
