// However a server reacts to the era probe, the client connects with one start, or with two if the probe killed the
// server, and it probes only once.

import { StdioClientTransport as OfficialTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { type Client, connect } from '../../src/entry/client.ts';
import { Logged, tempPath } from '../fixtures/mcp-client/logged.ts';
import { closing, isAlive, until } from '../fixtures/server.ts';

async function isUsable(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const [tool] = tools;
  const result = await client.callTool(tool!.name, { name: 'World', text: 'Hello, World!' });
  expect(result.content).toEqual([{ type: 'text', text: 'Hello, World!' }]);
}

for (const code of [-32601, -32602, -32000]) {
  test(`a legacy server that answers the probe with ${code}: one start, then initialize on the same pipe`, async () => {
    const server = new Logged('refuses-the-probe', String(code));
    const client = await server.connect();
    expect(client.server).toMatchObject({ era: 'legacy', revision: '2025-11-25', info: { name: 'fixture' } });
    await isUsable(client);
    expect(server.spawns).toBe(1);
    expect(server.methods.slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });
}

test('a silent legacy server causes one probe timeout, and none later', async () => {
  const server = new Logged('ignores-the-probe');
  const client = await server.connect({ probeTimeoutMs: 300 });
  expect(client.server.era).toBe('legacy');
  await isUsable(client);
  await client.close();
  expect(server.methods.filter((method) => method === 'server/discover')).toHaveLength(1);
  expect(server.methods).not.toContain('notifications/cancelled');

  const again = await server.connect({ probeTimeoutMs: 60_000 });
  await isUsable(again);
  expect(server.spawns).toBe(2);
  expect(server.methods.filter((method) => method === 'server/discover')).toHaveLength(1);
});

test('the era is remembered for the whole program by default', async () => {
  const server = new Logged('ignores-the-probe');
  await (await server.connect({ eraMemory: undefined, probeTimeoutMs: 200 })).close();
  await (await server.connect({ eraMemory: undefined, probeTimeoutMs: 60_000 })).close();
  expect(server.methods.filter((method) => method === 'server/discover')).toHaveLength(1);
});

test('a server that the probe kills is started again and not probed again', async () => {
  const server = new Logged('dies-of-the-probe');
  const client = await server.connect();
  expect(client.server.era).toBe('legacy');
  await isUsable(client);
  await client.close();
  expect(server.spawns).toBe(2);
  await isUsable(await server.connect());
  expect(server.spawns).toBe(3);
  expect(server.methods.filter((method) => method === 'server/discover')).toHaveLength(1);
});

test('a server that answers the probe and then exits is started again', async () => {
  const server = new Logged('answers-the-probe-and-dies');
  await isUsable(await server.connect());
  expect(server.spawns).toBe(2);
});

test('never starts a server with a lock twice at the same time', async () => {
  const polite = new Logged('holds-a-lock', tempPath());
  await isUsable(await polite.connect());
  expect(polite.spawns).toBe(1);
  const dying = new Logged('holds-a-lock', tempPath(), 'slowly');
  await isUsable(await dying.connect());
  expect(dying.spawns).toBe(2);
});

test('a modern server: one start, and every request has the envelope', async () => {
  const server = new Logged('modern');
  const client = await server.connect({ info: { name: 'me', version: '3' } });
  expect(client.server).toEqual({
    era: 'modern',
    revision: '2026-07-28',
    info: { name: 'fixture', version: '1.0.0' },
    capabilities: expect.objectContaining({ tools: { listChanged: true } }),
    instructions: 'be modern',
  });
  await isUsable(client);
  expect(server.spawns).toBe(1);
  expect(server.methods).toEqual(['server/discover', 'tools/list', 'tools/call']);
  for (const { params } of server.received) {
    expect(params?._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'me', version: '3' },
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
  }
  expect(client.warnings).toEqual([]);
});

/** Advances the clock until `last` is sent: the server has all requests up to it before it reads the first. */
async function connectBeforeItIsUp(server: Logged, last: 'ping' | 'initialize') {
  const clock = new ManualClock();
  const sent: string[] = [];
  server.target.observer = { sent: (text) => sent.push(JSON.parse(text).method) };
  const connecting = server.connect({ clock, probeTimeoutMs: 400 });
  await until('the probe is sent', () => sent.includes('server/discover'));
  await until(`${last} is sent`, () => {
    if (sent.includes(last)) return true;
    clock.advance(400);
    return false;
  });
  return { client: await connecting, sent };
}

const connectAskingTwice = async (server: Logged) => (await connectBeforeItIsUp(server, 'initialize')).client;

for (const name of ['modern', 'official-dual']) {
  test(`${name}, silent because it starts slowly, receives initialize only after its start`, async () => {
    const server = new Logged(name, '1000');
    const { client, sent } = await connectBeforeItIsUp(server, 'ping');
    expect(client.server.era).toBe('modern');
    await isUsable(client);
    expect(sent.slice(0, 3)).toEqual(['server/discover', 'ping', 'tools/list']);
    expect(server.spawns).toBe(1);
  });
}

test('sends initialize at once to a legacy server that ignores the probe and answers ping', async () => {
  const server = new Logged('ignores-the-probe', 'answers-ping');
  const { client, sent } = await connectBeforeItIsUp(server, 'ping');
  expect(client.server.era).toBe('legacy');
  expect(sent.slice(0, 3)).toEqual(['server/discover', 'ping', 'initialize']);
});

test('sends initialize without an answer to ping to a server that has printed output and is silent', async () => {
  const server = new Logged('ignores-the-probe', 'prints');
  const clock = new ManualClock();
  const sent: string[] = [];
  let stderr = 0;
  server.target.observer = { sent: (text) => sent.push(JSON.parse(text).method), stderr: () => stderr++ };
  const connecting = server.connect({ clock, probeTimeoutMs: 400, startupTimeoutMs: 1_000_000 });
  await until('it has printed', () => stderr > 0 && sent.includes('server/discover'));
  clock.advance(400);
  await until('ping is sent', () => sent.includes('ping'));
  clock.advance(400);
  const client = await connecting;
  expect(client.server.era).toBe('legacy');
});

test('a modern server that starts slowly is modern, although it received both openings', async () => {
  const server = new Logged('modern', '1000');
  const client = await connectAskingTwice(server);
  expect(client.server.era).toBe('modern');
  await isUsable(client);
  expect(server.spawns).toBe(1);
  expect(server.methods.slice(0, 4)).toEqual(['server/discover', 'ping', 'initialize', 'tools/list']);
  await client.close();
  await isUsable(await server.connect());
  expect(server.methods.filter((method) => method === 'initialize')).toHaveLength(1);
});

test('the official server for both eras is modern', async () => {
  const server = new Logged('official-dual');
  const client = await server.connect();
  expect(client.server).toMatchObject({ era: 'modern', info: { name: 'official' } });
  await isUsable(client);
  expect(server.spawns).toBe(1);
});

test('the official server for both eras, slow, uses the era that it selected, and is modern the next time', async () => {
  const server = new Logged('official-dual', '1000');
  const client = await connectAskingTwice(server);
  expect(client.server.era).toBe('legacy');
  await isUsable(client);
  await client.close();
  const again = await server.connect();
  expect(again.server.era).toBe('modern');
  await isUsable(again);
  expect(server.spawns).toBe(2);
});

test('the official legacy server is legacy', async () => {
  const server = new Logged('official-legacy');
  const client = await server.connect();
  expect(client.server).toMatchObject({ era: 'legacy', revision: '2025-11-25' });
  await isUsable(client);
  expect(server.spawns).toBe(1);
});

for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05']) {
  test(`uses ${revision} if a server answers with it, in an offer or in a refusal`, async () => {
    const offers = new Logged('offers-another-version', revision);
    const client = await offers.connect();
    expect(client.server.revision).toBe(revision);
    await isUsable(client);
    const refuses = new Logged('offers-another-version', revision, 'error');
    expect((await refuses.connect()).server.revision).toBe(revision);
    expect(refuses.spawns).toBe(1);
  });
}

test('refuses a server that answers with an unknown version, and stops it', async () => {
  const server = new Logged('offers-another-version', '2031-01-01');
  await expect(server.connect()).rejects.toMatchObject({
    code: 'NEGOTIATION_FAILED',
    message: expect.stringMatching(/initialize.*"2031-01-01".*2025-11-25/),
  });
  expect(server.pids.filter(isAlive)).toEqual([]);
});

test.each([
  ['2025-01-13', /^No revision of MCP has this date/],
  ['2031-01-01', /^Update the server or this package\. .*--era/],
])('the hint about the unknown version %s names its cure', async (version, hint) => {
  const server = new Logged('offers-another-version', version);
  await expect(server.connect()).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
});

test('"unsupported version" selects from the versions that the server names', async () => {
  const legacy = new Logged('refuses-the-version', '{"supported":["2025-06-18"],"requested":"2026-07-28"}');
  const client = await legacy.connect();
  expect(client.server).toMatchObject({ era: 'legacy', revision: '2025-06-18' });
  const unknown = new Logged('refuses-the-version', '{"supported":["2031-01-01"],"requested":"2026-07-28"}');
  await expect(unknown.connect()).rejects.toMatchObject({
    code: 'NEGOTIATION_FAILED',
    message: expect.stringContaining('it supports only 2031-01-01'),
  });
  const nameless = new Logged('refuses-the-version', '{}');
  expect((await nameless.connect()).server.era).toBe('legacy');
});

for (const garbage of [
  '{"jsonrpc":"2.0","id":ID,"result":{}}',
  '{"jsonrpc":"2.0","id":ID,"result":[1,2]}',
  '{"jsonrpc":"2.0","id":ID,"result":null}',
  '{"jsonrpc":"2.0","id":ID,"error":"what?"}',
  '{"jsonrpc":"2.0","id":ID}',
]) {
  test(`connects to a legacy server that answers the probe with ${garbage}`, async () => {
    const server = new Logged('answers-garbage', garbage);
    await isUsable(await server.connect());
    expect(server.spawns).toBe(1);
  });
}

test('connects over the official transport, in both eras', async () => {
  for (const [name, era] of [
    ['refuses-the-probe', 'legacy'],
    ['modern', 'modern'],
  ] as const) {
    const { target } = new Logged(name, name === 'modern' ? '0' : '-32601');
    const transport = new OfficialTransport({ command: target.command, args: [...target.args!], stderr: 'ignore' });
    const client = closing(await connect(transport, { probeTimeoutMs: 100_000 }));
    expect(client.server.era).toBe(era);
    await isUsable(client);
  }
});
