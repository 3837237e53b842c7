// Files that are damaged, foreign or crafted: an error that names the first bad line, bounded memory and time, and never a crash.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../../src/entry/client.ts';
import { RecordedSession } from '../../src/observe/replay/recorded-session.ts';
import { isWindows } from '../fixtures/windows.ts';
import { folder, recorded, replayed, textOf, WrittenRecording } from './written-recording.ts';

let files = 0;

function fileWith(content: string | Uint8Array): string {
  const file = join(folder, `unusable-${++files}.jsonl`);
  writeFileSync(file, content);
  return file;
}

async function problemOf(file: string): Promise<{ message: string; hint?: string; code: string }> {
  try {
    await replayed(file).describe();
  } catch (error) {
    return error as { message: string; hint?: string; code: string };
  }
  throw new Error('The file is usable');
}

const usable = recorded('done').lines;

test.each([
  ['an empty file', '', undefined],
  ['text', 'Dear diary,\n', /^Line 1 of .+ is unusable: Not a JSON object$/],
  [
    'other JSON lines',
    '\n\n{"a":1}\n[2]\n"x"\n',
    /^Line 3 of .+ is unusable: Not an event \(3 unusable lines in all\)$/,
  ],
  [
    'a document',
    '{\n  "log": { "entries": [] }\n}\n',
    /^Line 1 of .+ is unusable: Not a JSON object \(3 unusable lines in all\)$/,
  ],
  ['bytes', new Uint8Array(4096).fill(0xff), /^Line 1 of .+ is unusable: The last line is incomplete$/],
  ['a newer format', '{"standpipe":"recording","version":2,"run":"a"}\n', /Line 1 .+ Unknown format version 2$/],
  ['only the header', `${usable[0]}\n`, undefined],
  ['a cut first line', usable[0]!.slice(0, 40), /^Line 1 of .+: The last line is incomplete$/],
])('a file is refused with the line of its first damage: %s', async (_, content, line) => {
  const file = fileWith(content);
  const { code, message, hint } = await problemOf(file);
  expect({ code, message }).toEqual({ code: 'RECORDING_UNUSABLE', message: `${file} has no messages of a server` });
  expect(hint).toMatch(line ?? /tap --record FILE/);
});

test('a file that cannot be read is named', async () => {
  const missing = join(folder, 'no-such.jsonl');
  expect(await problemOf(missing)).toMatchObject({
    code: 'NAME_UNKNOWN',
    message: `There is no recording ${missing}`,
  });
  const nested = join(folder, 'a-folder');
  mkdirSync(nested);
  expect(await problemOf(nested)).toMatchObject({ message: `${nested} is not a file` });
  if (isWindows) return;
  const fifo = join(folder, 'a-pipe');
  execFileSync('mkfifo', [fifo]);
  expect(await problemOf(fifo)).toMatchObject({ message: `${fifo} is not a file` });
});

test('a cut or damaged recording answers with what is left of it', async () => {
  const whole = recorded('one', 'two').lines;
  const cut = `${whole.slice(0, -1).join('\n')}\n${whole.at(-1)!.slice(0, 50)}`;
  const client = await clientOf(replayed(fileWith(cut)), { checkOutput: false });
  expect(textOf(await client.callTool('tool', {}))).toBe('one');

  const damaged = whole.toSpliced(4, 0, '{"run":"a","seq":', 'x').join('\n');
  const service = replayed(fileWith(damaged));
  const other = await clientOf(service, { checkOutput: false });
  expect(textOf(await other.callTool('tool', {}))).toBe('one');
  await expect(other.callTool('unknown', {})).rejects.toThrow(
    /name "tool" instead of "unknown"\. Line 5 of .+ is unusable: Not a JSON object \(2 unusable lines in all\)$/,
  );
});

test('a recording that is cut at any byte is answered or refused', async () => {
  const bytes = Buffer.from(`${recorded('done').lines.join('\n')}\n`);
  const outcomes = new Set<string>();
  for (let length = 0; length <= bytes.length; length += 7) {
    const session = RecordedSession.open(fileWith(bytes.subarray(0, length)));
    const outcome = session.read().then(({ exchanges }) => exchanges[0]?.outcome ?? 'absent');
    outcomes.add(await outcome.catch((error) => error.code));
    await session.close();
  }
  expect([...outcomes].sort()).toEqual(['RECORDING_UNUSABLE', 'absent', 'answered', 'pending']);
});

test('a file that changes while it is used is reported', async () => {
  const recording = recorded('one', 'two');
  const file = recording.write();
  const service = replayed(file);
  const client = await clientOf(service, { checkOutput: false });
  await service.session.read();
  writeFileSync(file, 'x'.repeat(readFileSync(file).length));
  await expect(client.callTool('tool', {})).rejects.toThrow('was changed while it was used');
  rmSync(file);
  await service.close();
  await expect(client.callTool('tool', {})).rejects.toThrow('was closed');
});

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('lines with hostile contents are passed over', async () => {
  const recording = new WrittenRecording().initialize();
  const request = (id: unknown, rest: string) =>
    recording.sent(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"${rest}}`);
  for (const id of ['null', '{}', '[1]', 'true', '1e999', '-0', '""']) request(id, ',"params":{"name":"odd"}');
  request(1, `,"params":${deep(100_000)}`);
  request(2, `,"params":{"name":"tool","arguments":{"a":${deep(200_000)}}}`);
  request(3, ',"params":"text"');
  request(4, ',"params":{"name":{"toString":1},"_meta":7,"arguments":null}');
  recording
    .came('{"jsonrpc":"2.0","id":{}}')
    .came('{"jsonrpc":"2.0","id":4}')
    .came('null')
    .came('[]')
    .came('[[]]')
    .came('[null,1]');
  recording.came('{"jsonrpc":"2.0","id":"init","result":{"resultType":"input_required","inputRequests":"x"}}');
  recording.came('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{}}}');
  recording
    .came('{"jsonrpc":"2.0","method":"notifications/progress","params":[]}')
    .came('{"method":7}')
    .came('{"method":""}');
  recording.sent('{"jsonrpc":"2.0","method":"notifications/cancelled"}').cancel({}).cancel('nothing');
  recording.line({ kind: 'frame', direction: 'sideways', length: 1, text: 'x' });
  recording
    .line({ kind: 'exit', exitCode: 'x', signal: 7, life: 1e300 })
    .line({ kind: 'stderr', length: -1, base64: '%%' });
  recording.line({ kind: 'http', exchange: -1, state: 'ended', method: '', url: '' }).line({ kind: '__proto__' });
  recording.call('last', 'tool').text('last', 'done');
  const client = await recording.client();
  expect(textOf(await client.callTool('tool', {}))).toBe('done');
  await expect(client.callTool('tool', JSON.parse(`{"a":${deep(5_000)}}`))).rejects.toThrow('nested too deeply');
});

test('an answer that is nested too deeply fails alone', async () => {
  const recording = new WrittenRecording().initialize().call(1, 'deep');
  recording.came(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":${deep(50_000)}}}}`);
  recording.call(2, 'flat').text(2, 'done');
  const client = await recording.client();
  await client.callTool('deep', {}).catch(() => undefined);
  expect(textOf(await client.callTool('flat', {}))).toBe('done');
});

test('a recording with more requests and notifications than the limit is refused', async () => {
  const recording = recorded(...Array.from({ length: 20 }, (_, i) => `${i}`));
  const client = await recording.client({ maxItems: 20 });
  expect(textOf(await client.callTool('tool', {}))).toBe('0');
  for (let each = 0; each < 20; each++) recording.notify('notifications/resources/list_changed');
  const service = recording.replay({ maxItems: 30 });
  await expect(service.session.read()).rejects.toThrow('The recording has more than 30 requests and notifications');
});

/** Runs through a hostile recording in one piece; what was quadratic would take hours. */
async function read(recording: WrittenRecording) {
  const session = RecordedSession.open(recording.write());
  const conversation = await session.read();
  await session.close();
  return conversation;
}

test('100,000 pending requests with as many messages between them are read in linear time', async () => {
  const recording = new WrittenRecording().initialize();
  const count = 100_000;
  for (let id = 0; id < count; id++) recording.call(id, 'tool');
  for (let id = 0; id < count / 2; id++) {
    recording.notify('notifications/message', { level: 'info', data: id }).text(count - id, 'x');
  }
  for (let each = 0; each < 1000; each++) recording.exit(1);
  const { exchanges, withKey } = await read(recording).then((found) => ({
    exchanges: found.exchanges,
    withKey: found.withKey(found.exchanges[0]!.key),
  }));
  expect(exchanges).toHaveLength(count);
  expect(withKey).toHaveLength(count);
  expect(exchanges.filter(({ outcome }) => outcome === 'lost')).toHaveLength(count / 2 + 1);
});

test('a batch of 1,000 requests, the longest one, and 100,000 process runs are read', async () => {
  const recording = new WrittenRecording().initialize();
  const params = { name: 'tool' };
  const batch = Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
  recording.sent(batch);
  for (let life = 2; life < 100_000; life++) recording.stderr('x', { life });
  const { exchanges } = await read(recording);
  expect(exchanges).toHaveLength(1000);
  expect(exchanges[999]!.request).toMatchObject({ part: 999 });
});
