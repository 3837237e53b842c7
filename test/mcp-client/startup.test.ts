// A start that fails, is pinned, is remembered wrongly or is aborted: it reports the reason, and no process remains.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { BoundedEraMemory, connect, StdioClientTransport } from '../../src/entry/client.ts';
import { Logged, tempPath } from '../fixtures/mcp-client/logged.ts';
import { closing, isAlive, until } from '../fixtures/server.ts';

test('stops a server that answers only with garbage, with the garbage as evidence', async () => {
  const server = new Logged('answers-garbage', 'Segmentation fault (just kidding)', 'always');
  const clock = new ManualClock();
  let answers = 0;
  server.target.observer = { received: () => answers++ };
  const connecting = server.connect({ clock, probeTimeoutMs: 100, startupTimeoutMs: 2500 });
  const given = expect(connecting).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message: 'Could not connect: no answer to initialize within 2500 ms',
    evidence: { firstNoise: 'Segmentation fault (just kidding)' },
  });
  await until('the probe has its garbage', () => answers === 1);
  await until('ping and initialize have their own', () => {
    if (answers === 3) return true;
    if (clock.nowMs() < 2000) clock.advance(100);
    return false;
  });
  clock.advance(2500);
  await given;
  expect(server.spawns).toBe(1);
  expect(server.pids.filter(isAlive)).toEqual([]);
});

test('a server that always exits is started twice, and its last output is reported', async () => {
  const script = 'process.stderr.write("no API key"); process.exit(4)';
  const command = { command: process.execPath, args: ['-e', script], stderr: 'ignore' as const };
  await expect(connect(command, { eraMemory: new BoundedEraMemory() })).rejects.toMatchObject({
    code: 'PROCESS_EXITED',
    message: expect.stringMatching(/^Could not connect \(initialize\): .*exited with code 4.*no API key/),
    evidence: { exitCode: 4, stderrTail: 'no API key' },
  });
});

test('reports a command that does not exist', async () => {
  await expect(connect({ command: 'no-such-command' })).rejects.toMatchObject({
    code: 'COMMAND_NOT_FOUND',
    evidence: { phase: 'spawn' },
  });
});

test('a transport that cannot be reopened fails with a hint when the probe kills its server, and a function that creates transports succeeds', async () => {
  const server = new Logged('dies-of-the-probe');
  await expect(connect(new StdioClientTransport(server.target))).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    hint: expect.stringContaining("era: 'legacy'"),
    evidence: { exitCode: 1 },
  });
  const client = closing(await connect(() => new StdioClientTransport(server.target), { probeTimeoutMs: 100_000 }));
  expect(client.server.era).toBe('legacy');
  expect(server.spawns).toBe(3);
});

test('tries only a pinned era or revision', async () => {
  const dual = new Logged('official-dual');
  expect((await dual.connect({ era: 'legacy' })).server.era).toBe('legacy');
  expect((await dual.connect({ revision: '2025-03-26' })).server.revision).toBe('2025-03-26');
  expect((await dual.connect({ era: 'modern' })).server.era).toBe('modern');
  const legacy = new Logged('refuses-the-probe', '-32601');
  await expect(legacy.connect({ era: 'modern' })).rejects.toMatchObject({
    code: 'METHOD_NOT_FOUND',
    message: 'Could not connect: the server refused server/discover: not for me',
  });
  const dies = new Logged('dies-of-the-probe');
  await expect(dies.connect({ revision: '2026-07-28' })).rejects.toMatchObject({ code: 'PROCESS_EXITED' });
  expect(dies.spawns).toBe(1);
  const other = new Logged('offers-another-version', '2024-11-05');
  await expect(other.connect({ revision: '2025-06-18' })).rejects.toMatchObject({ code: 'NEGOTIATION_FAILED' });
  await expect(other.connect({ revision: 'yesterday' as never })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

test('corrects a wrong entry of the era memory', async () => {
  const legacy = new Logged('refuses-the-probe', '-32601');
  const modern = new Logged('modern');
  const key = ({ target }: Logged) => JSON.stringify([target.command, target.args, process.cwd()]);
  for (const wrong of ['modern', 'transcript'] as const) {
    legacy.memory.set(key(legacy), wrong);
    expect((await legacy.connect()).server.era).toBe('legacy');
    expect(legacy.memory.get(key(legacy))).toBe('legacy');
  }
  for (const wrong of ['legacy', 'transcript'] as const) {
    modern.memory.set(key(modern), wrong);
    expect((await modern.connect()).server.era).toBe('modern');
    expect(modern.memory.get(key(modern))).toBe('modern');
  }
  expect([legacy.spawns, modern.spawns]).toEqual([2, 2]);
  const silent = new Logged('ignores-the-probe');
  silent.memory.set(key(silent), 'transcript');
  expect((await silent.connect({ probeTimeoutMs: 200 })).server).toMatchObject({
    era: 'legacy',
    info: { name: 'fixture' },
  });
  expect(silent.spawns).toBe(1);
});

test('forgets an entry of the era memory that prevents a connection', async () => {
  const broken = { command: process.execPath, args: ['-e', 'process.exit(1)'], stderr: 'ignore' as const };
  const memory = new BoundedEraMemory();
  const brokenKey = JSON.stringify([broken.command, broken.args, process.cwd()]);
  memory.set(brokenKey, 'legacy');
  await expect(connect(broken, { eraMemory: memory })).rejects.toMatchObject({ code: 'PROCESS_EXITED' });
  expect(memory.get(brokenKey)).toBeUndefined();
});

test('an abort during the start leaves no process', async () => {
  const server = new Logged('ignores-the-probe');
  const before = new AbortController();
  before.abort(new Error('changed my mind'));
  await expect(server.connect({ signal: before.signal })).rejects.toThrow('changed my mind');
  expect(server.spawns).toBe(0);
  const early = new AbortController();
  const connecting = server.connect({ signal: early.signal });
  early.abort(new Error('at once'));
  await expect(connecting).rejects.toThrow('at once');
  const late = new AbortController();
  const waiting = server.connect({ signal: late.signal, probeTimeoutMs: 60_000 });
  await until('the probe arrives', () => server.methods.includes('server/discover'));
  late.abort(new Error('while it was silent'));
  await expect(waiting).rejects.toThrow('while it was silent');
  expect(server.pids.filter(isAlive)).toEqual([]);
});

test('an abort between the two starts leaves no process', async () => {
  const server = new Logged('holds-a-lock', tempPath(), 'slowly');
  const abort = new AbortController();
  const connecting = server.connect({ signal: abort.signal });
  await until('the probe arrives', () => server.methods.includes('server/discover'));
  abort.abort(new Error('enough'));
  await expect(connecting).rejects.toThrow('enough');
  expect(server.spawns).toBe(1);
  expect(server.pids.filter(isAlive)).toEqual([]);
});

test('the client reports the name and version of the package', async () => {
  const { ownInfo } = await import('../../src/mcp/own-info.ts');
  const { readFileSync } = await import('node:fs');
  const file = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { name, version } = JSON.parse(readFileSync(file, 'utf8'));
  expect(ownInfo).toEqual({ name, version });
});
