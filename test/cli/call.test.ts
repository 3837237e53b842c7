// `standpipe call`: values and their types, results, errors and exit codes.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everything, everythingEntry, folder, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

// Most calls use one host, because their subject does not depend on how the server was started.
const config = writeConfig('host.json', { everything: everythingEntry });
const behindHost = ['--config', config];
let host: Awaited<ReturnType<typeof startHost>>;
beforeAll(async () => {
  host = await startHost(behindHost);
});
afterAll(() => stopHost(host));

const typed = async (...words: string[]) => {
  const { code, stdout, stderr } = await runCli(['call', 'typed', ...words, ...behindHost]);
  return code === 0 ? JSON.parse(stdout) : `${code}: ${stderr.split('\n')[0]}`;
};

describe('values are converted to the type in the schema', () => {
  // One call for all values, because each call starts a process.
  test('numbers, booleans, choices, null, lists, objects and text', async () => {
    const words = [
      'text=5',
      'number=-2.5e3',
      'whole=7',
      'flag=TRUE',
      'mode=3',
      'maybe=null',
      'either=12',
      'tags=a',
      'tags=b=c',
      'counts=[1,2]',
      'counts=3',
      'inner.a=1',
      'inner.deep.b=false',
      'anything=17',
      'dotted.name=x',
    ];
    expect(await typed(...words)).toEqual({
      text: '5',
      number: -2500,
      whole: 7,
      flag: true,
      mode: 3,
      maybe: null,
      either: 12,
      tags: ['a', 'b=c'],
      counts: [1, 2, 3],
      inner: { a: 1, deep: { b: false } },
      anything: '17',
      'dotted.name': 'x',
    });
  });

  test('JSON, files, an escaped @, and objects on stdin or in --args, which single words override', async () => {
    writeFileSync(join(folder, 'note.txt'), 'two\nlines\n');
    writeFileSync(join(folder, 'inner.json'), '{"a": 3}');
    writeFileSync(join(folder, 'bytes.bin'), Buffer.from([0xff, 0xfe, 0]));
    expect(
      await typed('text=@note.txt', 'anything:={"x":[1]}', 'inner:=@inner.json', 'maybe=@@home', 'file=@bytes.bin'),
    ).toEqual({
      text: 'two\nlines\n',
      anything: { x: [1] },
      inner: { a: 3 },
      maybe: '@home',
      file: Buffer.from([0xff, 0xfe, 0]).toString('base64'),
    });
    const base = ['--args', '{"text": "a", "tags": ["b"]}'];
    const piped = await runCli(['call', 'typed', '-', 'whole=2', ...base, ...behindHost], {
      input: '{"text": "in", "whole": 1}',
    });
    expect(JSON.parse(piped.stdout)).toEqual({ text: 'in', whole: 2, tags: ['b'] });
    const stdin = await runCli(['call', 'typed', 'text=@-', ...behindHost], { input: 'from a pipe' });
    expect(JSON.parse(stdin.stdout)).toEqual({ text: 'from a pipe' });
  });

  // All refusals are tested in src/app/cli/values/arguments.test.ts.
  test('invalid values are refused before the call, with a correction', async () => {
    expect(await typed('number=two')).toBe('2: error: "number" of typed must be number, not "two"');
    const missing = await runCli(['call', 'greet', ...behindHost]);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toBe('error: greet needs "name"\nhint: It takes: name=<string>\n');
  });

  test('--no-check sends invalid values to the server', async () => {
    const { code, stdout, stderr } = await runCli(['call', 'greet', '--no-check', ...behindHost]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The tool reports an error: .*name/);
  });
});

describe('results', () => {
  test('text is printed unchanged, and structured content once, as indented JSON', async () => {
    expect(await runCli(['call', 'greet', 'name=World', ...everything])).toEqual({
      code: 0,
      stdout: 'Hello, World!\n',
      stderr: '',
    });
    expect((await runCli(['call', 'weather', ...behindHost])).stdout).toBe('{\n  "degrees": 21.5\n}\n');
  });

  test('an error of a tool is printed to stderr, with exit code 1', async () => {
    const { code, stdout, stderr } = await runCli(['call', 'fails', ...behindHost]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The tool reports an error: no such city\n',
    });
  });

  test('--json prints one stable document', async () => {
    const { stdout } = await runCli(['call', 'weather', '--json', ...behindHost]);
    expect(JSON.parse(stdout)).toEqual({
      server: 'everything',
      tool: 'weather',
      isError: false,
      content: [{ type: 'text', text: '{"degrees":21.5}' }],
      structuredContent: { degrees: 21.5 },
      saved: [],
      ran: { server: 'everything', pid: expect.any(Number), generation: 1 },
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'everything', version: '1.2.3' } },
    });
    const failed = await runCli(['call', 'fails', '--json', ...behindHost]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ isError: true, content: [{ text: 'no such city' }] });
  });

  test('images are described, or saved with --output', async () => {
    const described = await runCli(['call', 'picture', ...behindHost]);
    expect(described).toMatchObject({ code: 0, stdout: 'a picture\n' });
    expect(described.stderr).toBe('[image image/png, 16 bytes; --output FILE saves it]\n');
    const saved = await runCli(['call', 'picture', '--output', 'p.png', ...behindHost]);
    expect(saved).toMatchObject({ code: 0, stdout: 'a picture\n', stderr: 'Saved p.png\n' });
    expect(readFileSync(join(folder, 'p.png'), 'utf8')).toBe('not really a png');
    const one = await runCli(['call', 'album', '--output', 'album', ...behindHost]);
    expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining('There are 2 files to save') });
    expect(existsSync(join(folder, 'album'))).toBe(false);
    mkdirSync(join(folder, 'album'));
    const many = await runCli(['call', 'album', '--output', 'album', '--json', ...behindHost]);
    expect(JSON.parse(many.stdout).saved).toEqual([join('album', '1.png'), join('album', '2.wav')]);
    expect(readFileSync(join(folder, 'album/2.wav'), 'utf8')).toBe('audio/wav');
  });
});

describe('exit codes and errors', () => {
  test.each([
    ['no config', ['ls', '--config', 'nowhere.json'], 2, 'There is no config', ''],
    [
      'an unknown tool',
      ['call', 'gret', ...everything],
      2,
      '"everything" has no tool named "gret"',
      'Did you mean "greet"?',
    ],
    ['a command that is not there', ['call', 'x', '--', 'no-such-command'], 3, 'Cannot find the command', 'Install it'],
    [
      'a server that dies at once',
      ['call', 'x', '--', process.execPath, '-e', 'console.error("no key"); process.exit(9)'],
      3,
      'exited with code 9',
      'stderr',
    ],
    [
      'a call that takes too long',
      ['call', 'works', '--timeout', '3s', ...everything],
      4,
      '3000 ms', // on a busy machine, this may already end the start of the server
      '',
    ],
    [
      'a server that never answers',
      ['tools', '--timeout', '500', '--', process.execPath, '-e', 'setInterval(() => {}, 1e6)'],
      4,
      '500 ms',
      '',
    ],
    ['a server that refuses', ['read', 'doc://nowhere', ...everything], 5, 'doc://nowhere', ''],
  ])('%s', async (_what, args, code, message, hint) => {
    const ran = await runCli(args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain(hint);
  });

  test('evidence is printed as text, and as JSON with --json', async () => {
    const inWords = await runCli(['call', 'crashes', ...everything]);
    expect(inWords).toMatchObject({ code: 3, stdout: '' });
    expect(inWords.stderr).toContain('may have run');
    expect(inWords.stderr).toContain('  exit code: 7\n');
    expect(inWords.stderr).toContain('  stderr: out of \\x1b[31mcheese\\x1b[0m\n');
    const { code, stdout } = await runCli(['call', 'crashes', '--json', ...everything]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'OUTCOME_UNKNOWN',
        message: expect.any(String),
        hint: expect.any(String),
        evidence: expect.objectContaining({
          phase: 'running',
          exitCode: 7,
          stderrTail: expect.stringContaining('cheese'),
        }),
        ran: { server: 'everything', pid: expect.any(Number), generation: 1 },
        exitCode: 3,
      },
    });
  });

  test('usage errors are JSON with --json', async () => {
    const { code, stdout } = await runCli(['cal', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'NAME_UNKNOWN', hint: 'Did you mean "call" (call a tool)?', exitCode: 2 },
    });
  });

  test('--verbose prints the traffic to stderr', async () => {
    const secret = ['--env', 'API_KEY=sk-secret-123'];
    const named = ['call', 'greet', 'name=x sk-secret-123', '--verbose', ...secret, ...everything];
    const { stdout, stderr } = await runCli(named);
    expect(stdout).toBe('Hello, x sk-secret-123!\n');
    expect(stderr).not.toContain('sk-secret');
    expect(stderr).toMatch(/everything started as process \d+/);
    expect(stderr).toMatch(/→ .*"tools\/call"/);
    expect(stderr).toMatch(/← .*Hello, x /);
  });
});
