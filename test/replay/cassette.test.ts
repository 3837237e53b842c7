// Cassettes in both test runners: this file is the one of Vitest, and it runs one of node:test.

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { clientOf } from '../../src/entry/client.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { type CassetteOptions, type CassetteTarget, cassette } from '../../src/observe/replay/cassette.ts';
import { finished } from '../cli/run-cli.ts';
import { later } from '../fixtures/later.ts';
import { isWindows } from '../fixtures/windows.ts';
import { folder, textOf } from './written-recording.ts';

const path = (name: string) => fileURLToPath(new URL(`../fixtures/replay/${name}.mjs`, import.meta.url));
let files = 0;

function fresh() {
  const file = join(folder, `cassette-${++files}.jsonl`);
  const starts = `${file}.starts`;
  const env = { STARTS: starts, API_KEY: 'a-very-secret-key' };
  const target = { command: process.execPath, args: [path('counting-server')], env };
  const tape = (options: CassetteOptions, to: CassetteTarget = target) => {
    const made = cassette(file, to, options);
    later(() => made.close());
    return made;
  };
  return { file, env, tape, starts: () => (existsSync(starts) ? readFileSync(starts, 'utf8').length : 0) };
}

const clientOn = (tape: ReturnType<typeof cassette>) =>
  clientOf(tape, { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) });

test('missing: the first run records, the next one replays, and further requests are added', async () => {
  const { file, tape, starts } = fresh();
  for (const expectedStarts of [1, 1]) {
    const first = tape({ mode: 'missing' });
    const client = await clientOn(first);
    expect([textOf(await client.callTool('count', {})), textOf(await client.callTool('count', {}))]).toEqual([
      'call 1',
      'call 2',
    ]);
    expect(textOf(await client.callTool('greet', {}))).toMatch(/^Hello Ada/);
    await first.close();
    expect(starts()).toBe(expectedStarts);
  }
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('[env API_KEY]');
  expect(text).not.toContain('a-very-secret-key');
  expect(text).not.toContain(path('counting-server'));

  if (!isWindows) chmodSync(file, 0o644); // as after a checkout
  const second = tape({ mode: 'missing' });
  const client = await clientOn(second);
  expect(textOf(await client.callTool('count', {}))).toBe('call 1');
  expect(starts()).toBe(1);
  expect(textOf(await client.callTool('count', { further: true }))).toBe('call 1');
  expect(starts()).toBe(2);
  await second.close();
  const third = await clientOn(tape({ mode: 'none' }));
  expect(textOf(await third.callTool('count', { further: true }))).toBe('call 1');
  expect(starts()).toBe(2);
});

test('none: the server is not started, and what is missing fails', async () => {
  const { file, tape, starts } = fresh();
  await expect(clientOn(tape({ mode: 'none' }))).rejects.toMatchObject({
    code: 'RECORDING_UNUSABLE',
    message: `There is no recording ${file}`,
    hint: expect.stringContaining('STANDPIPE_RECORD=missing'),
  });
  const recording = tape({ mode: 'missing' });
  await (await clientOn(recording)).callTool('count', {});
  await recording.close();
  const client = await clientOn(tape({ mode: 'none' }));
  await expect(client.callTool('count', { further: true })).rejects.toThrow(
    /arguments absent instead of \{"further":true\}\. STANDPIPE_RECORD=missing records it$/,
  );
  await expect(client.listPrompts()).resolves.toEqual({ prompts: [] }); // the server has none
  await expect(client.request('prompts/list', {})).rejects.toThrow('The recording has no request prompts/list');
  expect(starts()).toBe(1);
});

test('all: the file is written anew', async () => {
  const { file, tape, starts } = fresh();
  writeFileSync(file, 'old\n');
  const recording = tape({ mode: 'all' });
  expect(textOf(await (await clientOn(recording)).callTool('count', {}))).toBe('call 1');
  await recording.close();
  expect(readFileSync(file, 'utf8')).not.toContain('old');
  if (!isWindows) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(starts()).toBe(1);
});

test('a remote server is recorded, and its notifications arrive in both runs', async () => {
  const server = new Server({ name: 'remote', version: '1' });
  server.tool('add', {}, () => {
    server.tool(`added-${++files}`, {}, () => 'x');
    return 'added';
  });
  const serving = await serveHttp(server);
  later(() => serving.close());
  const { tape } = fresh();
  const target = { url: serving.url, headers: { authorization: `Bearer ${serving.token}` } };
  for (const mode of ['missing', 'none'] as const) {
    const used = tape({ mode }, target);
    const client = await clientOn(used);
    await client.listTools();
    let isTold = false;
    client.onListChanged('tools', () => {
      isTold = true;
    });
    // The subscription may begin after the first calls.
    while (!isTold) expect(textOf(await client.callTool('add', {}))).toBe('added');
    await used.close();
  }
});

test('a server that does not start is reported', async () => {
  const { tape } = fresh();
  const target = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
  await expect(clientOn(tape({ mode: 'missing' }, target))).rejects.toMatchObject({ name: 'ProcessError' });
});

test('a folder that cannot be written is reported', async () => {
  const target = { command: process.execPath, args: [path('counting-server')] };
  const tape = cassette(join(fresh().file, 'below', 'x.jsonl'), target, { mode: 'missing' });
  later(() => tape.close());
  writeFileSync(join(folder, `cassette-${files}.jsonl`), '');
  await expect(clientOn(tape)).rejects.toThrow(/ENOTDIR|ENOENT|EEXIST/);
});

test('the mode is in STANDPIPE_RECORD', () => {
  const { tape } = fresh();
  const before = { ...process.env };
  try {
    const modeWith = (env: object) => {
      delete process.env.CI;
      delete process.env.STANDPIPE_RECORD;
      Object.assign(process.env, env);
      return tape({}).mode;
    };
    expect(modeWith({})).toBe('missing');
    expect(modeWith({ CI: 'false' })).toBe('missing');
    expect(modeWith({ CI: 'true' })).toBe('none');
    expect(modeWith({ CI: 'true', STANDPIPE_RECORD: 'all' })).toBe('all');
    expect(() => modeWith({ STANDPIPE_RECORD: 'yes' })).toThrow('STANDPIPE_RECORD cannot be "yes"');
  } finally {
    delete process.env.CI;
    delete process.env.STANDPIPE_RECORD;
    Object.assign(process.env, before);
  }
});

test('in node:test', async () => {
  const { file, env, starts } = fresh();
  const run = (more: Record<string, string>) => {
    const { CI: _, STANDPIPE_RECORD: __, NODE_OPTIONS: ___, ...inherited } = process.env;
    const own = { ...inherited, ...more, STARTS: env.STARTS, CASSETTE: file };
    return finished(spawn(process.execPath, ['--test', path('cassette-in-node-test')], { env: own }));
  };
  const first = await run({});
  expect(first, first.stdout).toMatchObject({ code: 0 });
  expect(await run({ CI: '1' })).toMatchObject({ code: 0 });
  expect(await run({})).toMatchObject({ code: 0 });
  expect(starts()).toBe(1);
  const further = { FURTHER: '1' };
  const inCi = await run({ CI: '1', ...further });
  expect(inCi.code).toBe(1);
  expect(inCi.stdout).toContain('STANDPIPE_RECORD=missing records it');
  expect(starts()).toBe(1);
  expect(await run({ STANDPIPE_RECORD: 'missing', ...further })).toMatchObject({ code: 0 });
  expect(await run({ CI: '1', ...further })).toMatchObject({ code: 0 });
  expect(await run({ STANDPIPE_RECORD: 'all' })).toMatchObject({ code: 0 });
  expect(starts()).toBe(3);
});
