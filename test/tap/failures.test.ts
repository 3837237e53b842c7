// Failures of recordings and viewers do not affect the traffic.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectLive, findLive, watchLive } from '../../src/observe/live/find-live.ts';
import type { LiveDescriptor } from '../../src/observe/live/runtime-folder.ts';
import type { RecordingItem } from '../../src/observe/record/reader.ts';
import { lacks } from '../fixtures/windows.ts';
import { fixture, folder, freshFile, node, readEvents, readItems, startTap, type Tapped, until } from './tapped.ts';

const echo = [node, fixture('echoes-lines')];
const runtime = join(folder, 'standpipe');

/** Calls and waits for the answer. */
async function call(tapped: Tapped, id: number, text = 'x'): Promise<void> {
  tapped.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'echo', params: { text } })}\n`);
  await until(`answer ${id}`, () => tapped.text.includes(`"id":${id},`));
}

async function liveTap(tapped: Tapped): Promise<LiveDescriptor> {
  let found: LiveDescriptor | undefined;
  await until('the tap is found', async () => {
    found = (await findLive(runtime)).find((live) => live.pid === tapped.pid);
    return found !== undefined;
  });
  return found!;
}

test('the folder of the recording is removed meanwhile: traffic and recording continue', async () => {
  const recordFolder = join(folder, 'removed');
  mkdirSync(recordFolder);
  const file = join(recordFolder, 'recording.jsonl');
  const tapped = startTap(echo, { tap: ['--record', file] });
  await call(tapped, 1);
  await until('it is recorded', () => existsSync(file) && readFileSync(file, 'utf8').includes('"id\\":1'));
  rmSync(recordFolder, { recursive: true });
  for (let id = 2; id < 20; id++) await call(tapped, id);
  tapped.process.stdin.end();
  expect((await tapped.end()).exitCode).toBe(0);
  expect((await readItems(file)).map((item) => item.type).slice(0, 2)).toEqual(['run', 'gap']);
  expect((await readEvents(file)).at(-2)).toMatchObject({ kind: 'exit', exitCode: 0 });
});

test('a recording that cannot be written is reported once on stderr, and the traffic continues', async () => {
  const file = freshFile('txt');
  writeFileSync(file, 'no folder');
  const tapped = startTap(echo, { tap: ['--record', join(file, 'recording.jsonl')] });
  for (let id = 1; id < 20; id++) await call(tapped, id);
  tapped.process.stdin.end();
  expect((await tapped.end()).exitCode).toBe(0);
  expect(tapped.stderr.match(/standpipe tap: cannot record/g)).toHaveLength(1);
});

test.skipIf(lacks.posixPrograms)('a full disk: traffic continues', async () => {
  const tapped = startTap(echo, { tap: ['--record', freshFile()], maxFileBlocks: 2 });
  for (let id = 1; id < 20; id++) await call(tapped, id);
  tapped.process.stdin.end();
  expect((await tapped.end()).exitCode).toBe(0);
  expect(tapped.stderr).toMatch(/cannot record to .*EFBIG/);
});

test.skipIf(lacks.runtimeFolder)(
  'with an untrusted runtime folder the tap cannot be watched, and the traffic continues',
  async () => {
    const odd = join(folder, 'odd');
    mkdirSync(odd);
    writeFileSync(join(odd, 'standpipe'), 'not a folder');
    const tapped = startTap(echo, { env: { XDG_RUNTIME_DIR: odd } });
    await call(tapped, 1);
    await until('it reports that', () => tapped.stderr.includes('standpipe tap: cannot be watched'));
    await call(tapped, 2);
  },
);

test.skipIf(lacks.runtimeFolder)('the runtime folder and its files are accessible only to this user', async () => {
  const tapped = startTap(echo);
  const live = await liveTap(tapped);
  expect(statSync(runtime).mode & 0o777).toBe(0o700);
  expect(statSync(live.socket).mode & 0o777).toBe(0o600);
  for (const name of readdirSync(runtime)) expect(statSync(join(runtime, name)).mode & 0o077).toBe(0);
  chmodSync(runtime, 0o755);
  await liveTap(startTap(echo)); // the next announcement corrects the mode
  expect(statSync(runtime).mode & 0o777).toBe(0o700);
});

test('a viewer receives earlier and later events, to the end', async () => {
  const tapped = startTap(echo, { tap: ['--name', 'weather'] });
  await call(tapped, 1);
  const live = await liveTap(tapped);
  expect(live).toMatchObject({ kind: 'tap', name: 'weather', pid: tapped.pid });
  const items: RecordingItem[] = [];
  const watched = (async () => {
    for await (const item of watchLive(live)) items.push(item);
  })();
  await until(
    'earlier events',
    () => items.filter((item) => item.type === 'event' && item.event.kind === 'frame').length === 2,
  );
  await call(tapped, 2);
  tapped.process.stdin.end();
  await watched;
  const kinds = items.map((item) => (item.type === 'event' ? item.event.kind : item.type));
  expect(kinds.filter((kind) => kind !== 'stderr')).toEqual([
    ...['run', 'spawn', 'frame', 'frame', 'frame', 'frame', 'exit', 'stop'],
  ]);
  expect(readdirSync(runtime).filter((name) => name.includes(String(tapped.pid)))).toEqual([]);
});

test('secrets do not reach viewers or files', async () => {
  const file = freshFile();
  const tapped = startTap([...echo, '--api-key', 'S3cret-arg'], {
    tap: ['--record', file, '--mask-env', 'ODD', '--redact-path', 'params.text'],
    env: { ODD: 'S3cret-odd', SOME_TOKEN: 'S3cret-env' },
  });
  const live = await liveTap(tapped);
  expect(JSON.stringify(live)).not.toContain('S3cret');
  tapped.process.stdin.write('{"jsonrpc":"2.0","id":1,"params":{"password":"S3cret-key","text":"S3cret-path"}}\n');
  tapped.process.stdin.write('{"jsonrpc":"2.0","id":2,"params":{"a":"xS3cret-odd","b":"S3cret-envx"}}\n');
  await until('answers', () => tapped.text.includes('"id":2'));
  expect(tapped.text).toContain('S3cret-key'); // the host receives all of it
  let watched = '';
  const viewer = (await connectLive(live)).on('data', (chunk) => (watched += chunk));
  await until('the viewer is served', () => watched.includes('"id\\":2'));
  tapped.process.stdin.end();
  await tapped.end();
  viewer.destroy();
  expect(readFileSync(file, 'utf8').match(/S3cret-\w+/g)).toEqual(['S3cret-path']); // in the answer, where redaction has no path
  expect(watched.match(/S3cret-\w+/g)).toEqual(['S3cret-path']);
});

test('a secret that is written in two pieces reaches neither viewers nor files in part', async () => {
  const file = freshFile();
  const script = fixture('prints-in-halves');
  const tapped = startTap([node, script, '--token', 'S3cret-argument'], {
    tap: ['--record', file],
    env: { SOME_TOKEN: 'S3cret-variable' },
  });
  await tapped.end();
  expect(tapped.stderr.match(/S3cret-\w+/g)).toEqual(['S3cret-variable', 'S3cret-argument']);
  const texts = (await readEvents(file)).flatMap((event) =>
    event.kind === 'stderr' ? [Buffer.from(event.payload).toString()] : [],
  );
  expect(texts.join('')).toBe('the variable is [env SOME_TOKEN]\nthe argument is [redacted]\n');
});

test('viewers that are killed or never read do not delay the traffic', async () => {
  const tapped = startTap([node, fixture('pours-without-end'), freshFile('txt')], { collects: false });
  let bytes = 0;
  tapped.process.stdout.on('data', (chunk) => {
    bytes += chunk.length;
  });
  const live = await liveTap(tapped);
  const recording = new URL('../../dist/entry/recording.js', import.meta.url);
  const program = `import('${recording}').then(({ watchLive }) => watchLive(${JSON.stringify(live)}).next())`;
  const sleeps = 'console.log(1), setInterval(() => {}, 1e3)';
  const viewers = [1, 2, 3].map(() => spawn(node, ['-e', `${program}.then(() => (${sleeps}))`]));
  await Promise.all(viewers.map((viewer) => once(viewer.stdout, 'data')));
  const atFirst = bytes;
  await until('traffic continues beside stopped viewers', () => bytes > atFirst + 30e6);
  for (const viewer of viewers) viewer.kill('SIGKILL');
  const after = bytes;
  await until('traffic continues without them', () => bytes > after + 30e6);
});

test.skipIf(lacks.runtimeFolder)('the files of a killed tap are removed by the next search', async () => {
  const tapped = startTap(echo);
  const { socket } = await liveTap(tapped);
  tapped.process.kill('SIGKILL');
  await tapped.end();
  expect(existsSync(socket)).toBe(true);
  expect((await findLive(runtime)).map((live) => live.pid)).not.toContain(tapped.pid);
  expect(existsSync(socket)).toBe(false);
});

test('two taps write to one recording and can be distinguished', async () => {
  const file = freshFile();
  const taps = [1, 2].map(() => startTap(echo, { tap: ['--record', file] }));
  await Promise.all(taps.map((tapped, i) => call(tapped, i + 1)));
  for (const tapped of taps) tapped.process.stdin.end();
  await Promise.all(taps.map((tapped) => tapped.end()));
  const items = await readItems(file);
  const runs = items.flatMap((item) => (item.type === 'run' ? [item.run] : []));
  expect(runs.map((run) => run.pid).sort()).toEqual(taps.map((tapped) => tapped.pid).sort());
  for (const { run } of runs) {
    const kinds = items.flatMap((item) => (item.type === 'event' && item.run.run === run ? [item.event.kind] : []));
    expect(kinds.filter((kind) => kind !== 'stderr')).toEqual(['spawn', 'frame', 'frame', 'exit', 'stop']);
  }
  expect(items.filter((item) => item.type === 'damage')).toEqual([]);
});
