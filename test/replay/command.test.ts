// `standpipe replay` as a program: a client starts it, and it behaves as the recorded process did.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import {
  dangerous,
  finished,
  gatewayIn,
  program,
  runCli,
  runOnTerminal,
  spawnCli,
  startCli,
  writeConfig,
} from '../cli/run-cli.ts';
import { closing, until } from '../fixtures/server.ts';
import { isWindows } from '../fixtures/windows.ts';
import { recorded, textOf, WrittenRecording } from './written-recording.ts';

const running: ChildProcessWithoutNullStreams[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
});

/** A running command with its output. */
function start(...args: string[]) {
  const child = startCli(['replay', ...args]);
  running.push(child);
  child.stdin.on('error', () => undefined);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const closed = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, output, closed, send: (...messages: object[]) => child.stdin.write(linesOf(messages)) };
}

const linesOf = (messages: object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');
const initialize = {
  jsonrpc: '2.0',
  id: 'i',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const call = (id: number, name = 'tool') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

test.skipIf(isWindows)('escape sequences of the recording do not reach a terminal', async () => {
  const attack = '\u001b]0;OWNED\u0007\u001b[2J\u009b2J\u202e';
  const recording = recorded('one')
    .stderr(`${attack} of stderr\n`)
    .call(7, 'other')
    .came(`${attack} of stdout`)
    .text(7, '');
  const { stdout } = await runOnTerminal(['replay', recording.write()], {
    steps: [
      { wait: '', type: linesOf([initialize]) },
      { wait: 'was-recorded', type: linesOf([initialized, call(1)]) },
      { wait: 'of stderr', type: linesOf([call(2, 'other')]) },
      { wait: 'of stdout', type: '\u0004' },
    ],
  });
  expect(stdout).toContain('\\x1b]0;OWNED\\x07\\x1b[2J\\x9b2J\\u202e of stderr');
  expect(dangerous(stdout)).toEqual([]);
});

const client = (file: string, ...options: string[]) =>
  connect(
    { command: process.execPath, args: [program, 'replay', file, ...options], stderr: 'ignore' },
    { checkOutput: false },
  ).then(closing);

test('answers on stdin and stdout, and repeats the exit code at the end of its input', async () => {
  const recording = recorded('one', 'two').stderr('bye\n').exit(3);
  const input = linesOf([initialize, initialized, call(1), call(2)]);
  const { code, stdout, stderr } = await spawnCli(['replay', recording.write()], { input });
  const ids = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(ids[0]).toBe('i');
  expect(ids.slice(1).toSorted()).toEqual([1, 2]); // calls that run at the same time may be answered in any order
  expect(stdout).toContain('"serverInfo":{"name":"was-recorded","version":"3"}');
  expect(stderr).toBe('bye\n');
  expect(code).toBe(3);
});

test('exits where the recorded process exited, after its stderr', async () => {
  const recording = recorded('one').call(7, 'crash').stderr('Error: out of memory\n').exit(134);
  const { output, closed, send } = start(recording.write());
  send(initialize, initialized, call(1));
  await until('it is answered', () => output.stdout.includes('"one"'));
  send(call(2, 'crash'));
  expect(await closed).toEqual({ code: 134, signal: null });
  expect(output.stderr).toBe('Error: out of memory\n');
});

test.skipIf(isWindows).each(['SIGSTOP', 'SIGTSTP', '__proto__'])(
  'ends if the recorded process ended by %s',
  async (signal) => {
    const { closed, send } = start(recorded().call(7, 'crash').exit(null, signal).write());
    send(initialize, initialized, call(1, 'crash'));
    expect(await closed).toEqual({ code: 128, signal: null });
  },
);

test.skipIf(isWindows)('ends by the signal that ended the recorded process', async () => {
  const { closed, send } = start(recorded().call(7, 'crash').exit(null, 'SIGKILL').write());
  send(initialize, initialized, call(2, 'crash'));
  expect(await closed).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a server that its client stopped ends with exit code 0, and its pending request has no answer', async () => {
  const recording = recorded('one').call(7, 'slow').line({ kind: 'signal', signal: 'SIGTERM' }).exit(null, 'SIGTERM');
  const { output, closed, send, child } = start(recording.write());
  send(initialize, initialized, call(1, 'slow'), call(2));
  await until('the other request is answered', () => output.stdout.includes('"one"'));
  child.stdin.end(); // does not wait for the request that is never answered
  expect(await closed).toEqual({ code: 0, signal: null });
  expect(output.stdout).not.toContain('"id":1');
});

test('a server that ended before it answered the handshake does so again', async () => {
  const recording = new WrittenRecording().request(0, 'initialize', {}).stderr('No API key\n').exit(2);
  const { output, closed, send } = start(recording.write());
  send(initialize);
  expect(await closed).toEqual({ code: 2, signal: null });
  expect(output).toEqual({ stdout: '', stderr: 'No API key\n' });
});

test('a refused handshake is refused again', async () => {
  const recording = new WrittenRecording().request(0, 'initialize', {});
  recording.came({ jsonrpc: '2.0', id: 0, error: { code: -32_602, message: 'Upgrade the client' } });
  const { output, send } = start(recording.write());
  send(initialize);
  await until('it is answered', () => output.stdout.includes('\n'));
  expect(JSON.parse(output.stdout)).toMatchObject({ id: 'i', error: { message: 'Upgrade the client' } });
});

test.skipIf(isWindows).each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it', async (signal) => {
  const { child, output, closed, send } = start(recorded('one').call(9, 'pending').write());
  send(initialize, initialized, call(1), call(2, 'pending'));
  await until('it runs', () => output.stdout.includes('"one"'));
  child.kill(signal);
  expect(await closed).toEqual({ code: 0, signal: null });
});

test('prints recorded output that was not a message, between the messages', async () => {
  const recording = recorded().call(7, 'noisy').came('Listening on port 3000').text(7, 'done');
  const { output, send } = start(recording.write());
  send(initialize, initialized, call(1, 'noisy'));
  await until('it is answered', () => output.stdout.includes('"done"'));
  const lines = output.stdout.trim().split('\n');
  expect(lines.map((line) => (line.startsWith('{') ? JSON.parse(line).id : line))).toEqual([
    'i',
    'Listening on port 3000',
    1,
  ]);
});

test('warns about damaged lines', async () => {
  const recording = recorded('one');
  recording.lines.splice(2, 0, 'not JSON');
  const file = recording.write();
  const { stdout, stderr } = await spawnCli(['replay', file], { input: linesOf([initialize, initialized, call(1)]) });
  expect(stdout).toContain('"one"');
  expect(stderr).toBe(`warning: Line 3 of ${file} is unusable: Not a JSON object\n`);
});

test.each([
  [['replay'], /missing required argument 'recording'|needs/i],
  [['replay', 'no-such.jsonl'], /no-such\.jsonl/],
  [['replay', '{file}', '--server', 'x'], /has no server named "x"/],
  [['replay', '{file}', '--pace', 'slow'], /--pace cannot be "slow"/],
  [['replay', '{file}', '--pace', '0'], /--pace cannot be "0"/],
  [['replay', '{file}', '--http', 'x'], /"x" is not a port/],
  [['replay', '{file}', '--fault', 'search'], /"search" is not a fault/],
  [['replay', '{file}', '--fault', 'tools/call: explode'], /is not a fault[\s\S]*Actions: delay TIME, timeout/],
  [['replay', '{file}', '--fault', 'initialize: timeout'], /has no effect/],
  [['replay', '{file}', '--http', '0', '--fault', 'tools/call: garbage'], /"garbage" needs stdio/],
])('%s is refused', async (words, message) => {
  const file = recorded('one').write();
  const { code, stdout, stderr } = await runCli(words.map((word) => word.replace('{file}', file)));
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

const twoTools = () => recorded('of tool').call(7, 'other').text(7, 'of other').write();

test.each([
  ['tools/call tool: error -32000 Quota used', { rpcCode: -32_000, message: 'Quota used' }],
  ['tools/call t*: error -32603', { rpcCode: -32_603, message: 'Injected fault' }],
  ['* tool: drop', { code: 'OUTCOME_UNKNOWN' }],
  ['tools/call tool: exit 9', { code: 'OUTCOME_UNKNOWN' }],
])('fault %s', async (fault, error) => {
  const used = await client(twoTools(), '--fault', fault);
  expect(textOf(await used.callTool('other', {}))).toBe('of other');
  await expect(used.callTool('tool', {})).rejects.toMatchObject(error);
  if (fault.endsWith('exit 9')) expect(used.transport.evidence()).toMatchObject({ exitCode: 9 });
  if (fault.endsWith('drop')) expect(used.transport.evidence()).toMatchObject({ exitCode: 0 });
});

test.each(['timeout', 'garbage'])('fault %s: the request is not answered, and others are', async (action) => {
  const { output, send } = start(twoTools(), '--fault', `tools/call tool: ${action}`);
  send(initialize, initialized, call(1), call(2, 'other'));
  await until('the other request is answered', () => output.stdout.includes('of other'));
  const lines = output.stdout.trim().split('\n');
  const garbage = action === 'garbage' ? ['this is not a message'] : [];
  expect(lines.map((line) => (line.startsWith('{') ? JSON.parse(line).id : line))).toEqual(['i', ...garbage, 2]);
});

test('fault delay: the recorded answer follows, and faults are repeatable', async () => {
  const faults = ['--fault', 'tools/call tool: delay 1ms', '--fault', 'tools/call other: error 7'];
  const used = await client(twoTools(), ...faults);
  expect(textOf(await used.callTool('tool', {}))).toBe('of tool');
  await expect(used.callTool('other', {})).rejects.toMatchObject({ rpcCode: 7 });
});

test('--http serves any number of clients, with a token', async () => {
  const { child, output, closed } = start(recorded('one', 'two').write(), '--http', '0', '--json');
  await until('it listens', () => output.stdout.includes('}'));
  const { url, token } = JSON.parse(output.stdout) as { url: string; token: string };
  const headers = { authorization: `Bearer ${token}` };
  const texts: string[] = [];
  for (const revision of ['2026-07-28', '2025-06-18'] as const) {
    const used = closing(await connect({ url, headers }, { revision, checkOutput: false }));
    texts.push(textOf(await used.callTool('tool', {})));
  }
  expect(texts).toEqual(['one', 'two']);
  expect(await fetch(url, { method: 'POST', body: '{}' }).then(({ status }) => status)).toBe(401);
  child.kill('SIGTERM');
  if (!isWindows) expect(await closed).toEqual({ code: 0, signal: null });
});

test('--http ends with the recorded process', async () => {
  const { output, closed } = start(recorded().call(1, 'crash').exit(5).write(), '--http', '0', '--json');
  await until('it listens', () => output.stdout.includes('}'));
  const { url, token } = JSON.parse(output.stdout) as { url: string; token: string };
  const used = closing(await connect({ url, headers: { authorization: `Bearer ${token}` } }));
  await expect(used.callTool('crash', {})).rejects.toThrow('closed the connection');
  expect(await closed).toMatchObject({ code: 5 });
});

test('is an entry of a config: for call, and behind up --http', async () => {
  const file = recorded('one', 'two').write();
  const config = writeConfig('replayed.json', { was: { command: process.execPath, args: [program, 'replay', file] } });
  const called = await runCli(['call', 'was', 'tool', '--config', config]);
  expect(called).toMatchObject({ code: 0, stdout: 'one\n' });

  const host = startCli(['up', '--config', config, '--no-inspector', '--http', '0']);
  running.push(host);
  let log = '';
  host.stdout.on('data', (chunk) => (log += chunk));
  await until('the gateway is open', () => gatewayIn(log) !== undefined && log.includes('was ready'));
  const { url, token } = gatewayIn(log)!;
  const used = closing(await connect({ url, headers: { authorization: `Bearer ${token}` } }, { checkOutput: false }));
  expect(textOf(await used.callTool('was__tool', {}).catch(() => used.callTool('tool', {})))).toBe('one');
  host.stdin.end();
  host.kill('SIGTERM');
  await finished(host);
});
