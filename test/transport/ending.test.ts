// Ends of connections: no process remains, no message is lost at the end, and a slow call does not block
// others.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { fixture, fixtureTransport, isAlive, startFixture, until } from '../fixtures/server.ts';

test('a server that exits at the end of stdin gets no signal, and causes no delay', async () => {
  const stopWaits = { stdinMs: 1_000_000 }; // longer than the limit of a test
  const { peer, transport } = await startFixture('peer-server', [], { stopWaits });
  await peer.request('ping');
  const pid = transport.pid!;
  await transport.close();
  expect(transport.stopRung).toBe('stdin');
  expect(isAlive(pid)).toBe(false);
});

test('our server answers first and exits at the end of stdin, despite an active interval', async () => {
  const child = spawn(process.execPath, [fixture('peer-server')], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin.write(
    '{"jsonrpc":"2.0","id":1,"method":"keep-alive"}\n{"jsonrpc":"2.0","id":2,"method":"slow","params":{"ms":300}}\n',
  );
  await until('the first answer', () => output.includes('\n'));
  child.stdin.end();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: { slept: 300 } },
  ]);
});

test('our server does not wait forever for an answer that does not arrive', async () => {
  const child = spawn(process.execPath, [fixture('peer-server')], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(child.stdout, 'data');
  child.stdin.end('{"jsonrpc":"2.0","id":2,"method":"slow","params":{"ms":1000000}}\n');
  child.stdout.resume();
  await once(child, 'close');
});

test('a large answer in progress at the end of stdin is written completely', async () => {
  const child = spawn(process.execPath, [fixture('peer-server')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const text = 'x'.repeat(5_000_000);
  child.stdin.end(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"${text}"}}\n`);
  let length = 0;
  child.stdout.on('data', (chunk) => {
    length += chunk.length;
  });
  await once(child, 'close');
  expect(length).toBe(`{"jsonrpc":"2.0","id":1,"result":{"text":"${text}"}}\n`.length);
});

test('closing during the start leaves no process', async () => {
  for (const turns of [0, 1, 2, 5]) {
    const transport = fixtureTransport('never-reads', [], { stopWaits: { stdinMs: 100, sigtermMs: 500 } });
    const starting = transport.start().catch((error) => error);
    for (let n = 0; n < turns; n++) await new Promise(setImmediate);
    const { pid } = transport;
    await transport.close();
    await starting;
    if (pid !== null) expect(isAlive(pid)).toBe(false);
    expect(transport.pid).toBeNull();
  }
});

test('answers ping while a tool runs', async () => {
  const { peer } = await startFixture('peer-server');
  await peer.request('ping');
  const abort = new AbortController();
  const slow = peer.request('slow', { ms: 1_000_000 }, { signal: abort.signal }).catch((error) => error.name);
  for (let n = 0; n < 10; n++) await peer.request('ping');
  abort.abort();
  expect(await slow).toBe('AbortError');
});

test('a cancelled call ends at once, and the server continues', async () => {
  const { peer, transport } = await startFixture('peer-server');
  await expect(peer.request('slow', { ms: 20_000 }, { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
  });
  expect(await peer.request('echo', { a: 1 })).toEqual({ a: 1 });
  await transport.close();
});

test('5,000 concurrent calls over real pipes get their own answers', async () => {
  const { peer } = await startFixture('peer-server');
  const answers = await Promise.all(Array.from({ length: 5000 }, (_, n) => peer.request('echo', { n })));
  expect(answers).toEqual(answers.map((_, n) => ({ n })));
});

test('only pending requests keep the host running', async () => {
  const program = `
    import { Peer } from 'standpipe/jsonrpc';
    import { StdioClientTransport } from 'standpipe/stdio';
    const transport = new StdioClientTransport({ command: process.execPath, args: [${JSON.stringify(fixture('peer-server'))}] });
    const peer = new Peer(transport);
    await peer.start();
    await peer.request('ping');
    await transport.close();
  `;
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(host, 'close');
  expect(code).toBe(0);
});

test('a peer on a transport that failed to start reports the reason', async () => {
  const transport = fixtureTransport('x', [], { command: 'no-such-command' });
  const peer = new Peer(transport);
  await expect(peer.start()).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
  await expect(peer.request('m')).rejects.toMatchObject({ code: 'NOT_SENT', cause: { code: 'COMMAND_NOT_FOUND' } });
});
