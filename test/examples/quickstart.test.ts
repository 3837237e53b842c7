// `npm start` on a fresh clone, and the demonstration that it runs.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isAlive } from '../fixtures/server.ts';
import { copyRepository, root } from '../repository/files.ts';

const run = promisify(execFile);

test('the demonstration tells its story and leaves no process behind', async () => {
  const { stdout, stderr } = await run(process.execPath, ['examples/quickstart/host.mjs'], { cwd: root });
  const story = [
    'answers: Hello, Wörld 🌍!',
    'every answer to its own call',
    '16 MB there and back, unharmed',
    'stderr │ console.log in a handler',
    'noise  │ rude-server 0.1 is starting…',
    '4 lines of noise, no answer lost',
    'fails with OUTCOME_UNKNOWN',
    'exit   │ code 3',
    'stderr │ fatal: the database refused the key [env API_KEY]',
    'rung: stdin',
    'rung: SIGKILL',
  ];
  expect(story.filter((line) => !stdout.includes(line))).toEqual([]);
  expect(stdout).not.toContain('sk-secret-123');
  expect(stdout).not.toContain('\x1b');
  expect(stderr).toBe('');
  const pid = Number(/runs as process (\d+)/.exec(stdout)?.[1]);
  expect(isAlive(pid)).toBe(false);
});

test.each([
  ['on a terminal', { isTTY: true }, {}, true],
  ['on a terminal with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['in a pipe', { isTTY: false }, {}, false],
])('colours %s: %o %o → %s', async (_where, stream, env, coloured) => {
  const program = `
    import { narrator } from './examples/quickstart/narrator.mjs';
    const stream = { ...${JSON.stringify(stream)}, write: (text) => process.stdout.write(text) };
    narrator(stream, ${JSON.stringify(env)}).title('title');`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
  expect(stdout).toBe(coloured ? '\x1b[1mtitle\x1b[0m\n' : 'title\n');
});

test('npm start builds a fresh clone and shows the demonstration', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'standpipe-start-'));
  try {
    copyRepository(clone);
    const { stdout } = await run('npm', ['start'], { cwd: clone, shell: process.platform === 'win32' }).catch(
      (error) => error,
    );
    expect(stdout).toContain('Stop, and leave nothing behind');
    expect(stdout).toContain('rung: SIGKILL');
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
});
