// Recordings and servers that are damaged, hostile or do not answer.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type VerifyOptions, verify } from '../../src/entry/recording.ts';
import { Server } from '../../src/entry/server.ts';
import { folder, runCli } from '../cli/run-cli.ts';
import { replayFixture } from '../replay/recorded.ts';
import { recorded, WrittenRecording } from '../replay/written-recording.ts';

const rules = ['ignore result.capabilities'];

function tested(...names: string[]): Server {
  const server = new Server({ name: 'was-recorded', version: '3' });
  for (const name of names)
    server.tool(name, { annotations: { readOnlyHint: true }, input: { type: 'object' } }, () => name);
  return server;
}

const run = (recording: WrittenRecording, options: VerifyOptions = {}) =>
  verify(recording.write(), tested('tool', 'a').service, { rules, ...options });

test('a damaged line is passed over, and named with its number', async () => {
  const recording = recorded('tool');
  recording.lines.splice(2, 0, 'not JSON');
  const file = recording.write();
  const { counts, warnings } = await verify(file, tested('tool').service, { rules });
  expect(counts).toMatchObject({ same: 1, different: 0 });
  expect(warnings).toEqual([`Line 3 of ${file} is unusable: Not a JSON object`]);
});

test.each([
  [['no-such.jsonl', '--', 'node', 'x'], 2, /There is no recording/],
  [['{file}'], 2, /No server was given/],
  [['{file}', 'weather', '--', 'node', 'x'], 2, /verify takes one server/],
  [['{file}', '--server', 'x', '--', 'node', 'x'], 2, /has no server named "x"/],
  [['{file}', '--rule', 'nonsense', '--', 'node', 'x'], 2, /"nonsense" is not a rule[\s\S]*Shapes: uuid/],
  [['{file}', '--set', 'x', '--', 'node', 'x'], 2, /--set cannot be "x"/],
  [['{file}', '--slower-factor', '0', '--', 'node', 'x'], 2, /--slower-factor cannot be "0"/],
  [['{file}', '--rules', 'no-such.json', '--', 'node', 'x'], 2, /rules file no-such\.json cannot be read/],
  [['{file}', '--junit', 'a.xml', '--html', 'a.xml', '--', 'node', 'x'], 2, /cannot be the same file/],
  [['{file}', '--', 'no-such-program'], 3, /no-such-program/],
  [['{file}', 'unknown'], 2, /unknown|config/i],
])('%j is refused', async (words, expected, message) => {
  const file = recorded('one').write();
  const { code, stdout, stderr } = await runCli(['verify', ...words.map((word) => word.replace('{file}', file))]);
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
});

test('several servers in a recording: one is chosen', async () => {
  const recording = recorded('tool').initialize({ tools: {} }, { server: 'other' });
  recording.call(1, 'a', {}, { server: 'other' }).text(1, 'a', { server: 'other' });
  await expect(run(recording)).rejects.toThrow('has several servers: recorded, other');
  expect((await run(recording, { server: 'other' })).results.map(({ target }) => target)).toEqual(['a']);
});

test('requests and answers that cannot be compared are skipped with the reason', async () => {
  const recording = new WrittenRecording().initialize();
  const cut = { cut: true, text: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"', tail: '}}' };
  recording.line({ kind: 'frame', direction: 'toServer', length: 5000, ...cut });
  recording.call(2, 'a').line({
    ...{ kind: 'frame', direction: 'fromServer', length: 5000 },
    ...{ cut: true, text: '{"jsonrpc":"2.0","id":2,"result":{', tail: '}}' },
  });
  recording.call(3, 'a').cancel(3).call(4, 'a');
  const { results } = await run(recording);
  expect(results.map(({ status, reason }) => [status, reason])).toEqual([
    ['skipped', 'The recording has only a part of the request (--keep-bytes)'],
    ['skipped', 'Sent, but not compared: the recording has only a part of the answer (--keep-bytes)'],
    ['skipped', 'The recorded client cancelled it'],
    ['skipped', 'It was never answered in the recording'],
  ]);
});

const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

test('messages that are nested deeply do not end the verification', async () => {
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'a', { deep: nested(900) }).text(1, 'a');
  recording.call(2, 'a').result(2, { content: nested(900) });
  recording.call(3, 'a').result(3, { content: nested(2000) });
  recording.call(4, 'tool').text(4, 'tool');
  const { results } = await run(recording);
  expect(results.map(({ status }) => status)).toEqual(['same', 'different', 'skipped', 'same']);
});

test('long and many differences are shortened', async () => {
  const recording = new WrittenRecording().initialize();
  const text = 'x'.repeat(100_000);
  recording.call(1, 'tool').result(1, {
    content: [{ type: 'text', text }],
    ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, text])),
  });
  const report = await run(recording);
  expect(report.results[0]!.differences).toHaveLength(100);
  expect(JSON.stringify(report).length).toBeLessThan(300_000);
});

test('names and values of a recording are escaped on the terminal, in XML and in HTML', async () => {
  const name = '</pre><script>alert(1)</script>\u001b[2J"&]]>\ud800';
  const recording = new WrittenRecording().initialize().call(1, name).text(1, name).call(2, 'tool').text(2, `${name}2`);
  const file = recording.write();
  const [xml, html] = [`${folder}/hostile.xml`, `${folder}/hostile.html`];
  const command = ['--', process.execPath, replayFixture('unanswering'), 'exits'];
  const { stdout } = await runCli(['verify', file, '--junit', xml, '--html', html, '--allow-calls', '*', ...command]);
  expect(stdout).not.toContain('\u001b[2J');
  for (const each of [xml, html]) {
    const text = readFileSync(each, 'utf8');
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('\u001b');
  }
  expect(readFileSync(xml, 'utf8')).toMatch(/<testsuites name="standpipe verify" tests="2" failures="2" skipped="0"/);
});

const unanswering = (...args: string[]) => ({
  command: process.execPath,
  args: [replayFixture('unanswering'), ...args],
  stderr: 'ignore' as const,
});
const calls = (count: number) => {
  const recording = new WrittenRecording().initialize();
  for (let id = 1; id <= count; id++) recording.call(id, 'tool').text(id, 'tool');
  return recording.write();
};

test('a server that does not answer ends the verification after 5 requests', async () => {
  const report = await verify(calls(20), unanswering('silent'), { allowCalls: ['*'], timeoutMs: 1000 });
  expect(report.counts).toMatchObject({ failing: 5, skipped: 15 });
  expect(report.results[0]).toMatchObject({
    after: { outcome: 'timeout' },
    reason: expect.stringContaining('1000 ms'),
  });
  expect(report.results[19]).toMatchObject({
    cause: 'server',
    reason: 'Not sent: the server did not answer 5 requests in a row',
  });
});

test('a server that exits at each call is started again for the next one', async () => {
  const report = await verify(calls(3), unanswering('exits'), { allowCalls: ['*'] });
  expect(report.counts).toMatchObject({ failing: 3, skipped: 0 });
  expect(report.restarts).toBe(2);
});

test('a server that cannot be started again ends the verification', async () => {
  const mark = `${folder}/started`;
  const report = await verify(calls(3), unanswering('gone', mark), { allowCalls: ['*'] });
  expect(report.results.map(({ status }) => status)).toEqual(['failing', 'failing', 'skipped']);
  expect(report.results[1]!.reason).toMatch(/^The server could not be started again: .*code 9/);
});

test('a signal ends the verification', async () => {
  const ending = new AbortController();
  const onResult = () => ending.abort(new Error('enough'));
  const verifying = verify(calls(3), tested('tool').service, { rules, signal: ending.signal, onResult });
  await expect(verifying).rejects.toThrow('enough');
});

test('a rules file of another format is refused before a request is sent', async () => {
  const file = recorded('tool').write();
  writeFileSync(`${file}.rules.json`, '[1]');
  await expect(verify(file, tested('tool').service)).rejects.toThrow('has no rules of verify');
});
