// The same small server in three languages: one on our library, and two without any dependency on Standpipe. Our client uses each of them,
// and each gets the same invalid input.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, connect, type StdioClientTransport } from '../../src/entry/client.ts';

const path = (name: string) => fileURLToPath(new URL(`../../examples/servers/${name}`, import.meta.url));

const servers = [
  { language: 'typescript', command: process.execPath, args: [path('typescript/server.mjs')], era: 'modern' },
  { language: 'python', command: 'python3', args: [path('python/server.py')], era: 'legacy' },
  { language: 'java', command: 'java', args: [path('java/Server.java')], era: 'legacy' },
] as const;

/** The reason why a server cannot run on this machine, if there is one. */
function missing(command: string): string | undefined {
  const { error, status } = spawnSync(command, ['--version'], { stdio: 'ignore' });
  // Windows and macOS have a `python3` or `java` that only prints how to install it.
  return status === 0 ? undefined : `${command} is not installed here (${error?.message ?? `exit code ${status}`})`;
}

const texts: Record<string, string> = {
  emoji: '🙂👩‍👩‍👧‍👦🏳️‍🌈',
  'combining marks': 'e\u0301 ņ̃ นี้',
  'Chinese, Japanese and Korean': '漢字かなカナ한국어',
  'separators that JavaScript once took for newlines': 'a\u2028b\u2029c\u0085d',
  'control characters': '\0\u0001\t\r\n\u007f',
  'half of a surrogate pair': 'x\ud83dy\ude42z',
  'quotes and backslashes': '"\\" \\u0041 </script>',
  nothing: '',
};

describe.each(servers)('$language', ({ language, command, args, era }) => {
  const reason = missing(command);
  if (reason) {
    test.skip(`not run: ${reason}`, () => undefined);
    return;
  }

  let client: Client<StdioClientTransport>;
  const textOf = async (name: string, input?: Record<string, unknown>) => {
    const { content, isError = false } = await client.callTool(name, input);
    return { text: content.map((block) => (block.type === 'text' ? block.text : block.type)).join(), isError };
  };

  // A virtual machine starts and exits slowly, above all on a busy machine.
  beforeAll(async () => {
    const stopWaits = { stdinMs: 60_000 };
    client = await connect({ command, args: [...args], stderr: 'ignore', stopWaits }, { startupTimeoutMs: 60_000 });
  });
  afterAll(() => client?.close());

  test('returns its name and version', () => {
    expect(client.server).toMatchObject({ era, info: { name: `small-${language}`, version: '1.0.0' } });
    expect(client.warnings).toEqual([]);
  });

  test('lists the same tools as the others', async () => {
    const { tools } = await client.listTools();
    const described = tools.map(({ name, inputSchema }) => [
      name,
      Object.entries((inputSchema.properties ?? {}) as Record<string, { type: string }>).map(
        ([parameter, { type }]) => `${parameter}: ${type}`,
      ),
    ]);
    expect(described).toEqual([
      ['hello_world', ['name: string']],
      ['add', ['a: number', 'b: number']],
      ['echo', ['text: string']],
      ['fail', []],
    ]);
    expect(tools.every(({ description }) => description)).toBe(true);
  });

  test('returns results of calls', async () => {
    expect(await textOf('hello_world', { name: 'World' })).toEqual({ text: 'Hello, World!', isError: false });
    expect(await textOf('add', { a: 2, b: 3 })).toEqual({ text: '5', isError: false });
    expect(await textOf('add', { a: -1.5, b: 0.25 })).toEqual({ text: '-1.25', isError: false });
  });

  test('reports the error of a tool, and the name of an invalid argument', async () => {
    expect(await textOf('fail')).toEqual({ text: 'This tool always fails', isError: true });
    const wrong = await textOf('add', { a: 'two', b: 3 });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/add.*\ba\b.*number/s) });
    const absent = await textOf('hello_world', {});
    expect(absent).toMatchObject({ isError: true, text: expect.stringMatching(/hello_world.*\bname\b.*string/s) });
  });

  test('refuses unknown tools and methods', async () => {
    await expect(client.callTool('nope')).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.request('no/such/method')).rejects.toMatchObject({ rpcCode: -32601 });
  });

  test.each(Object.entries(texts))('returns %s unchanged', async (_what, text) => {
    expect(await textOf('echo', { text })).toEqual({ text, isError: false });
    expect(await textOf('hello_world', { name: text })).toEqual({ text: `Hello, ${text}!`, isError: false });
  });

  test('returns a megabyte unchanged', async () => {
    const text = 'a megabyte, grüße 🙂 '.repeat(50_000);
    expect((await textOf('echo', { text })).text === text).toBe(true);
  });

  test('answers each of a hundred concurrent calls with its own result', async () => {
    const sums = await Promise.all(Array.from({ length: 100 }, (_, n) => textOf('add', { a: n, b: 1000 })));
    expect(sums.map(({ text }) => text)).toEqual(sums.map((_, n) => `${n + 1000}`));
  });

  test('exits at the end of its input', async () => {
    await client.close();
    expect(client.transport.stopRung).toBe('stdin');
    expect(client.transport.evidence()).toMatchObject({ exitCode: 0 });
  });

  test('answers invalid input with errors and continues', async () => {
    const answers = await converse(command, args, [
      { jsonrpc: '2.0', id: 'a', method: 'initialize', params: { protocolVersion: '1999-01-01', capabilities: {} } },
      { jsonrpc: '2.0', id: 'b', method: 'initialize', params: { protocolVersion: '2024-11-05', capabilities: {} } },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/that/nobody/knows' },
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: '1', method: 'ping' },
      'this is not JSON',
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: [1] } },
      '[',
      '',
      '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
      { jsonrpc: '2.0', id: 3, method: 'ping' },
    ]);
    const shown = answers.map(({ id, result, error }) => [id, result?.protocolVersion ?? error?.code ?? 'ok']);
    expect(shown).toEqual([
      ['a', '2025-11-25'],
      ['b', '2024-11-05'],
      [1, 'ok'],
      ['1', 'ok'],
      [undefined, -32700],
      [2, -32602],
      [undefined, -32700],
      [undefined, -32600],
      [3, 'ok'],
    ]);
  });
});

interface Answer {
  id?: string | number;
  result?: { protocolVersion?: string };
  error?: { code: number };
}

/** Writes lines to a new server and ends its input. Resolves to all its answers. The server must exit by itself with code 0. */
async function converse(command: string, args: readonly string[], lines: (object | string)[]): Promise<Answer[]> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  for (const line of lines) child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  child.stdin.end();
  const [output, [exitCode]] = await Promise.all([readText(child.stdout), once(child, 'exit')]);
  expect(exitCode).toBe(0);
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
