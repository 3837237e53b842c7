// "Change the import, keep the rest": the behaviour that programs for the official StdioClientTransport rely on.
// Intended differences are in docs/interop.md.

import { once } from 'node:events';
import { closeSync, createWriteStream, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import type { StdioServerParameters as OfficialParameters } from '@modelcontextprotocol/client/stdio';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import {
  DEFAULT_INHERITED_ENV_VARS,
  getDefaultEnvironment,
  type StdioClientOptions,
  StdioClientTransport,
} from '../../src/entry/stdio.ts';
import type { JsonRpcMessage } from '../../src/wire/jsonrpc/message.ts';
import { closing, isAlive, until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { isOfWine } from '../fixtures/windows.ts';

const node = process.execPath;
const script = (text: string, options: Partial<StdioClientOptions> = {}) =>
  closing(new StdioClientTransport({ command: node, args: ['-e', text], ...options }));
const echo = 'process.stdin.pipe(process.stdout)';
const sayOnStderr = 'process.stderr.write("from the child\\n"); process.stdin.resume()';

const folder = temporaryFolder('drop-in');
afterEach(() => rmSync(join(folder, 'log'), { force: true }));

test('the parameters of the official transport are options of ours, as types', () => {
  expectTypeOf<OfficialParameters>().toExtend<StdioClientOptions>();
});

test('returns messages in order, and calls onclose once', async () => {
  const transport = script(echo);
  const errors: Error[] = [];
  transport.onerror = (error) => errors.push(error);
  let closed = 0;
  transport.onclose = () => closed++;
  const sent: JsonRpcMessage[] = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
  const received: JsonRpcMessage[] = [];
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  for (const message of sent) await transport.send(message);
  await until('both are back', () => received.length === 2);
  expect(received).toEqual(sent);
  expect(closed).toBe(0);
  await transport.close();
  await transport.close();
  expect(closed).toBe(1);
  expect(errors).toEqual([]);
});

test('pid is null before the start, that of the process while it runs, and null after the end', async () => {
  const transport = script(echo);
  expect(transport.pid).toBeNull();
  await transport.start();
  const pid = transport.pid!;
  expect(isAlive(pid)).toBe(true);
  await transport.close();
  expect(transport.pid).toBeNull();
  expect(isAlive(pid)).toBe(false);

  const short = script('process.exit(3)');
  const closed = new Promise<void>((resolve) => {
    short.onclose = resolve;
  });
  await short.start();
  await closed;
  expect(short.pid).toBeNull();
});

test('rejects a second start with "already started"', async () => {
  const transport = script(echo);
  await transport.start();
  await expect(transport.start()).rejects.toThrow('StdioClientTransport already started');
});

test('stops a server that ignores the end of stdin and SIGTERM before close resolves', async () => {
  const transport = script(
    'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6); console.log(JSON.stringify({ jsonrpc: "2.0", method: "up" }))',
    { stopWaits: { stdinMs: 100, sigtermMs: 100 } },
  );
  const up = new Promise((resolve) => {
    transport.onmessage = resolve;
  });
  await transport.start();
  await up;
  const pid = transport.pid!;
  await transport.close();
  expect(isAlive(pid)).toBe(false);
});

test('stderr as a descriptor: all of it is in the file when close() resolves', async () => {
  const log = openSync(join(folder, 'log'), 'w');
  const lines = 20_000;
  const transport = script(`for (let n = 0; n < ${lines}; n++) process.stderr.write("line " + n + "\\n")`, {
    stderr: log,
  });
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  expect(transport.stderr).toBeNull();
  await closed;
  await transport.close();
  closeSync(log);
  const expected = Array.from({ length: lines }, (_, n) => `line ${n}\n`).join('');
  expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(expected);
});

test('stderr as a stream: the stream receives it, stays open and keeps no listener', async () => {
  const file = createWriteStream(join(folder, 'log'));
  await once(file, 'open');
  const listeners = file.listenerCount('error') + file.listenerCount('drain');
  const transport = script(sayOnStderr, { stderr: file });
  await transport.start();
  await until('it is in the file', () => readFileSync(join(folder, 'log'), 'utf8') === 'from the child\n');
  await transport.close();
  expect(file.listenerCount('error') + file.listenerCount('drain')).toBe(listeners);
  file.end('from the parent\n');
  await once(file, 'close');
  expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('from the child\nfrom the parent\n');
});

test('a slow stream receives all of stderr, and only a bounded part is queued in this process', async () => {
  let most = 0;
  let bytes = 0;
  const slow = new Writable({
    highWaterMark: 1024,
    write(chunk, _encoding, done) {
      bytes += chunk.length;
      most = Math.max(most, this.writableLength);
      setImmediate(done);
    },
  });
  const transport = script('process.stderr.write("x".repeat(4_000_000)); process.stdin.resume()', { stderr: slow });
  await transport.start();
  await until('all of it has arrived', () => bytes === 4_000_000);
  expect(most).toBeLessThan(1_000_000);
});

test('reports a stream for stderr that fails, and the connection continues', async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk full')) });
  const errors: string[] = [];
  const transport = script(`process.stderr.write("x".repeat(1_000_000)); ${echo}`, { stderr: broken });
  transport.onerror = (error) => errors.push(error.message);
  const answered = new Promise((resolve) => {
    transport.onmessage = resolve;
  });
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  await answered;
  await until('it is reported', () => errors.includes('disk full'));
});

test('stderr "overlapped" is "pipe", and invalid values are refused at once', async () => {
  const transport = script(sayOnStderr, { stderr: 'overlapped' });
  let text = '';
  transport.stderr!.on('data', (chunk) => {
    text += chunk;
  });
  await transport.start();
  await until('it has arrived', () => text === 'from the child\n');
  for (const stderr of ['ipc', -1, Readable.from([])] as never[]) {
    expect(() => script(echo, { stderr })).toThrow(/stderr cannot be/);
  }
  expect(() => script(echo, { stderr: new PassThrough() })).not.toThrow();
});

test('maxBufferSize limits the size of a message', async () => {
  const transport = script(
    'console.log("{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"" + "m".repeat(200) + "\\"}"); process.stdin.resume()',
    {
      maxBufferSize: 100,
    },
  );
  const failed = new Promise<Error>((resolve) => {
    transport.onerror = resolve;
  });
  await transport.start();
  expect(await failed).toMatchObject({
    code: 'FRAME_TOO_LONG',
    message: expect.stringContaining('limit of 100 bytes'),
  });
});

test('getDefaultEnvironment is the environment of a child without env', async () => {
  process.env.DROP_IN_SECRET = 'not for servers';
  const transport = script(
    'console.log(JSON.stringify({ jsonrpc: "2.0", method: "env", params: process.env })); process.stdin.resume()',
  );
  const seen = new Promise<Record<string, string>>((resolve) => {
    transport.onmessage = (message) => resolve((message as { params?: unknown }).params as Record<string, string>);
  });
  await transport.start();
  const { STANDPIPE_MARKS: _marks, ...all } = await seen;
  delete process.env.DROP_IN_SECRET;
  const environment = Object.fromEntries(Object.entries(all).filter(([name]) => !isOfWine(name)));
  expect(environment).toEqual(getDefaultEnvironment());
  expect(DEFAULT_INHERITED_ENV_VARS).toEqual(expect.arrayContaining(['PATH']));
  expect(environment).not.toHaveProperty('DROP_IN_SECRET');
});

/** Exits at any request before `initialize`, like servers of some SDKs. */
const strict = `
let started = false;
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') started = true;
  if (!started) process.exit(1);
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'strict', version: '1' } }
    : { tools: [] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

test('the official client in auto mode connects to a server that exits at a request before initialize', async () => {
  const spawned: number[] = [];
  const transport = script(strict, { stderr: 'ignore', observer: { spawned: (pid) => spawned.push(pid) } });
  const client = closing(new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } }));
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
  expect(await client.listTools()).toMatchObject({ tools: [] });
  expect(spawned).toEqual([transport.pid]);
});

test.each(['official-2-server', 'our-server'])(
  'the official client in auto mode detects 2026-07-28, and sends the probe on a separate pipe: %s',
  async (server) => {
    const file = fileURLToPath(new URL(`../fixtures/interop/${server}.mjs`, import.meta.url));
    const transport = new StdioClientTransport({ command: node, args: [file], stderr: 'ignore' });
    const methods: string[] = [];
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ('method' in message) methods.push(message.method);
      return send(message, options);
    };
    const client = closing(new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } }));
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(await client.callTool({ name: 'echo', arguments: { text: 'a\nb' } })).toMatchObject({
      content: [{ type: 'text', text: 'a\nb' }],
    });
    expect(methods).toEqual(['tools/call']);
  },
);

test('skips stray output before the handshake, and passes a broken message to onerror of the official client', async () => {
  const transport = script(`console.log('starting'); console.log('{"jsonrpc":"1.0","id":1,"result":{}}');${strict}`);
  const client = closing(new Client({ name: 'test', version: '1' }));
  const errors: string[] = [];
  client.onerror = (error) => errors.push(error.message);
  await client.connect(transport);
  expect(errors).toEqual([expect.stringContaining('"jsonrpc" must be "2.0"')]);
});

test('sends no signal to a server that exits at the end of its stdin', async () => {
  const marks =
    'process.on("SIGTERM", () => process.stderr.write("SIGTERM\\n")); process.stdin.on("end", () => process.stderr.write("end\\n"));';
  const transport = script(`${marks}${strict}`, { stderr: 'pipe', stopWaits: { stdinMs: 60_000 } });
  let text = '';
  transport.stderr!.on('data', (chunk) => {
    text += chunk;
  });
  const ended = once(transport.stderr!, 'end');
  const client = closing(new Client({ name: 'test', version: '1' }));
  await client.connect(transport);
  await client.close();
  await ended;
  expect(text).toBe('end\n');
});

test('printing a transport does not show its env', () => {
  const transport = script(echo, { env: { API_KEY: 'not-for-logs' } });
  expect(inspect(transport, { depth: 10, showHidden: false })).not.toContain('not-for-logs');
  expect(JSON.stringify(transport)).not.toContain('not-for-logs');
});
