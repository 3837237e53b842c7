// `standpipe show` of recordings, as lines and as documents.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, runCli } from '../cli/run-cli.ts';
import { WrittenRecording } from '../replay/written-recording.ts';

async function shown(file: string, ...options: string[]): Promise<string[][]> {
  const { code, stdout, stderr } = await runCli(['show', file, ...options]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
}

async function documents(file: string, ...options: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout } = await runCli(['show', file, '--json', ...options]);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const conversation = () =>
  new WrittenRecording()
    .initialize()
    .call(1, 'forecast', { city: 'Oslo' })
    .stderr('asking the weather service\n')
    .later(1500)
    .text(1, 'Sunny')
    .call(2, 'forecast', { city: 'Bergen' })
    .came({ jsonrpc: '2.0', id: 2, error: { code: -32000, message: 'no rain\tgauge' } })
    .request(3, 'resources/read', { uri: 'file:///notes' })
    .came('Listening on port 3000')
    .exit(1);

test('prints a line with time, server, client, method, target, outcome and duration for each request', async () => {
  expect(await shown(conversation().write())).toEqual([
    ['1970-01-01T00:00:00.001Z', 'recorded', '', 'initialize', '', 'ok', '1.000'],
    ['1970-01-01T00:00:00.003Z', 'recorded', '', 'tools/call', 'forecast', 'ok', '1502.000'],
    ['1970-01-01T00:00:00.004Z', 'recorded', '', 'stderr', 'asking the weather service'],
    ['1970-01-01T00:00:01.506Z', 'recorded', '', 'tools/call', 'forecast', 'error -32000', '1.000'],
    ['1970-01-01T00:00:01.508Z', 'recorded', '', 'resources/read', 'file:///notes', 'lost', '2.000'],
    ['1970-01-01T00:00:01.509Z', 'recorded', '', 'stdout', 'Listening on port 3000'],
    ['1970-01-01T00:00:01.510Z', 'recorded', '', 'process', 'exited with code 1'],
  ]);
});

describe('filters', () => {
  const file = conversation().write();
  test.each([
    [
      ['--tool', 'forecast'],
      ['forecast', 'forecast'],
    ],
    [['--method', 'resources/read'], ['file:///notes']],
    [['--slower', '1s'], ['forecast']],
    [['--errors'], ['forecast', 'file:///notes', 'Listening on port 3000', 'exited with code 1']],
    [['--text', 'BERGEN'], ['forecast']],
    [['--text', 'sunny'], ['forecast']],
    [['--last', '1'], ['exited with code 1']],
    [['--tool', 'forecast', '--last', '1', '--errors'], ['forecast']],
    [['--server', 'recorded', '--tool', 'file:///notes'], ['file:///notes']],
  ])('%j', async (options, expected) => {
    expect((await shown(file, ...options)).map((cells) => cells[4])).toEqual(expected);
  });

  test('an unknown server is an error with the names', async () => {
    expect(await runCli(['show', file, '--server', 'recordet'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "recorded"?'),
    });
  });

  test.each([
    ['--last', '100001'],
    ['--last', '0'],
    ['--slower', 'long'],
  ])('refuses %s %s', async (...options) => {
    expect(await runCli(['show', file, ...options])).toMatchObject({ code: 2, stdout: '' });
  });
});

test('a client of a host is shown with the requests on its behalf', async () => {
  const recording = new WrittenRecording({ server: 'weather' });
  const text = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'forecast' } });
  const frame = { kind: 'client-frame', length: text.length };
  recording
    .line({ server: 'client 1', kind: 'client', state: 'opened', door: 'socket' })
    .line({ ...frame, server: 'client 1', direction: 'fromClient', text })
    .line({ server: 'client 1', kind: 'link', request: 7, wire: 'weather', wireLife: 1, direction: 'toServer', id: 1 })
    .call(1, 'forecast')
    .text(1, 'Sunny')
    .line({ ...frame, server: 'client 1', direction: 'toClient', text: '{"jsonrpc":"2.0","id":7,"result":{}}' });
  const file = recording.write();
  const columns = (lines: string[][]) => lines.map(([, server, client, , target]) => [server, client, target]);
  expect(columns(await shown(file, '--client', 'client 1'))).toEqual([
    ['', 'client 1', 'forecast'],
    ['weather', 'client 1', 'forecast'],
  ]);
  expect(columns(await shown(file, '--server', 'weather'))).toEqual([['weather', 'client 1', 'forecast']]);
});

test('--frames adds the messages of a request, and other notifications', async () => {
  const file = new WrittenRecording()
    .call(1, 'a')
    .notify('notifications/tools/list_changed')
    .text(1, 'one\ntwo \u{1f600}')
    .write();
  const { stdout } = await runCli(['show', file, '--frames']);
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    '  → 83 bytes  {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}',
    '  ← 86 bytes  {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"one\\ntwo \u{1f600}"}]}}',
  ]);
  expect(stdout).toContain('\tmessage\tnotifications/tools/list_changed\n');
  const [request, notification] = await documents(file, '--frames');
  expect(request).toMatchObject({
    ...{ type: 'request', server: 'recorded', direction: 'toServer', method: 'tools/call', target: 'a', id: 1 },
    ...{ outcome: 'ok', durationMs: 2, requestBytes: 83, answerBytes: 86 },
    messages: [
      { direction: 'toServer', bytes: 83, text: expect.stringContaining('"name":"a"') },
      { direction: 'fromServer', bytes: 86 },
    ],
  });
  expect(notification).toMatchObject({ type: 'message', method: 'notifications/tools/list_changed' });
  expect(await documents(file)).toHaveLength(1);
});

test('bytes that are not UTF-8, and messages that were cut, are complete in documents', async () => {
  const base64 = Buffer.from([0x7b, 0xff, 0x7d]).toString('base64');
  const start = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"text":"';
  const file = new WrittenRecording()
    .line({ kind: 'frame', direction: 'toServer', length: 9000, cut: true, text: start, tail: '"}}}' })
    .line({ kind: 'frame', direction: 'fromServer', length: 3, base64 })
    .write();
  const [request, line] = await documents(file, '--frames');
  expect(request).toMatchObject({
    target: 'a',
    outcome: 'pending',
    messages: [{ bytes: 9000, cut: true, text: start, tail: '"}}}' }],
  });
  expect(line).toMatchObject({ type: 'line', kind: 'stdout' });
});

test('messages that no longer fit in memory are counted', async () => {
  const recording = new WrittenRecording().call(1, 'a');
  for (let each = 0; each < 70; each++) recording.call(each + 10, 'big', { text: 'x'.repeat(1_000_000) });
  const { stdout } = await runCli(['show', recording.text(1, 'done').write(), '--frames', '--tool', 'a']);
  expect(stdout).toContain('(1 message no longer in memory)');
});

describe('recordings that cannot be used', () => {
  const write = (name: string, text: string | Uint8Array) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  test.each([
    ['missing.jsonl', undefined, 'There is no recording'],
    ['empty.jsonl', '', 'has no messages of a server'],
    ['foreign.jsonl', 'a: 1\nb: 2\n', 'Line 1 of'],
    ['binary.jsonl', Uint8Array.of(0, 255, 10, 254), 'Line 1 of'],
    ['newer.jsonl', '{"standpipe":"recording","version":99,"run":"a"}\n', 'Unknown format version 99'],
  ])('%s', async (name, text, expected) => {
    const file = text === undefined ? join(folder, name) : write(name, text);
    const { code, stdout, stderr } = await runCli(['show', file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(expected);
  });

  test('a damaged line is shown at its place, and named by its number', async () => {
    const { lines } = conversation();
    const file = write(
      'damaged.jsonl',
      `${[...lines.slice(0, 4), '{"run":"a","se', ...lines.slice(4)].join('\n')}\n{"cut`,
    );
    const { code, stdout, stderr } = await runCli(['show', file]);
    expect(code).toBe(0);
    expect(stderr).toBe(`warning: Line 5 of ${file} is unusable: Not a JSON object\n`);
    expect(stdout).toMatch(/\tnote\tDamaged at byte \d+ \(14 bytes\): Not a JSON object\n/);
    expect(stdout).toContain('\tforecast\terror -32000\t');
  });

  test('a file that a killed writer left is shown without a warning', async () => {
    const { lines } = conversation();
    const file = write('killed.jsonl', lines.join('\n').slice(0, -10));
    expect(await runCli(['show', file])).toMatchObject({ code: 0, stderr: '' });
  });

  test('text of a server stays on its line', async () => {
    const name = 'a\nb\tc\x1b[2J\u202e';
    const lines = await shown(
      new WrittenRecording({ server: name }).call(1, name).text(1, 'x').stderr(`${name}\rd`).write(),
    );
    expect(lines.map((cells) => cells.length)).toEqual([7, 5, 5]);
    expect(lines[0]![1]).toBe('a\\nb\\tc\\x1b[2J\\u202e');
  });
});
