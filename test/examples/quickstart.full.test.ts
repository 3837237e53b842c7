// The demonstration of the library, and `npm start` in a fresh clone.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../fixtures/server.ts';
import { copyRepository, root } from '../repository/files.ts';

const run = promisify(execFile);

test('the demonstration prints its steps and leaves no process behind', async () => {
  const { stdout, stderr } = await run(process.execPath, ['examples/quickstart/host.mjs'], { cwd: root });
  const story = [
    'answers: Hello, Wörld 🌍!',
    'each with its own answer',
    '16 MB in both directions, unchanged',
    'stderr │ console.log in a handler',
    'stdout │ rude-server 0.1 is starting…',
    '4 lines of stray output, all calls answered',
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
])('uses colours %s: %o %o → %s', async (_where, stream, env, coloured) => {
  const program = `
    import { narrator } from './examples/quickstart/narrator.mjs';
    const stream = { ...${JSON.stringify(stream)}, write: (text) => process.stdout.write(text) };
    narrator(stream, ${JSON.stringify(env)}).title('title');`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
  expect(stdout).toBe(coloured ? '\x1b[1mtitle\x1b[0m\n' : 'title\n');
});

describe('npm start on a fresh clone', () => {
  const clone = mkdtempSync(join(tmpdir(), 'standpipe-start-'));
  beforeAll(() => copyRepository(clone));
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  const start = (path = process.env.PATH) =>
    spawn('npm', ['start', '--', '--no-inspector'], {
      cwd: clone,
      env: { ...process.env, PATH: path, XDG_RUNTIME_DIR: clone },
      // A separate process group, so that a signal reaches npm and its children, like Ctrl-C.
      detached: true,
    });

  /** Interrupts the child once it has printed all texts. Resolves to its complete output. */
  async function untilShown(child: ReturnType<typeof start>, ...texts: (string | RegExp)[]) {
    let shown = '';
    let ending = false;
    const hasAll = () => texts.every((text) => (typeof text === 'string' ? shown.includes(text) : text.test(shown)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        shown += chunk;
        if (!ending && hasAll()) {
          ending = true;
          process.kill(-child.pid!, 'SIGINT');
        }
      });
    }
    const [code] = await once(child, 'close');
    return { shown, code };
  }

  test('builds, runs the servers of the examples, and exits cleanly', async () => {
    const { shown } = await untilShown(start(), 'typescript ready', /python (?:ready|is left out)/);
    expect(shown).toContain('runs');
    expect(shown).toContain('all servers have stopped');
  });

  test('skips a language that is not installed, and reports that', async () => {
    const bin = join(clone, 'only-node');
    mkdirSync(bin);
    for (const command of ['node', 'npm', 'sh', 'env', 'uname', 'dirname', 'basename', 'sed']) {
      const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, command));
      const target = found.find((file) => existsSync(file));
      if (target) symlinkSync(target, join(bin, command));
    }
    const { shown } = await untilShown(start(bin), 'typescript ready');
    expect(shown).toContain('java is left out: java is not installed or not in PATH');
    expect(shown).toContain('python is left out: python3 is not installed or not in PATH');
    expect(shown).toContain('all servers have stopped');
  });
});
