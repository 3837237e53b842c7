// Tasks on a pseudo-terminal, and in hosts that exit or have no config.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { hasTerminal } from '../fixtures/python.ts';
import { until } from '../fixtures/server.ts';
import {
  cleanEnv,
  everythingEntry,
  fixturePath,
  folder,
  program,
  runCli,
  runOnTerminal,
  startHost,
  stopHost,
  writeConfig,
} from './run-cli.ts';

const studio = { command: process.execPath, args: [fixturePath('tasks.mjs')] };
const slow = { command: process.execPath, args: [fixturePath('../tasks/slow-server.mjs')] };
const config = writeConfig('tasks.json', { everything: everythingEntry, studio });
const ofConfig = ['--config', config];
let host: ChildProcessWithoutNullStreams;
beforeAll(async () => {
  host = await startHost(ofConfig);
});
afterAll(() => stopHost(host));

let gates = 0;
/** Path of a file that `render` waits for. */
const gate = () => join(folder, `gate-${++gates}`);
const tasks = (...words: string[]) => runCli(['tasks', ...words]);

async function detached(...words: string[]): Promise<string> {
  const { code, stdout } = await runCli(['call', ...words, '--detach', ...ofConfig]);
  expect(code).toBe(0);
  return stdout.trim();
}

async function stateOf(id: string) {
  const { stdout } = await tasks('show', id, '--json');
  return JSON.parse(stdout).task;
}

describe.skipIf(!hasTerminal)('on a terminal, call', () => {
  const env = { NO_COLOR: '1' };

  test('shows the status, its message and the time while the task runs', async () => {
    const file = gate();
    const { code, stdout } = await runOnTerminal(['call', 'studio', 'render', `until=${file}`, ...ofConfig], {
      env,
      steps: [{ wait: 'working Frame 1', write: file }],
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/task [0-9a-f]{8} of studio\/render: working Frame 1 \d+ s/);
    expect(stdout.slice(stdout.lastIndexOf('\x1b[2K'))).toBe('\x1b[2Kfilm.mp4\r\n');
  });

  test('asks the questions of the task', async () => {
    const { code, stdout } = await runOnTerminal(['call', 'studio', 'books', ...ofConfig], {
      env,
      steps: [
        { wait: 'studio asks: For whom?' },
        { wait: 'name <string>: ', type: 'Ada\r' },
        { wait: 'age <integer, optional>: ', type: '36\r' },
        { wait: 'Send this? [y/N] ', type: 'y\r' },
      ],
    });
    expect(code).toBe(0);
    expect(stdout).toContain('{"action":"accept","content":{"name":"Ada","age":36}}');
  });

  test('asks one question after another', async () => {
    const { stdout } = await runOnTerminal(['call', 'studio', 'books-two', ...ofConfig], {
      env,
      steps: [
        { wait: 'Who flies?' },
        { wait: 'name <string>: ', type: 'Ada\r\ry\r' },
        { wait: 'Who pays?' },
        { wait: 'name <string>: ', type: '\x04' },
      ],
    });
    expect(stdout).toContain('[{"action":"accept","content":{"name":"Ada"}},{"action":"cancel"}]');
  });

  test('cancels the task on Ctrl-C', async () => {
    const file = gate();
    const { code, stdout } = await runOnTerminal(['call', 'studio', 'render', `until=${file}`, ...ofConfig], {
      env,
      steps: [{ wait: 'working Frame 1', type: '\x03' }],
    });
    expect(code).toBe(130);
    expect(stdout).toMatch(/Cancelled the task [0-9a-f]{8} of studio\/render\.\r\n$/);
    await until('the tool is aborted', () => existsSync(`${file}.aborted`));
  });

  test('exits at once on a second Ctrl-C', async () => {
    const { code, stdout } = await runOnTerminal(
      ['call', 'render', '--', process.execPath, fixturePath('hung-task.mjs'), 't'],
      {
        env,
        steps: [
          { wait: 'working', type: '\x03' },
          { wait: 'cancelling the task t of', type: '\x03' },
        ],
      },
    );
    expect(code).toBe(130);
    expect(stdout).not.toContain('did not answer');
  });

  test('tasks wait leaves the task running on Ctrl-C', async () => {
    const file = gate();
    const id = await detached('studio', 'render', `until=${file}`);
    const { code, stdout } = await runOnTerminal(['tasks', 'wait', id], {
      env,
      steps: [{ wait: 'working Frame 1', type: '\x03' }],
    });
    expect(code).toBe(130);
    expect(stdout).toContain(`The task continues: standpipe tasks wait ${id}`);
    expect(await stateOf(id)).toMatchObject({ status: 'working' });
    writeFileSync(file, '');
  });

  test('tasks answer asks the pending questions, and the task continues', async () => {
    const id = await detached('studio', 'books');
    await expect.poll(() => stateOf(id)).toMatchObject({ status: 'input_required' });
    const { code, stdout } = await runOnTerminal(['tasks', 'answer', id], {
      env,
      steps: [{ wait: 'name <string>: ', type: 'Ada\r\ry\r' }],
    });
    expect(code).toBe(0);
    expect(stdout).toContain('Answered 1 question.');
    expect((await tasks('wait', id)).stdout).toBe('{"action":"accept","content":{"name":"Ada"}}\n');
  });
});

test('the result of a task is available after a restart of the host', async () => {
  const entry = { ...slow, tasks: { after: '1ms' } };
  const file = writeConfig('restarted.json', { everything: everythingEntry, slow: entry });
  const ofFile = ['--config', file];
  const first = await startHost(ofFile);
  const detach = async () => (await runCli(['call', 'slow', 'result', '--detach', ...ofFile])).stdout.trim();
  const ended = await detach();
  await runCli(['call', 'slow', 'release', ...ofFile]);
  await expect.poll(() => stateOf(ended)).toMatchObject({ status: 'completed' });
  await runCli(['restart', 'slow', ...ofFile]);
  const running = await detach();
  await stopHost(first);
  const second = await startHost(ofFile);
  try {
    expect(await tasks('wait', ended)).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
    expect(await tasks('wait', running)).toMatchObject({ code: 3, stderr: expect.stringContaining('may have run') });
  } finally {
    await stopHost(second);
  }
});

test('a task in the shared host outlives the command', async () => {
  const file = gate();
  const args = [program, 'connect', '--name', 'shared', '--', studio.command, ...studio.args];
  const env = cleanEnv as Record<string, string>;
  const client = await connect({ command: process.execPath, args, env, cwd: folder });
  try {
    const ran = await runCli(['call', 'shared', 'render', `until=${file}`, '--detach', '--shared']);
    expect(ran.stdout).toMatch(/^standpipe:[0-9a-f]{32}\/standpipe:[0-9a-f]{12}\/[0-9a-f]{32}\n$/);
    await client.close();
    writeFileSync(file, '');
    expect(await tasks('wait', ran.stdout.trim())).toEqual({ code: 0, stdout: 'film.mp4\n', stderr: '' });
  } finally {
    await client.close();
    await runCli(['down', '--shared']);
  }
});
