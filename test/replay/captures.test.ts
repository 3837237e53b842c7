// Captures of other programs become recordings, which are shown and replayed.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientOf } from '../../src/entry/client.ts';
import { memberText } from '../../src/observe/convert/member-text.ts';
import { folder, runCli } from '../cli/run-cli.ts';
import { replayed, textOf } from './written-recording.ts';

let count = 0;

function write(lines: readonly (object | string)[], end = '\n'): string {
  const file = join(folder, `capture-${++count}.jsonl`);
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + end);
  return file;
}

async function converted(file: string, ...options: string[]) {
  const output = join(folder, `imported-${++count}.jsonl`);
  const ran = await runCli(['convert', file, '--to', 'recording', '--output', output, ...options]);
  return { output, ...ran };
}

async function shown(file: string): Promise<string[]> {
  const { code, stdout } = await runCli(['show', file]);
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').slice(1).join(' '));
}

const serverInfo = { name: 'weather', version: '1' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: serverInfo },
};
const initialized = {
  jsonrpc: '2.0',
  id: 0,
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
};
const call = (id: unknown, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'forecast', arguments: args },
});
const answer = (id: unknown, text: string) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });

describe('mcpsnoop', () => {
  let seq = 0;
  const event = (direction: string, more: object) => ({
    ...{ session_id: 'a1', server_label: 'weather', seq: ++seq, direction, transport: 'stdio' },
    ...{ ts: `2026-08-15T14:02:${String(10 + seq).padStart(2, '0')}.123456789+02:00`, ...more },
  });
  const capture = () => [
    event('meta', { raw: { command: ['node', 'weather.mjs', '--token=hunter2hunter2'], cwd: '/' } }),
    event('c2s', { raw: initialize }),
    event('s2c', { raw: initialized }),
    event('c2s', { raw: call(1, { city: 'Oslo' }) }),
    event('stderr', { text: 'asking' }),
    event('s2c', { text: 'Listening on port 3000' }),
    event('s2c', { raw: answer(1, 'Sunny') }),
    event('c2s', { raw: call(2, { key: '[REDACTED]' }), redacted: true }),
    event('s2c', { raw: answer(2, 'Secret') }),
  ];

  test('is shown and replayed', async () => {
    const { output, code, stderr } = await converted(write(capture()));
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Converted 9 events of mcpsnoop\n' });
    expect(await shown(output)).toEqual([
      'weather  note Recorded by mcpsnoop: node weather.mjs --token=[redacted]',
      'weather  initialize  ok 1000.000',
      'weather  tools/call forecast ok 3000.000',
      'weather  stderr asking',
      'weather  stdout Listening on port 3000',
      'weather  tools/call forecast ok 1000.000',
    ]);
    const client = await clientOf(replayed(output));
    expect(textOf(await client.callTool('forecast', { city: 'Oslo' }))).toBe('Sunny');
    expect(textOf(await client.callTool('forecast', { key: 'any text at all' }))).toBe('Secret');
    if (process.platform !== 'win32') expect(statSync(output).mode & 0o777).toBe(0o600);
  });

  test('keeps the digits of a message, and tells connections with equal ids apart', async () => {
    const precise =
      '{"session_id":"b","server_label":"x","ts":"2026-08-15T14:02:10Z","direction":"c2s","conn_id":"1","raw":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"big":12345678901234567890}}}}';
    const other = precise.replace('"conn_id":"1"', '"conn_id":"2"');
    const answered = (conn: string, text: string) => ({
      session_id: 'b',
      server_label: 'x',
      ts: '2026-08-15T14:02:11Z',
      direction: 's2c',
      conn_id: conn,
      raw: answer(1, text),
    });
    const { output } = await converted(write([precise, other, answered('1', 'one'), answered('2', 'two')]));
    expect(readFileSync(output, 'utf8')).toContain('{\\"big\\":12345678901234567890}');
    expect(await shown(output)).toEqual(['x  tools/call n ok 1000.000', 'x  tools/call n ok 1000.000']);
  });
});

describe('mcp-cassette', () => {
  const header = (more: object = {}) => ({
    ...{ type: 'header', cassetteVersion: 2, recorder: 'x', startedAt: '2026-08-15T09:00:00Z', transport: 'stdio' },
    ...{ command: ['npx', '-y', 'some-server'], ...more },
  });
  const frame = (t: number, dir: string, message: object) => ({ type: 'frame', t, dir, frame: message });
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 7, progress: 1 } };
  const cassette = () => [
    header(),
    frame(0, 'c2s', initialize),
    frame(5, 's2c', initialized),
    frame(10, 'c2s', call(1, { city: 'Oslo' })),
    { type: 'raw', t: 12, dir: 's2c', data: 'not a message' },
    frame(40, 'c2s', call(2, { token: '[REDACTED:keyctx:0123abcd]' })),
    {
      type: 'chunks',
      t: 10,
      dir: 's2c',
      id: 1,
      chunks: [
        { t: 20, frame: progress },
        { t: 30, frame: answer(1, 'Sunny') },
      ],
    },
    frame(50, 's2c', answer(2, 'Secret')),
  ];

  test('is shown and replayed, with the messages of streams at their times', async () => {
    const { output, code, stderr } = await converted(write(cassette()));
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Converted 9 events of mcp-cassette\n' });
    expect(await shown(output)).toEqual([
      'some-server  note Recorded by mcp-cassette: npx -y some-server',
      'some-server  initialize  ok 5.000',
      'some-server  tools/call forecast ok 20.000',
      'some-server  stdout not a message',
      'some-server  tools/call forecast ok 10.000',
    ]);
    const client = await clientOf(replayed(output));
    expect(textOf(await client.callTool('forecast', { city: 'Oslo' }))).toBe('Sunny');
    expect(textOf(await client.callTool('forecast', { token: 'a real token' }))).toBe('Secret');
  });

  test('of version 1 and of a URL', async () => {
    const url = 'https://mcp.example.com/mcp?key=hunter2hunter2';
    const { output } = await converted(
      write([header({ cassetteVersion: 1, command: undefined, url }), frame(1, 'c2s', call(1, {}))]),
    );
    expect((await shown(output))[1]).toBe('mcp.example.com  tools/call forecast pending');
    expect(readFileSync(output, 'utf8')).not.toContain('hunter2hunter2');
  });

  test('a newer version is refused', async () => {
    const file = write([header({ cassetteVersion: 3 }), frame(1, 'c2s', call(1, {}))]);
    expect(await converted(file)).toMatchObject({ code: 2, stderr: expect.stringContaining('Line 1 of') });
    expect(await converted(file, '--from', 'mcp-cassette')).toMatchObject({
      stderr: expect.stringContaining('The version 3 of the cassette is unknown'),
    });
  });
});

describe('files that are not captures', () => {
  const event = { session_id: 'a', server_label: 'x', ts: '2026-08-15T14:02:10Z', direction: 'c2s', raw: call(1, {}) };

  test.each([
    ['another recording', [{ standpipe: 'recording', version: 1 }], 'is a recording already'],
    ['other JSON', [{ a: 1 }], 'is not a capture of mcpsnoop or mcp-cassette'],
    ['text', ['one', 'two'], 'Line 1 of'],
    ['nothing', [], 'has no events of a capture'],
  ])('%s', async (_, lines, expected) => {
    const { code, stderr } = await converted(write(lines));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(expected) });
  });

  test.each([
    ['text', 'not JSON', 'Not a JSON object'],
    ['a date', { ...event, ts: 'yesterday' }, 'Not an event of mcpsnoop'],
    ['a direction', { ...event, direction: 'up' }, 'Its direction "up" is unknown'],
    ['no message', { ...event, raw: undefined }, 'Its message is missing'],
    [
      'a name that is too long',
      { ...event, server_label: 'x'.repeat(2000) },
      'Its time or the name of its server is not usable',
    ],
  ])('a line with %s is left out, and named', async (_, line, problem) => {
    const file = write([event, line, event]);
    const { code, stderr } = await converted(file);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: Line 2 of ${file} is left out: ${problem}\nConverted 2 events of mcpsnoop\n`,
    });
  });

  test('a capture that was cut is converted without its last line', async () => {
    const file = write([event, event], '\n{"session_id":"a"');
    expect(await converted(file)).toMatchObject({ code: 0, stderr: expect.stringContaining('Line 3 of') });
  });

  test.each(['show', 'replay', 'convert'])('%s of a capture names the command that converts it', async (command) => {
    const file = write([event]);
    const { code, stderr } = await runCli([command, file, ...(command === 'convert' ? ['--to', 'html'] : [])]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${file} --to recording`);
  });

  test('a file that does not exist, and options of other formats', async () => {
    expect(await converted(join(folder, 'none.jsonl'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no recording'),
    });
    expect(await converted(write([event]), '--last', '3')).toMatchObject({ code: 2 });
    expect(await runCli(['convert', write([event]), '--to', 'har', '--from', 'mcpsnoop'])).toMatchObject({ code: 2 });
  });
});

test.each([
  ['{"a":{"raw":1},"raw":{"x":"}"},"b":2}', '{"x":"}"}'],
  ['{"raw" : [1, {"raw":2}] , "b":"\\"raw\\":"}', '[1, {"raw":2}]'],
  ['{"raw":1,"raw":{"second":1.0}}', '{"second":1.0}'],
  ['{"text":"raw","b":1}', undefined],
  ['{"raw":"a\\"}"}', '"a\\"}"'],
  ['{"b":[{"raw":1}]}', undefined],
])('the text of the member in %s is %s', (json, expected) => {
  expect(memberText(json, 'raw')).toBe(expected);
});
