// `tap --keep`, and the commands that use its recordings by their names.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { cleanEnv, finished, fixturePath, folder, program, runCli, spawnCli, startCli } from '../cli/run-cli.ts';
import { until } from '../fixtures/server.ts';

const stateFolder = join(folder, 'state');
const env = { XDG_STATE_HOME: stateFolder, LOCALAPPDATA: stateFolder };

async function keepCall(name: string, ...tap: string[]): Promise<void> {
  const command = [process.execPath, fixturePath('everything.mjs')];
  const args = [program, 'tap', '--keep', '--name', name, ...tap, '--', ...command];
  const client = await connect({
    command: process.execPath,
    args,
    env: { ...cleanEnv, ...env } as Record<string, string>,
  });
  await client.callTool('greet', { name: 'Ada' });
  await client.close();
}

test('keeps each run in a file of its own, which commands find by its name', async () => {
  await keepCall('weather');
  await keepCall('weather', '--no-announce');
  const listed = async () => {
    const { stdout } = await runCli(['recordings', '--json'], { env });
    return JSON.parse(stdout).recordings as { name: string; file: string; bytes: number }[];
  };
  expect((await listed()).map(({ name }) => name)).toEqual(['weather-1', 'weather-2']);
  const [first] = await listed();
  await until('the tap has written its last event', () => readFileSync(first!.file, 'utf8').includes('"kind":"stop"'));
  expect(JSON.parse(readFileSync(first!.file, 'utf8').split('\n')[0]!).about).toMatchObject({
    name: 'weather',
    record: first!.file,
  });

  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(args, { env });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  expect(await run('show', 'weather-1', '--tool', 'greet')).toContain('\tgreet\tok\t');
  expect(await run('convert', 'weather-1', '--to', 'mermaid')).toContain('tools/call greet');
  expect(await run('diff', 'weather-1', 'weather-2', '--json')).toContain('"change": "same"');
  const replayed = await spawnCli(
    ['call', 'greet', 'name=Ada', '--', process.execPath, program, 'replay', first!.file],
    { env },
  );
  expect(replayed.stdout).toBe('Hello, Ada!\n');
  expect((await runCli(['recordings', 'ls'], { env })).stdout).toMatch(/^weather-1\t\d{4}-.*\t\d+ KiB\nweather-2\t/);

  expect(await runCli(['recordings', 'rm', 'weather-3'], { env })).toMatchObject({ code: 2 });
  expect(await runCli(['recordings', 'rm', 'weather-1'], { env })).toMatchObject({
    code: 0,
    stderr: 'Removed weather-1\n',
  });
  expect((await listed()).map(({ name }) => name)).toEqual(['weather-2']);
  expect(await runCli(['recordings', 'prune'], { env })).toMatchObject({ code: 2 });
  expect(await runCli(['recordings', 'prune', '--most', '5'], { env })).toMatchObject({
    code: 0,
    stderr: 'Removed 0 recordings\n',
  });
  expect(await runCli(['recordings', 'prune', '--max-bytes', '1'], { env })).toMatchObject({
    stderr: 'Removed 1 recording\n',
  });
  expect(await listed()).toEqual([]);
});

test('a recording that a tap writes is not pruned', async () => {
  const command = [process.execPath, fixturePath('everything.mjs')];
  const args = [program, 'tap', '--keep', '--name', 'running', '--', ...command];
  const client = await connect({
    command: process.execPath,
    args,
    env: { ...cleanEnv, ...env } as Record<string, string>,
  });
  try {
    await until('the tap is announced', async () => (await runCli(['show', 'running'], { env })).code === 0);
    const { stdout } = await runCli(['recordings', 'prune', '--max-bytes', '1', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual({ removed: [] });
  } finally {
    await client.close();
  }
});

test('--keep and --record cannot be combined, and an unusable folder is reported without ending the traffic', async () => {
  const { code, stderr } = await spawnCli(['tap', '--keep', '--record', 'x.jsonl', '--', process.execPath, '-e', '']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('--keep and --record cannot be combined'),
  });
  const unusable = { XDG_STATE_HOME: program, LOCALAPPDATA: program };
  const server = "process.stdin.on('end', () => console.log('ran')).resume()";
  const tap = startCli(['tap', '--keep', '--', process.execPath, '-e', server], { env: unusable });
  const ended = finished(tap);
  let shown = '';
  tap.stderr.on('data', (chunk) => (shown += chunk));
  await until('the failure is reported', () => shown.includes('standpipe tap: cannot be recorded: '));
  tap.stdin.end();
  expect(await ended).toMatchObject({ code: 0, stdout: 'ran\n' });
});
