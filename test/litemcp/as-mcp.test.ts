// LiteMCP servers in real processes, used by MCP clients: the official client and ours through a bridge in a separate
// process, and ours as a host opens it.

import { Client as OfficialClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as OfficialTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { type LiteMcpAsMcpOptions, openLiteMcpAsMcp } from '../../src/entry/litemcp.ts';
import { closing, isAlive, until } from '../fixtures/server.ts';
import { type Command, canRun, node, python, startRaw } from './raw-process.ts';

const calculators = (
  [
    ['calculator.mjs', node('examples/litemcp/calculator.mjs')],
    ['calculator.py', python('examples/litemcp/calculator.py')],
  ] as const
).filter(canRun);
const fixture = (name: string) => node(`test/fixtures/litemcp/${name}.mjs`);

function bridged({ command, args }: Command): Command {
  const bridge = node('examples/litemcp/as-mcp.mjs');
  return { command: bridge.command, args: [...bridge.args, command, ...args] };
}

async function official(command: Command) {
  const client = closing(new OfficialClient({ name: 'test', version: '1.0.0' }));
  await client.connect(new OfficialTransport({ ...command, stderr: 'ignore' }));
  return client;
}

async function open(command: Command, options: Partial<LiteMcpAsMcpOptions> = {}) {
  return closing(await openLiteMcpAsMcp({ ...command, stderr: 'ignore', ...options }));
}

describe.each(calculators)('server %s', (_name, command) => {
  test('works with the official client', async () => {
    const client = await official(bridged(command));
    expect(client.getServerVersion()).toMatchObject({ name: 'Calculator', version: '1.0.0' });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        name: 'Calculator',
        description: 'A simple calculator\nExample: Calculate the sum of 2 and 3',
        inputSchema: { properties: { a: { type: 'number', examples: [2] } }, required: ['a', 'b'] },
      },
    ]);
    const sums = await Promise.all(
      Array.from({ length: 50 }, (_, n) => client.callTool({ name: 'Calculator', arguments: { a: n, b: 0.5 } })),
    );
    expect(sums.map(({ content }) => content)).toMatchObject(sums.map((_, n) => [{ text: String(n + 0.5) }]));
    expect(sums[1]!.structuredContent).toEqual({ result: 1.5 });
    expect(await client.callTool({ name: 'Calculator', arguments: { a: 'two', b: 3 } })).toMatchObject({
      isError: true,
    });
    expect(await client.callTool({ name: 'Calculator', arguments: { a: 2 } })).toMatchObject({
      content: [{ text: expect.stringContaining('missing: "b"') }],
      isError: true,
    });
  });
  test('works with our client', async () => {
    const client = closing(await connect({ ...bridged(command), stderr: 'ignore' }, { probeTimeoutMs: 100_000 }));
    expect(await client.callTool('Calculator', { a: 2, b: 3 })).toMatchObject({
      content: [{ type: 'text', text: '5' }],
      structuredContent: 5,
    });
    expect(client.warnings).toEqual([]);
  });
  test('works with a host', async () => {
    const link = await open(command);
    expect(link).toMatchObject({ revision: 'LiteMCP 1.0.0', serverInfo: { name: 'Calculator' } });
    expect(isAlive(link.pid!)).toBe(true);
    expect((await link.client.listTools()).tools).toMatchObject([{ name: 'Calculator' }]);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) => link.client.callTool('Calculator', { a: n, b: `${n}` })),
    );
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual(results.map((_, n) => 2 * n));
    await link.close();
    expect(isAlive(link.pid!)).toBe(false);
  });
});

test('any text reaches the official client unchanged', async () => {
  const client = await official(bridged(fixture('echoes')));
  const text = 'line\n\n\nline\r\n\u2028 grüße 😀 "\\ \u0000';
  expect(await client.callTool({ name: 'Echo', arguments: { text } })).toMatchObject({ content: [{ text }] });
});

test('a client that cancels gets its error at once, and the bridge continues', async () => {
  const client = await official(bridged(fixture('waits')));
  const abort = new AbortController();
  const call = client.callTool({ name: 'Wait', arguments: { ms: 60_000 } }, { signal: abort.signal });
  abort.abort(new Error('not wanted any more'));
  await expect(call).rejects.toThrow('not wanted any more');
  expect(await client.callTool({ name: 'Wait', arguments: { ms: 0 } })).toMatchObject({
    content: [{ text: 'waited 0' }],
  });
});

describe('a LiteMCP server that exits during a call', () => {
  test('is not a tool error for the official client', async () => {
    const client = await official(bridged(fixture('dies-mid-call')));
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    await expect(client.callTool({ name: 'Print', arguments: { text: 'page one' } })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('out of paper'),
      data: { code: 'OUTCOME_UNKNOWN', evidence: { exitCode: 3, stderrTail: 'out of paper\n' } },
    });
    await closed; // the bridge ends without its server
  });
  test('is the same error for a host as with an MCP server', async () => {
    const link = await open(fixture('dies-mid-call'));
    const lost = new Promise<Error | undefined>((resolve) => link.onLost(resolve));
    await expect(link.client.callTool('Print', { text: 'page one' })).rejects.toMatchObject({
      name: 'PeerError',
      code: 'OUTCOME_UNKNOWN',
      evidence: { phase: 'running', exitCode: 3, stderrTail: 'out of paper\n' },
      cause: { code: 'PROCESS_EXITED' },
    });
    expect(await lost).toMatchObject({ code: 'PROCESS_EXITED', evidence: { exitCode: 3 } });
    await expect(link.client.callTool('Print', { text: 'page two' })).rejects.toMatchObject({ code: 'NOT_SENT' });
  });
});

describe('a host with a LiteMCP server', () => {
  test('reports no loss of a link that it closes', async () => {
    const link = await open(fixture('waits'));
    let lost = false;
    link.onLost(() => {
      lost = true;
    });
    const call = link.client.callTool('Wait', { ms: 60_000 });
    const closed = link.close();
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await closed;
    await link.client.closed;
    expect(lost).toBe(false);
  });
  test('records all messages of the wire', async () => {
    const seen: string[] = [];
    const observer = {
      spawned: () => seen.push('spawned'),
      sent: (text: string) => seen.push(`sent ${JSON.parse(text).type}`),
      received: (bytes: Uint8Array) => seen.push(`received ${JSON.parse(Buffer.from(bytes).toString()).type}`),
      stopped: (rung: string) => seen.push(`stopped ${rung}`),
    };
    const link = await open(fixture('echoes'), { observer, stopWaits: { stdinMs: 60_000 } });
    await link.client.callTool('Echo', { text: 'x' });
    await link.close();
    expect(seen).toEqual(['spawned', 'sent get', 'received info', 'sent call', 'received result', 'stopped stdin']);
  });
  test('gets the reason if a server cannot be started, and no process remains', async () => {
    await expect(open({ command: 'no-such-command-here', args: [] })).rejects.toMatchObject({
      code: 'COMMAND_NOT_FOUND',
    });
    const script = (code: string) => ({ command: process.execPath, args: ['-e', code] });
    await expect(open(script('console.error("no license"); process.exit(2)'))).rejects.toMatchObject({
      code: 'PROCESS_EXITED',
      evidence: { exitCode: 2, stderrTail: 'no license\n' },
    });
    const silent = script('process.stdin.resume()');
    const failure = await open(silent, { startupTimeoutMs: 100 }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'REQUEST_TIMEOUT' });
    expect(isAlive(failure.evidence.pid)).toBe(false);
    const abort = new AbortController();
    const opening = open(silent, { signal: abort.signal });
    abort.abort(new Error('not wanted any more'));
    await expect(opening).rejects.toThrow('not wanted any more');
  });
  test('can set a time limit for answers', async () => {
    const link = await open(fixture('waits'), { requestTimeoutMs: 200 });
    await expect(link.client.callTool('Wait', { ms: 60_000 })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    const other = await link.client.callTool('Wait', { ms: 0 }, { timeoutMs: 60_000 });
    expect(other).toMatchObject({ content: [{ text: 'waited 0' }] });
  });
});

test('the bridge stops its server when it ends', async () => {
  const target = { ...bridged(fixture('tells-its-pid')), stopWaits: { stdinMs: 60_000 } };
  const client = closing(await connect(target, { probeTimeoutMs: 100_000 }));
  const { structuredContent: pid } = await client.callTool('Pid');
  expect(isAlive(pid as number)).toBe(true);
  await client.close();
  expect(client.transport.stopRung).toBe('stdin');
  expect(isAlive(pid as number)).toBe(false);
});

test('the bridge exits after its stdin ends and all requests are answered', async () => {
  const { raw, exited } = startRaw(bridged(fixture('waits')));
  raw.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Wait","arguments":{"ms":100}}}\n');
  raw.stream.end();
  expect(await exited).toBe(0);
  expect(JSON.parse(raw.unread)).toMatchObject({ id: 1, result: { content: [{ text: 'waited 100' }] } });
});

test('a bridge to a command that is not a server fails with the reason', async () => {
  const { exited, stderr } = startRaw(bridged({ command: 'no-such-command-here', args: [] }));
  expect(await exited).toBe(1);
  await until('it reports the reason', () => stderr().includes('no-such-command-here'));
});
