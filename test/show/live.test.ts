// `standpipe show` of running taps and hosts, and of recordings that are being written.

import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import {
  cleanEnv,
  everythingEntry,
  fixturePath,
  folder,
  program,
  runCli,
  startCli,
  startHost,
  stopHost,
  writeConfig,
} from '../cli/run-cli.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { WrittenRecording } from '../replay/written-recording.ts';

async function tapped(name: string) {
  const args = [program, 'tap', '--name', name, '--', process.execPath, fixturePath('everything.mjs')];
  const client = await connect({ command: process.execPath, args, env: cleanEnv as Record<string, string> });
  later(() => client.close());
  await until('the tap is announced', async () => (await runCli(['show', name])).code === 0);
  return client;
}

/** A command that runs until it ends or the test does. */
function started(args: readonly string[]) {
  const child = startCli(args);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  later(async () => {
    child.kill();
    await closed;
  });
  return {
    child,
    closed,
    text: () => text,
    shows: (part: string) => until(`${part} in ${text}`, () => text.includes(part)),
  };
}

test('shows the stored traffic of a tap, by its name or process id, and ends', async () => {
  const client = await tapped('shown tap');
  await client.callTool('greet', { name: 'Ada' });
  await until('the call is shown', async () => (await runCli(['show', 'shown tap'])).stdout.includes('\tgreet\tok\t'));
  const { stdout } = await runCli(['show', 'shown tap', '--json', '--tool', 'greet']);
  expect(JSON.parse(stdout)).toMatchObject({ server: 'shown tap', method: 'tools/call', outcome: 'ok' });
  const unknown = await runCli(['show', 'shown tab']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "shown tap"?') });
});

test('--follow prints what comes, until the tap ends', async () => {
  const client = await tapped('followed tap');
  const { closed, shows, text } = started(['show', 'followed tap', '--follow', '--tool', 'greet']);
  await client.callTool('greet', { name: 'Ada' });
  await shows('\tgreet\tok\t');
  await client.callTool('greet', { name: 'Bob' });
  await until('both calls', () => text().split('\tgreet\tok\t').length === 3);
  await client.close();
  expect(await closed).toBe(0);
});

test('shows a running host, and one of its servers', async () => {
  const config = writeConfig('show-host.json', { everything: everythingEntry, other: everythingEntry });
  const host = await startHost(['--config', config]);
  later(() => stopHost(host));
  await runCli(['call', 'everything', 'greet', 'name=Ada', '--config', config]);
  await runCli(['call', 'other', 'greet', 'name=Bob', '--config', config]);
  const servers = async (...words: string[]) => {
    const { code, stdout } = await runCli(['show', ...words, '--json', '--tool', 'greet', '--config', config]);
    expect(code).toBe(0);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).server);
  };
  await until('both calls are shown', async () => (await servers()).filter(Boolean).length === 2);
  expect(await servers('other')).toEqual(['other']);
});

test('without a name and without a tap or host, says what to start', async () => {
  const env = { XDG_RUNTIME_DIR: join(folder, 'nothing-runs'), LOCALAPPDATA: join(folder, 'nothing-runs') };
  expect(await runCli(['show'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No tap and no host is running'),
  });
});

test('--follow continues a recording that grows and is rotated', async () => {
  const file = join(folder, 'grows.jsonl');
  const { lines } = new WrittenRecording()
    .call(1, 'first')
    .text(1, 'x')
    .call(2, 'second')
    .text(2, 'x')
    .call(3, 'third')
    .text(3, 'x');
  writeFileSync(file, `${lines.slice(0, 3).join('\n')}\n`);
  const { shows } = started(['show', file, '--follow', '--last', '1']);
  await shows('\tfirst\tok\t');
  appendFileSync(file, `${lines[3]}\n${lines[4]!.slice(0, 20)}`);
  appendFileSync(file, `${lines[4]!.slice(20)}\n`);
  await shows('\tsecond\tok\t');
  renameSync(file, `${file}.1`);
  writeFileSync(file, `${[lines[0], ...lines.slice(5)].join('\n')}\n`);
  await shows('\tthird\tok\t');
});

test.skipIf(process.platform === 'win32')('a reader that closes the pipe ends the command', async () => {
  const recording = new WrittenRecording();
  for (let id = 0; id < 20_000; id++) recording.call(id, 'tool').text(id, 'x');
  const child = startCli(['show', recording.write()]);
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
});
