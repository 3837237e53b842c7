import { appendFileSync, copyFileSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verify } from '../../src/entry/recording.ts';
import { Server } from '../../src/entry/server.ts';
import { runCli } from '../cli/run-cli.ts';
import { isWindows } from '../fixtures/windows.ts';
import { recorded, WrittenRecording } from '../replay/written-recording.ts';
import { recordedVolatile, volatile } from './volatile.ts';

const run = (file: string, change: string | undefined, ...options: string[]) =>
  runCli(['verify', file, '--allow-calls', 'create', ...options, '--', ...volatile(change)]);
const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');

test.each(['text', 'description', 'instructions', 'error', 'fixed', 'order'])(
  '--update accepts a change (%s), and keeps every other line',
  async (change) => {
    const file = await recordedVolatile('2025-06-18');
    await run(file, undefined, '--learn');
    const before = linesOf(file);
    const { code, stdout } = await run(file, change, '--update');
    expect(stdout).toContain('Updated 1 answer of ');
    expect(code).toBe(0);
    const after = linesOf(file);
    const changed = before.flatMap((line, at) => (line === after[at] ? [] : [at]));
    expect(after).toHaveLength(before.length);
    expect(changed).toHaveLength(1);
    const { seq, length, text } = JSON.parse(after[changed[0]!]!);
    expect(seq).toBe(JSON.parse(before[changed[0]!]!).seq);
    expect(length).toBe(Buffer.byteLength(text));
    if (!isWindows) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run(file, change)).toMatchObject({ code: 0 });
    expect((await run(file, undefined, '--strict')).code).toBe(1);
  },
);

/** A server that answers its tool with this text. */
function answering(text: string, isListed = true): Server {
  const server = new Server({ name: 'was-recorded', version: '3' });
  if (isListed) server.tool('tool', { annotations: { readOnlyHint: true } }, () => text);
  return server;
}

const capabilities = ['--rule', 'ignore result.capabilities'];
const rules = ['ignore result.capabilities'];

test('an answer in a batch is updated, and the others of the batch stay', async () => {
  const answer = (id: number, text: string) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
  const recording = new WrittenRecording().initialize();
  recording.call(1, 'tool').call(2, 'tool', { a: 1 }).sent({ jsonrpc: '2.0', id: 3, method: 'ping' });
  recording.came(JSON.stringify([{ jsonrpc: '2.0', id: 3, result: {} }, answer(1, 'old'), answer(2, 'new')]));
  const file = recording.write();
  const report = await verify(file, answering('new').service, { update: true, rules });
  expect(report.updated).toBe(1);
  const batch = JSON.parse(JSON.parse(linesOf(file).at(-2)!).text);
  expect(batch).toEqual([{ jsonrpc: '2.0', id: 3, result: {} }, answer(1, 'new'), answer(2, 'new')]);
});

test('an answer of a process that exits now is not updated', async () => {
  const file = await recordedVolatile();
  const before = readFileSync(file, 'utf8');
  const { code, stdout } = await run(file, 'crash', '--update', '--rule', 'ignore **');
  expect(stdout).toContain('newly failing (ok → the connection was lost)');
  expect(code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a request that had no answer is fixed, and has to be recorded again', async () => {
  const file = new WrittenRecording().initialize().call(1, 'tool').exit(1).write();
  const before = readFileSync(file, 'utf8');
  const report = await verify(file, answering('works').service, { update: true, rules });
  expect(report.counts.fixed).toBe(1);
  expect(report.warnings).toEqual([
    'Request 1 was not updated: the recording has no answer to replace. Record it again',
  ]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('secrets of the new answers are hidden in the recording', async () => {
  const file = recorded('old').write();
  const key = `ghp_${'a1B2'.repeat(9)}`;
  const report = await verify(file, answering(`key ${key}`).service, { update: true, rules });
  expect(report.updated).toBe(1);
  expect(JSON.stringify(report)).not.toContain(key);
  expect(readFileSync(file, 'utf8')).not.toContain(key);
  expect(JSON.parse(linesOf(file).at(-2)!)).toMatchObject({ redacted: true });
});

test.each([
  [
    'rotated files',
    (file: string) => copyFileSync(file, `${file}.1`),
    /has rotated files[\s\S]*larger --max-file-bytes/,
  ],
  [
    'messages of clients',
    (file: string) => {
      const message = { kind: 'client-frame', direction: 'fromClient', length: 2, text: '{}' };
      appendFileSync(
        file,
        `${JSON.stringify({ run: 'a', seq: 99, atMs: 99, server: 'client 1', life: 1, ...message })}\n`,
      );
    },
    /the answers that clients of the host got/,
  ],
])('a recording with %s is refused', async (_, change, message) => {
  const file = recorded('old').write();
  change(file);
  const before = readFileSync(file, 'utf8');
  const { code, stderr } = await runCli(['verify', file, '--update', ...capabilities, '--', ...volatile()]);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a recording that is written meanwhile is refused', async () => {
  const file = recorded('old').write();
  const server = answering('new');
  const onResult = () => appendFileSync(file, '\n');
  await expect(verify(file, server.service, { update: true, rules, onResult })).rejects.toThrow(
    'was changed while it was verified',
  );
});

test.skipIf(isWindows)('no link is followed', async () => {
  const file = recorded('old').write();
  symlinkSync(file, `${file}.link`);
  const options = { update: true, rules };
  await expect(verify(`${file}.link`, answering('new').service, options)).rejects.toThrow('is a symbolic link');
});

test('--learn and --update are refused together', async () => {
  const { code, stderr } = await runCli(['verify', recorded('x').write(), '--learn', '--update', '--', ...volatile()]);
  expect(stderr).toContain('learn and update cannot be used together');
  expect(code).toBe(2);
});

test('a rules file in the way is reported with its place', async () => {
  const file = recorded('x').write();
  for (const [text, message] of [
    ['{', 'is not JSON'],
    ['{}', 'has no rules of verify'],
    ['{"standpipe":"verify-rules","version":1,"rules":[{"path":"a","accept":"all"}]}', 'Rule 1 of '],
    ['{"standpipe":"verify-rules","version":1,"rules":[{"path":"**.**.**","accept":"text"}]}', 'Rule 1 of '],
  ] as const) {
    writeFileSync(`${file}.rules.json`, text);
    await expect(verify(file, answering('x').service)).rejects.toThrow(message);
  }
});
