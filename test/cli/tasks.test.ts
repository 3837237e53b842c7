// Calls that run as tasks: `call` follows them, or detaches them for `tasks`.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shortHash } from '../../src/base/short-hash.ts';
import { connect } from '../../src/connect/connect.ts';
import { type HttpServing, serveHttp } from '../../src/entry/http.ts';
import { resumeTask } from '../../src/mcp/extensions/tasks/tasks.ts';
import { innermostId } from '../../src/mcp/handles.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { until } from '../fixtures/server.ts';
import { serveCounting } from '../fixtures/tasks/serve-counting.ts';
import {
  cleanEnv,
  dangerous,
  everythingEntry,
  finished,
  fixturePath,
  folder,
  runCli,
  startCli,
  startHost,
  stopHost,
  writeConfig,
} from './run-cli.ts';

const evilId = 'evil\x1b[2J\nid';
const studio = { command: process.execPath, args: [fixturePath('tasks.mjs')] };
const hung = (...args: string[]) => ({ command: process.execPath, args: [fixturePath('hung-task.mjs'), ...args] });
const slow = { command: process.execPath, args: [fixturePath('../tasks/slow-server.mjs')] };
const config = writeConfig('tasks.json', {
  everything: everythingEntry,
  studio,
  slow: { ...slow, restart: 'always', tasks: { after: '1ms' } },
  each: { ...studio, share: 'client' },
  own: { ...studio, share: 'principal' },
  evil: hung(evilId, '1', 'soon'),
  verbose: hung('x', '100000'),
  hyphens: hung('--Zk3-x'),
});
const ofConfig = ['--config', config];
const stateFolder = process.platform === 'win32' ? 'standpipe/state' : '.local/state/standpipe';
const taskFiles = join(folder, stateFolder, 'detached-tasks');
let host: ChildProcessWithoutNullStreams;
beforeAll(async () => {
  host = await startHost(ofConfig);
});
afterAll(() => stopHost(host));

let gates = 0;
/** Path of a file that `render` waits for. */
const gate = () => join(folder, `gate-${++gates}`);
const call = (...words: string[]) => runCli(['call', ...words, ...ofConfig]);
const tasks = (...words: string[]) => runCli(['tasks', ...words]);

async function detached(...words: string[]): Promise<string> {
  const { code, stdout } = await call(...words, '--detach');
  expect(code).toBe(0);
  return stdout.trim();
}

async function stateOf(id: string) {
  const { stdout } = await tasks('show', id, '--json');
  return JSON.parse(stdout).task;
}

async function asking(tool: string): Promise<{ id: string; keys: string[] }> {
  const id = await detached('studio', tool);
  await expect.poll(() => stateOf(id)).toMatchObject({ status: 'input_required' });
  return { id, keys: Object.keys((await stateOf(id)).inputRequests) };
}

describe('call', () => {
  const ended = gate();
  writeFileSync(ended, '');

  test('prints the result of a task like a plain result, and its id with --json', async () => {
    expect(await call('studio', 'render', `until=${ended}`)).toEqual({ code: 0, stdout: 'film.mp4\n', stderr: '' });
    const { stdout } = await call('studio', 'render', `until=${ended}`, '--json');
    expect(JSON.parse(stdout)).toEqual({
      ...{ server: 'studio', tool: 'render', isError: false, saved: [], resultType: 'complete' },
      taskId: expect.stringMatching(/^standpipe:[0-9a-f]{32}\/standpipe:[0-9a-f]{12}\/[0-9a-f]{32}$/),
      content: [{ type: 'text', text: 'film.mp4' }],
    });
    expect(JSON.parse((await call('everything', 'greet', 'name=x', '--json')).stdout)).not.toHaveProperty('taskId');
  });

  test.each([
    ['a tool error', 'fails', 1, 'The tool reports an error: the disk is full'],
    ['a protocol error', 'refuses', 5, 'error: no such queue'],
    ['a question that no command can answer', 'samples', 5, 'needs a client with sampling'],
  ])('exits like a plain call after %s', async (_, tool, code, text) => {
    const ran = await call('studio', tool);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(text);
  });

  test('follows the task of a server that it started', async () => {
    const ran = await runCli(['call', 'render', `until=${ended}`, '--json', '--', studio.command, ...studio.args]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ taskId: expect.any(String), content: [{ text: 'film.mp4' }] });
  });

  test('declines the question of a task without a terminal, and reports it', async () => {
    const ran = await runCli(['call', 'books', '--json', '--', studio.command, ...studio.args]);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      content: [{ text: '{"action":"decline"}' }],
      unanswered: [{ server: 'tasks', message: 'For whom?', action: 'decline' }],
    });
    expect(ran.stderr).toContain('tasks asks: For whom? — declined');
  });
});

describe('call --detach', () => {
  test('prints the id and leaves the task running, which tasks wait follows to its end', async () => {
    const file = gate();
    const ran = await call('studio', 'render', `until=${file}`, '--detach');
    const id = ran.stdout.trim();
    expect(ran).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^standpipe:[0-9a-f]{32}\/standpipe:[0-9a-f]{12}\/[0-9a-f]{32}\n$/),
      stderr: `The task continues. Follow it: standpipe tasks wait ${innermostId(id).slice(0, 8)}\n`,
    });
    expect(await stateOf(id)).toMatchObject({ status: 'working' });
    writeFileSync(file, '');
    expect(await tasks('wait', innermostId(id).slice(0, 8))).toEqual({ code: 0, stdout: 'film.mp4\n', stderr: '' });
    const { stdout } = await tasks('wait', id, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ server: 'studio', tool: 'render', taskId: id, isError: false });
  });

  test('works for a server without tasks whose entry has "tasks"', async () => {
    const id = await detached('slow', 'result');
    expect(await stateOf(id)).toMatchObject({ status: 'working' });
    await call('slow', 'release');
    expect((await tasks('wait', id)).stdout).toBe('done\n');
  });

  test('prints the result if the server answers at once', async () => {
    expect(await call('studio', 'quick', '--detach')).toEqual({
      code: 0,
      stdout: 'quick\n',
      stderr: 'The server answered at once: there is no task.\n',
    });
  });

  test('prints an id with control characters in one line, escaped, and finds it by its beginning', async () => {
    const { stdout } = await call('evil', 'render', '--detach');
    expect(stdout).toMatch(/^standpipe:\S+\/evil\\x1b\[2J\\nid\n$/);
    const { taskId, status } = await stateOf('evil');
    expect([innermostId(taskId), status]).toEqual([evilId, 'working']);
    const { stdout: listed } = await tasks('ls');
    expect(dangerous(listed)).toEqual([]);
    expect(listed).toMatch(/\trender\tworking\t-\t/); // the date of the task is not a date
  });

  test('prints an id without leading hyphens, so that it is not an option of the next command', async () => {
    const { stdout, stderr } = await call('hyphens', 'render', '--detach');
    expect(stdout).toMatch(/^standpipe:\S+\/--Zk3-x\n$/);
    expect(stderr).toContain('tasks wait Zk3-x');
    expect((await tasks('show', 'Zk3-x')).stdout).toContain('--Zk3-x');
    expect((await tasks('show', stdout.trim())).stdout).toContain('--Zk3-x');
    expect((await tasks('ls')).stdout).toMatch(/^standpipe:\S+\/--Zk3-x\t/m);
  });

  test('prints the handle of a task that it cannot store', async () => {
    const far = await serveCounting();
    const file = writeConfig('unstored.json', { unstored: { url: far.url } });
    // A folder has the path of the file, so that writing fails.
    const inTheWay = join(taskFiles, `${shortHash('unstored 1')}.json`);
    mkdirSync(inTheWay, { recursive: true });
    const { code, stderr } = await runCli(['call', 'unstored/job', '--detach', '--config', file]);
    rmdirSync(inTheWay);
    await far.close();
    expect(stderr).toMatch(/^warning: The task runs, but `standpipe tasks` will not find it: .* Its handle: \{"tool":/);
    expect(stderr).toContain('"taskId":"1"');
    expect(code).toBe(0);
  });

  test('refuses a task whose id is too long', async () => {
    const { code, stderr } = await call('verbose', 'render', '--detach');
    expect(stderr).toContain('whose taskId is longer than 1024 characters');
    expect(code).toBe(5);
  });

  test.each<[string, string[], string, string]>([
    [
      'a command after --',
      ['call', 'render', '--detach', '--', 'never-started'],
      'would end with the server',
      'up --background',
    ],
    [
      'a config without a host',
      ['call', 'studio', 'render', '--detach', '--config', 'alone.json'],
      'No host is running',
      'up --background',
    ],
    [
      'a process for each client',
      ['call', 'each', 'render', '--detach', ...ofConfig],
      'its "share" is "client"',
      '"all"',
    ],
    [
      'a process for each principal',
      ['call', 'own', 'render', '--detach', ...ofConfig],
      'its "share" is "principal"',
      '"all"',
    ],
    [
      'a server without tasks',
      ['call', 'everything', 'greet', 'name=x', '--detach', ...ofConfig],
      '"everything" has no tasks',
      '"tasks": {"after": "1s"}',
    ],
    [
      'a secret in a header',
      ['call', 'http://127.0.0.1:1/', 'x', '--detach', '--header', 'Authorization: Bearer abc'],
      'contain a secret',
      '${NAME}',
    ],
  ])('refuses %s before the call', async (_, words, message, hint) => {
    writeConfig('alone.json', { studio });
    const before = await tasks('ls', '--json');
    const ran = await runCli(words);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr.split('hint: ')[1]).toContain(hint);
    expect((JSON.parse((await tasks('ls', '--json')).stdout).tasks as unknown[]).length).toBe(
      JSON.parse(before.stdout).tasks.length,
    );
  });

  test('refuses a folder that cannot be written to before the call', async () => {
    const file = join(folder, 'not-a-folder');
    writeFileSync(file, '');
    const env = { ...cleanEnv, XDG_STATE_HOME: file, LOCALAPPDATA: file };
    const begun = gate();
    const ran = await runCli(['call', 'studio', 'render', `until=${begun}`, '--detach', ...ofConfig], { env });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('Tasks cannot be stored in');
  });
});

describe('a server at a URL', () => {
  let serving: HttpServing;
  let release: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  beforeAll(async () => {
    const server = new Server({ name: 'far', version: '1.0.0' });
    server.tool('render', { task: 'required' }, async () => {
      await released;
      return 'film.mp4';
    });
    serving = await serveHttp(server, { token: false });
  });
  afterAll(() => serving.close());

  test.each(['2026-07-28', '2025-11-25'])('of %s outlives the command', async (revision) => {
    const { code, stdout } = await runCli(['call', 'render', '--detach', '--url', serving.url, '--revision', revision]);
    expect(code).toBe(0);
    const shown = JSON.parse((await tasks('show', stdout.trim(), '--json')).stdout);
    expect(shown).toMatchObject({ tool: 'render', revision, task: { status: 'working' } });
  });

  test('in an entry of a config needs no host, and its handle works with resumeTask', async () => {
    const far = writeConfig('far.json', { far: { url: serving.url } });
    const { stdout } = await runCli(['call', 'far/render', '--detach', '--json', '--config', far]);
    const handle = JSON.parse(stdout);
    expect(handle).toMatchObject({
      server: 'far',
      tool: 'render',
      revision: '2026-07-28',
      task: { status: 'working' },
    });
    release();
    await using client = await connect({ url: serving.url });
    expect(await (await resumeTask(client, handle)).result()).toMatchObject({ content: [{ text: 'film.mp4' }] });
    expect((await tasks('wait', handle.task.taskId)).stdout).toBe('film.mp4\n');
  });
});

describe('tasks', () => {
  test('ls lists the detached tasks in a pipe with full ids, and removes expired ones', async () => {
    const file = gate();
    const id = await detached('studio', 'render', `until=${file}`);
    await expect.poll(() => stateOf(id)).toMatchObject({ statusMessage: 'Frame 1' });
    const row = async () => (await tasks('ls')).stdout.split('\n').find((line) => line.startsWith(id));
    expect(await row()).toMatch(
      /^standpipe:[0-9a-f]{32}\/standpipe:[0-9a-f]{12}\/[0-9a-f]{32}\tstudio\trender\tworking\t\d+s\tFrame 1$/,
    );
    const stored = readdirSync(taskFiles).map((name) => join(taskFiles, name));
    const own = stored.find((each) => readFileSync(each, 'utf8').includes(id))!;
    const saved = JSON.parse(readFileSync(own, 'utf8'));
    writeFileSync(own, JSON.stringify({ ...saved, detachedMs: 0 }));
    expect(await row()).toBeUndefined();
    expect(existsSync(own)).toBe(false);
    writeFileSync(file, '');
  });

  test('show prints the questions with their keys and fields', async () => {
    const { id, keys } = await asking('books-two');
    const { stdout, stderr } = await tasks('show', id);
    const rows = stdout.split('\n').map((line) => line.split('\t'));
    expect(rows).toEqual(
      expect.arrayContaining([
        ['task', id],
        ['status', 'input_required'],
        ['question', `${keys[0]}: Who flies?`],
        ['takes', 'name=<string> [age=<integer>]'],
        ['question', `${keys[1]}: Who pays?`],
      ]),
    );
    expect(stderr).toBe(`Answer it: standpipe tasks answer ${innermostId(id).slice(0, 8)}\n`);
    await tasks('cancel', id);
  });

  test.each<[string, (keys: string[]) => string[], unknown]>([
    [
      'fields of the only question',
      () => ['name=Ada', 'age=36'],
      { action: 'accept', content: { name: 'Ada', age: 36 } },
    ],
    ['fields by key', ([key]) => [`${key}.name=Ada`], { action: 'accept', content: { name: 'Ada' } }],
    ['an action', ([key]) => [`${key}=decline`], { action: 'decline' }],
    ['the whole answer', ([key]) => [`${key}:={"action":"cancel"}`], { action: 'cancel' }],
    ['--args', ([key]) => ['--args', JSON.stringify({ [key!]: { action: 'decline' } })], { action: 'decline' }],
  ])('answer accepts %s', async (_, words, expected) => {
    const { id, keys } = await asking('books');
    const { code, stdout } = await tasks('answer', id, ...words(keys), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ server: 'studio', tool: 'books', answered: keys });
    expect(JSON.parse((await tasks('wait', id)).stdout)).toEqual(expected);
  });

  test('answer leaves other questions open', async () => {
    const { id, keys } = await asking('books-two');
    expect((await tasks('answer', id, `${keys[1]}=decline`)).stderr).toBe(
      'Answered 1 question. The task is input_required.\n',
    );
    await tasks('answer', id, 'name=Ada');
    expect((await tasks('wait', id)).stdout).toBe(
      '[{"action":"accept","content":{"name":"Ada"}},{"action":"decline"}]\n',
    );
  });

  test('answer refuses invalid values without sending them', async () => {
    const { id, keys } = await asking('books-two');
    const [key] = keys;
    for (const [words, message] of [
      [['nobody=decline'], 'The task has no pending question "nobody"'],
      [[`${key}.age=36`], `question "${key}" needs "name"`],
      [[`${key}.name=Ada`, `${key}.age=old`], '"age" of question'],
      [[`${key}=perhaps`], 'is not an answer'],
      [[`${key}:=1`], 'must be a JSON object'],
      [[], 'No answers were given'],
    ] as const) {
      const { code, stderr } = await tasks('answer', id, ...words);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    }
    expect(Object.keys((await stateOf(id)).inputRequests)).toEqual(keys);
    await tasks('cancel', id);
    expect((await tasks('answer', id, 'name=Ada')).stderr).toContain('no pending question: its status is cancelled');
  });

  test('wait without a terminal names the command that answers a question', async () => {
    const { id } = await asking('books');
    const waiting = startCli(['tasks', 'wait', id]);
    let stderr = '';
    waiting.stderr.on('data', (chunk) => (stderr += chunk));
    const ran = finished(waiting);
    const how = `studio asks: For whom? — answer it: standpipe tasks answer ${innermostId(id).slice(0, 8)}\n`;
    await until('the question is reported', () => stderr === how);
    await tasks('answer', id, 'name=Ada');
    expect(await ran).toEqual({ code: 0, stdout: '{"action":"accept","content":{"name":"Ada"}}\n', stderr: how });
  });

  test('cancel cancels a running task, after which wait fails', async () => {
    const file = gate();
    const id = await detached('studio', 'render', `until=${file}`);
    expect(await tasks('cancel', id)).toEqual({
      code: 0,
      stdout: '',
      stderr: `Cancelled the task ${innermostId(id).slice(0, 8)} of studio/render.\n`,
    });
    const { code, stdout } = await tasks('wait', id, '--json');
    expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: 5, error: 'TASK_CANCELLED' });
    await until('the tool is aborted', () => existsSync(`${file}.aborted`));
  });

  test.each([
    ['fails', 1],
    ['refuses', 5],
  ])('wait exits like call after %s', async (tool, code) => {
    const id = await detached('studio', tool);
    expect((await tasks('wait', id)).code).toBe(code);
  });

  test('wait exits with 3 if the process of the server exited', async () => {
    await runCli(['restart', 'slow', ...ofConfig]); // an earlier test may have released it
    const id = await detached('slow', 'result');
    await call('slow', 'die');
    const ran = await tasks('wait', id);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('may have run');
  });

  test('an unknown or ambiguous id is an error with a remedy', async () => {
    const unknown = await tasks('show', 'xyz');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no detached task "xyz"') });
    await detached('studio', 'fails');
    await detached('studio', 'fails');
    const ambiguous = await tasks('show', '');
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toMatch(/The ids of \d+ tasks begin with ""\nhint: Write more of the id: [0-9a-f]{8} \(/);
  });
});

test('a host that has ended is reported by ls, and by other commands with a remedy', async () => {
  const file = writeConfig('ended.json', { everything: everythingEntry, studio });
  const short = await startHost(['--config', file]);
  const { stdout } = await runCli(['call', 'studio', 'render', `until=${gate()}`, '--detach', '--config', file]);
  await stopHost(short);
  const id = stdout.trim();
  const rows = (await tasks('ls')).stdout.split('\n').map((line) => line.split('\t'));
  expect(rows.find(([shown]) => shown === id)).toEqual([
    ...[id, 'studio', 'render', 'unknown', expect.any(String)],
    'The host that runs "studio" has ended',
  ]);
  const ran = await tasks('wait', id);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`standpipe up --config ${file}`);
  const stored = join(taskFiles, `${shortHash(`studio ${id}`)}.json`);
  const saved = JSON.parse(readFileSync(stored, 'utf8'));
  for (const [start, remedy] of [
    [['--node', 'one'], 'standpipe up --join nats://HOST --node one'],
    [['--shared'], 'repeat the call'],
  ] as const) {
    writeFileSync(stored, JSON.stringify({ ...saved, place: { ...saved.place, start } }));
    expect((await tasks('wait', id)).stderr).toContain(remedy);
  }
});

test('completes ids', async () => {
  const id = await detached('studio', 'fails');
  const { stdout } = await runCli(['__complete', 'tasks', 'wait', innermostId(id).slice(0, 8)]);
  expect(stdout).toBe(`${innermostId(id)}\tstudio/fails\n`);
});
