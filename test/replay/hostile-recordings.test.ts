// Recordings with lines that no recorder writes. Each command either reads them or says what is wrong with them.

import { constants } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asOneText } from '../../src/app/cli/output/too-long.ts';
import { readSelection } from '../../src/observe/convert/selection.ts';
import { diffSessions } from '../../src/observe/replay/diff-sessions.ts';
import { RecordedSession } from '../../src/observe/replay/recorded-session.ts';
import { folder, runCli } from '../cli/run-cli.ts';

const header = {
  standpipe: 'recording',
  version: 1,
  run: 'r',
  startedAt: '2026-11-15T04:26:09.306Z',
  pid: 1,
  about: {},
};
const initialize = '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}';
const initialized =
  '{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}';
const call = (args = '{}') =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${args}}}`;
const listing = (tools: string) => [
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  `{"jsonrpc":"2.0","id":1,"result":{"tools":[${tools}]}}`,
];
const answer = (content: string) => `{"jsonrpc":"2.0","id":1,"result":{"content":${content}}}`;
const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
const formats = ['html', 'har', 'otlp', 'mermaid'];

let count = 0;

/** Messages go to the server and back in turn, after the handshake. `more`: further lines. */
function recording(messages: readonly string[], more: readonly string[] = [], startedAt = header.startedAt): string {
  const file = `${folder}/hostile-${++count}.jsonl`;
  const lines = [initialize, initialized, ...messages].map((text, index) => {
    const direction = index % 2 === 0 ? 'toServer' : 'fromServer';
    return JSON.stringify({ ...stamp(index + 1), kind: 'frame', direction, length: text.length, text });
  });
  writeFileSync(file, [JSON.stringify({ ...header, startedAt }), ...lines, ...more, ''].join('\n'));
  return file;
}

function stamp(seq: number) {
  return { run: 'r', seq, atMs: seq, server: 's', life: 1 };
}

/** `damagedLine`: the number of the line that a warning names. */
async function convertedTo(format: string, file: string, damagedLine?: number): Promise<string> {
  const { code, stdout, stderr } = await runCli(['convert', file, '--to', format]);
  const warning = `warning: Line ${damagedLine} of ${file} is unusable: Not an event\n`;
  expect({ format, code, stderr }).toEqual({ format, code: 0, stderr: damagedLine ? warning : '' });
  return stdout;
}

test.each([2_000, 100_000])('messages with %i nested levels are converted as incomplete', async (levels) => {
  const file = recording([call(nested(levels)), answer(nested(levels))]);
  for (const format of formats) await convertedTo(format, file);
  expect(await convertedTo('html', file)).toContain('There is no complete answer.');
  const { entries } = JSON.parse(await convertedTo('har', file)).log;
  expect(entries.at(-1)).toMatchObject({ request: { postData: { text: '{}' } }, response: { content: { text: '' } } });
});

test('a message that indentation would make longer than a string can be is converted', async () => {
  const wide = `${'['.repeat(500)}${'1,'.repeat(1_000_000)}1${']'.repeat(500)}`;
  expect(await convertedTo('html', recording([call(), answer(wide)]))).toContain(' characters)');
});

test.each([3_000, 100_000])('an answer with %i nested levels is compared as one that was cut', async (levels) => {
  const [one, other] = [recording([call(), answer('[]')]), recording([call(), answer(nested(levels))])];
  const { code, stdout } = await runCli(['diff', one, other, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).calls).toMatchObject([{ change: 'different', after: { outcome: 'cut' } }]);
  const same = await runCli(['diff', other, other]);
  expect(same.code).toBe(0);
});

test('parameters and definitions that are nested too deeply do not end the comparison with a bug', async () => {
  const asked = recording([call(nested(3_000)), answer('[]')]);
  expect([0, 1, 2]).toContain((await runCli(['diff', asked, asked])).code);
  const tools = listing(`{"name":"a","inputSchema":{"enum":[${nested(3_000)}]}}`);
  const listed = recording(tools);
  expect(await runCli(['diff', listed, recording(listing('{"name":"a"}'))])).toMatchObject({ code: 0 });
});

test('a page with 300,000 entries is compared', async () => {
  const file = recording(listing(Array(300_000).fill('1').join(',')));
  expect(await runCli(['diff', file, file])).toMatchObject({ code: 0 });
});

const batch = (size: number, message: (id: number) => object) =>
  JSON.stringify(Array.from({ length: size }, (_, id) => message(id)));
const batches = (size: number, text = '') => [
  batch(size, (id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `tool ${id}` } })),
  batch(size, (id) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `${text} ${id}` }] } })),
];

test.each(['diff', ...formats])('%s does not parse a batch for each of its messages', async (command) => {
  const [one, other] = [recording(batches(500)), recording(batches(500, 'changed'))];
  let parsed = 0;
  const { parse } = JSON;
  JSON.parse = (text: string, ...more) => {
    parsed += text.length;
    return parse(text, ...more);
  };
  try {
    if (command === 'diff') await runCli(['diff', one, other]);
    else await convertedTo(command, one);
  } finally {
    JSON.parse = parse;
  }
  expect(parsed / readFileSync(one).length).toBeLessThan(20);
});

test('messages of a batch are compared with their own answers', async () => {
  const { stdout } = await runCli(['diff', recording(batches(3)), recording(batches(3, 'new')), '--json']);
  const { calls } = JSON.parse(stdout);
  expect(calls).toHaveLength(3);
  for (const [id, { differences }] of calls.entries())
    expect(differences).toEqual([{ path: 'result.content[0].text', before: ` ${id}`, after: `new ${id}` }]);
});

test('a batch that is longer than transports accept is not replayed', async () => {
  const file = recording(batches(1_001));
  expect((await runCli(['diff', file, file, '--json'])).stdout).toContain('"calls": []');
});

test('the messages of a selection are parsed when they are read', async () => {
  const { exchanges } = await readSelection(recording([call(), answer('[]')]), {});
  const { answer: read } = Object.getOwnPropertyDescriptors(exchanges.at(-1)!);
  expect(read.value).toBeUndefined();
  expect(exchanges.at(-1)!.answer).toMatchObject({ id: 1 });
});

test('a comparison that would take too much memory is refused, and older listings do not count', async () => {
  const tools = Array(50)
    .fill(`{"name":"${'x'.repeat(100)}"}`)
    .join(',');
  const compare = async (file: string) => {
    const sessions = [RecordedSession.open(file), RecordedSession.open(file)] as const;
    try {
      return await diffSessions(...sessions, 40_000);
    } finally {
      for (const session of sessions) await session.close();
    }
  };
  expect((await compare(recording(Array(20).fill(listing(tools)).flat()))).definitions).toEqual([]);
  const large = recording([call(`{"text":"${'x'.repeat(50_000)}"}`), answer('[]')]);
  await expect(compare(large)).rejects.toMatchObject({
    code: 'RECORDING_UNUSABLE',
    hint: expect.stringContaining('parts'),
  });
});

test('a recording with more runs than a conversion can hold is refused', async () => {
  const runs = Array.from({ length: 10_000 }, (_, run) =>
    JSON.stringify({ ...stamp(1), run: `r${run}`, kind: 'frame', direction: 'toServer', length: 1, text: '{}' }),
  );
  await convertedTo('mermaid', recording(listing(''), runs.slice(1)));
  const { code, stderr } = await runCli(['convert', recording(listing(''), runs), '--to', 'html']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('more than 10000 runs') });
});

test('a result that is longer than a string can be is an error with the fix in it', async () => {
  const long = 'x'.repeat(constants.MAX_STRING_LENGTH);
  const failing = asOneText('a.jsonl', 'Select a part.', () => `${long}x`);
  await expect(failing).rejects.toMatchObject({ code: 'RECORDING_UNUSABLE', hint: 'Select a part.' });
});

test('half of a surrogate pair in a name is replaced in the URL of HAR', async () => {
  const file = recording(['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\\ud800"}}']);
  const { entries } = JSON.parse(await convertedTo('har', file)).log;
  expect(entries.at(-1).request.url).toBe('stdio://s/tools%2Fcall/a%EF%BF%BD');
});

test.each(['1e300', '1e999', '-1'])('an event at %s ms is damage', async (atMs) => {
  const line = JSON.stringify({ ...stamp(9), kind: 'frame', direction: 'toServer', length: 1, text: call() });
  const file = recording(listing(''), [line.replace('"atMs":9', `"atMs":${atMs}`)]);
  for (const format of formats) await convertedTo(format, file, 6);
  expect(JSON.parse(await convertedTo('har', file, 6)).log.entries).toHaveLength(2);
});

test('a date that is too late for the times of events is ignored', async () => {
  const file = recording(listing(''), [], '+275760-09-13T00:00:00.000Z');
  for (const format of formats) await convertedTo(format, file);
});

test('an exit code is an integer', async () => {
  const line = JSON.stringify({ ...stamp(9), kind: 'exit', exitCode: 1.5, signal: null });
  expect(await convertedTo('mermaid', recording(listing(''), [line]))).not.toContain('1.5');
});

test('only files of a rotation belong to a recording', async () => {
  const file = recording(listing('')); // without its rotated files
  const expected = await convertedTo('mermaid', file);
  for (const name of ['01', '0', '1x']) writeFileSync(`${file}.${name}`, readFileSync(file));
  expect(await convertedTo('mermaid', file)).toBe(expected);
});

test.skipIf(process.platform === 'win32')('a named pipe with the name of a rotated file is not opened', async () => {
  const file = recording(listing(''));
  const expected = await convertedTo('mermaid', file);
  execFileSync('mkfifo', [`${file}.1`]);
  expect(await convertedTo('mermaid', file)).toBe(expected);
});

test.skipIf(process.platform === 'win32')('an output file becomes private, and no link is followed', async () => {
  const file = recording(listing(''));
  const output = `${file}.html`;
  writeFileSync(output, '');
  chmodSync(output, 0o644);
  expect(await runCli(['convert', file, '--to', 'html', '-o', output])).toMatchObject({ code: 0 });
  expect(statSync(output).mode & 0o777).toBe(0o600);
  const [kept, link] = [`${file}.kept`, `${file}.link`];
  writeFileSync(kept, 'kept');
  symlinkSync(kept, link);
  const linked = await runCli(['convert', file, '--to', 'html', '-o', link]);
  expect(linked).toMatchObject({ code: 2, stderr: expect.stringContaining('is a symbolic link') });
  expect(readFileSync(kept, 'utf8')).toBe('kept');
  expect(await runCli(['convert', file, '--to', 'html', '-o', '/dev/null'])).toMatchObject({ code: 0 });
});

test('a recording is not replaced by its conversion', async () => {
  const file = recording(listing(''));
  const before = readFileSync(file, 'utf8');
  writeFileSync(`${file}.1`, before);
  for (const output of [file, `${file}.1`]) {
    const { code, stderr } = await runCli(['convert', file, '--to', 'mermaid', '-o', output]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is a file of the recording') });
    expect(readFileSync(output, 'utf8')).toBe(before);
  }
});
