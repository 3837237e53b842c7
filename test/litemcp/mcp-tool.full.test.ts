// Tools of MCP servers, in real processes, used by LiteMCP clients: ours, and one in Python.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { connectLiteMcp } from '../../src/entry/litemcp.ts';
import { hasPython } from '../fixtures/python.ts';
import { closing, isAlive } from '../fixtures/server.ts';
import { lacks } from '../fixtures/windows.ts';
import { type Command, node, path, python, startRaw } from './raw-process.ts';

const run = promisify(execFile);
const tools = node('test/fixtures/litemcp/mcp-tools.mjs');

function served(tool: string, { command, args }: Command = tools): Command {
  const bridge = node('examples/litemcp/mcp-tool.mjs');
  return { command: bridge.command, args: [...bridge.args, tool, command, ...args] };
}

async function connect(tool: string, server?: Command) {
  return closing(await connectLiteMcp({ ...served(tool, server), stderr: 'ignore', stopWaits: { stdinMs: 60_000 } }));
}

describe('our LiteMCP client', () => {
  test('reads the tool and receives many results at once', async () => {
    const client = await connect('echo');
    expect(client.tool).toMatchObject({
      name: 'echo',
      description: 'Says it again',
      parameters: [{ name: 'text', type: 'string' }],
    });
    const texts = Array.from({ length: 100 }, (_, n) => `${n}\n\n\n grüße 😀 "\\ \u0000`);
    const results = await Promise.all(texts.map((text) => client.call([text])));
    expect(results.map(({ response }) => response.content)).toEqual(texts.map((data) => [{ type: 'string', data }]));
  });
  test('sends strings for typed parameters, and may omit optional ones', async () => {
    const client = await connect('describe');
    expect(client.tool?.parameters.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'n: integer',
      'note: string?',
      'tags: array?',
    ]);
    const { response } = await client.call({ n: '7', note: '', tags: '["a"]' });
    expect(response).toEqual({ content: [{ type: 'object', data: '{"n":7,"tags":["a"]}' }], error: false });
    expect((await client.call(['seven', '', ''])).response).toMatchObject({ error: true });
  });
  test('receives pictures as base64, and failures as errors', async () => {
    expect((await (await connect('picture')).call([])).response.content).toEqual([
      { type: 'image/png', data: 'iVBORw0KGgo=' },
    ]);
    expect((await (await connect('fail')).call([])).response).toEqual({
      content: [{ type: 'string', data: 'the sky is falling' }],
      error: true,
    });
  });
  test('receives an error that the server exited and the call may have run, and the bridge ends', async () => {
    const client = await connect('crash');
    const closed = new Promise<Error | undefined>((resolve) => {
      client.onclose = resolve;
    });
    const { response } = await client.call([]);
    expect(response).toMatchObject({ error: true });
    expect(response.content[0]!.data).toMatch(/out of paper.*had been sent and may have run/s);
    expect(await closed).toMatchObject({ code: 'PROCESS_EXITED', evidence: { exitCode: 1 } });
  });
  test('works with an official server', async () => {
    const server = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
    const client = await connect('echo', { command: process.execPath, args: [path(server)] });
    const { response } = await client.call(['grüße']);
    expect(response).toEqual({ content: [{ type: 'string', data: 'Echo: grüße' }], error: false });
  });
  test.skipIf(!hasPython)('works with a LiteMCP server through both bridges', async () => {
    const calculator = python('examples/litemcp/calculator.py');
    const asMcp = node('examples/litemcp/as-mcp.mjs');
    const bridge = { command: asMcp.command, args: [...asMcp.args, calculator.command, ...calculator.args] };
    const client = await connect('Calculator', bridge);
    const { params, response } = await client.call(['2', '3']);
    expect(params).toEqual({ a: '2', b: '3' });
    expect(response).toEqual({ content: [{ type: 'number', data: '5' }], error: false });
  });
});

test.skipIf(!hasPython)('a client in Python receives the same results', async () => {
  const client = python('examples/litemcp/client.py');
  const call = (values: string[], { command, args }: Command) =>
    run(client.command, [...client.args, ...values, '--', command, ...args]);
  expect((await call(['a\n\n\nb grüße 😀'], served('echo'))).stdout).toBe('a\n\n\nb grüße 😀\n');
  expect((await call(['2', '3'], python('examples/litemcp/calculator.py'))).stdout).toBe('5\n');
  await expect(call([], served('fail'))).rejects.toMatchObject({ code: 1, stdout: 'the sky is falling\n' });
});

describe('the bridge', () => {
  test('answers pending requests when its stdin ends', async () => {
    const { raw, exited } = startRaw(served('wait'));
    const call = { version: [1, 0, 0], id: 1, type: 'call', data: { tool: 'wait', arguments: ['100'] } };
    raw.stream.end(`${JSON.stringify(call)}\n\n\n`);
    expect(await raw.nextJson()).toMatchObject({ data: { response: { content: [{ data: 'waited 100' }] } } });
    expect(await exited).toBe(0);
  });
  test('lists the existing tools for an unknown name', async () => {
    const { exited, stderr } = startRaw(served('eco'));
    expect(await exited).toBe(1);
    expect(stderr()).toMatch('The server has no tool named "eco"');
  });
  test.skipIf(lacks.signals)('exits on a signal, and stops the server too', async () => {
    const bridge = node('test/fixtures/litemcp/stops-on-sigterm.mjs');
    const args = [...bridge.args, 'pid', tools.command, ...tools.args];
    const client = closing(await connectLiteMcp({ command: bridge.command, args, stderr: 'ignore' }));
    const pid = Number((await client.call([])).response.content[0]!.data);
    const closed = new Promise<Error | undefined>((resolve) => {
      client.onclose = resolve;
    });
    process.kill(client.pid!, 'SIGTERM');
    expect(await closed).toMatchObject({ code: 'PROCESS_EXITED', evidence: { exitCode: 0, signal: null } });
    expect(isAlive(pid)).toBe(false);
  });
  test('stops the server when it ends', async () => {
    const client = await connect('pid');
    const pid = Number((await client.call([])).response.content[0]!.data);
    expect(isAlive(pid)).toBe(true);
    await client.close();
    expect(client.stopRung).toBe('stdin');
    expect(isAlive(pid)).toBe(false);
  });
});
