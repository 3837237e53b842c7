import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { npxOfInstaller, shimOfBatchFile, shimOfProgram, shims } from '../../../../test/fixtures/process/shims.mjs';
import { batchLine } from './batch-line.ts';
import { findCommand } from './find-command.ts';
import { type Launch, launchError } from './launch-error.ts';
import type { System } from './system.ts';
import { windowsProgram } from './windows-program.ts';

const CMD = 'C:\\Windows\\System32\\cmd.exe';
const NODE = 'C:\\nodejs\\node.exe';
const PROGRAM = 'MZ';

/** A fake Windows: file names ignore case. Content that begins with `printed:` is a program and its output. */
function windows(files: Record<string, string>): System {
  const contents = new Map(Object.entries(files).map(([path, content]) => [path.toLowerCase(), content]));
  const contentOf = (path: string) => contents.get(path.replaceAll('/', '\\').replace(/\\+/g, '\\').toLowerCase());
  return {
    platform: 'win32',
    commandProcessor: CMD,
    kindOf: (path) => (contentOf(path) === undefined ? undefined : contentOf(path) === 'folder' ? 'folder' : 'file'),
    mayExecute: () => true,
    start: (file) => contentOf(file)?.replaceAll('\n', '\r\n') ?? '',
    output: async (_, [script]) => /^printed:(.*)/.exec(contentOf(script!) ?? '')?.[1],
  };
}

const environment = { Path: 'C:\\bin;"C:\\odd; folder";C:\\nodejs', PATHEXT: '.COM;.EXE;.BAT;.CMD;.JS' };
const surroundings = { environment, cwd: 'C:\\project' };
const run = (files: Record<string, string>, command: string, args: string[] = [], variables = {}) =>
  windowsProgram(
    command,
    args,
    { ...surroundings, environment: { ...environment, ...variables } },
    windows({ [NODE]: PROGRAM, ...files }),
  );

const hard = ['{"a":"b&c"}', 'two\nlines', '%PATH%', '!x!', '^', '', 'ü 😀', 'a\\"b\\'];

describe('a command on Windows', () => {
  const find = (command: string, files: string[], variables = {}) =>
    findCommand(
      command,
      { cwd: 'C:\\project', environment: { ...environment, ...variables } },
      windows(Object.fromEntries(files.map((file) => [file, PROGRAM]))),
    );

  test.each<[string, string[], string | undefined]>([
    ['tool', ['C:\\bin\\tool.exe'], 'C:\\bin\\tool.exe'],
    ['tool.exe', ['C:\\bin\\tool.exe'], 'C:\\bin\\tool.exe'],
    ['TOOL', ['C:\\bin\\tool.cmd'], 'C:\\bin\\tool.cmd'],
    ['tool', ['C:\\bin\\tool', 'C:\\bin\\tool.cmd'], 'C:\\bin\\tool.cmd'],
    ['tool', ['C:\\bin\\tool.cmd', 'C:\\nodejs\\tool.exe'], 'C:\\bin\\tool.cmd'],
    ['tool', ['C:\\bin\\tool', 'C:\\nodejs\\tool.cmd'], 'C:\\nodejs\\tool.cmd'],
    ['tool', ['C:\\bin\\tool.cmd', 'C:\\bin\\tool.exe'], 'C:\\bin\\tool.exe'],
    ['tool.2', ['C:\\bin\\tool.2.exe'], 'C:\\bin\\tool.2.exe'],
    ['tool', ['C:\\odd; folder\\tool.bat'], 'C:\\odd; folder\\tool.bat'],
    ['tool', ['C:\\project\\tool.exe'], undefined],
    ['.\\tool', ['C:\\project\\tool.exe'], 'C:\\project\\tool.exe'],
    ['sub/tool', ['C:\\project\\sub\\tool.cmd'], 'C:\\project\\sub\\tool.cmd'],
    ['C:\\some folder\\tool', ['C:\\some folder\\tool.exe'], 'C:\\some folder\\tool.exe'],
  ])('%s with %j is %s', (command, files, expected) => {
    expect(find(command, files)?.file.toLowerCase()).toBe(expected?.toLowerCase());
  });

  test('uses the extensions of PATHEXT, and the usual ones without it', () => {
    const script = ['C:\\bin\\tool.PY'];
    expect(find('tool', script)).toBeUndefined();
    expect(find('tool', script, { PATHEXT: '.EXE;.PY' })?.kind).toBe('executable');
    expect(find('tool', ['C:\\bin\\tool.exe'], { PATHEXT: '' })?.kind).toBe('executable');
  });

  test('searches the current folder only if PATH names it', () => {
    expect(find('tool', ['C:\\project\\tool.exe'], { Path: ';C:\\bin;' })).toBeUndefined();
    expect(find('tool', ['C:\\project\\tool.exe'], { Path: '.' })?.file).toBe('C:\\project\\tool.exe');
  });
});

describe('batch files that start one program', () => {
  test.each(Object.entries(shims))('starts the script in the file of %s directly', async (_, text) => {
    const files = { 'C:\\project\\bin\\tool.cmd': text };
    const program = await run(files, 'bin\\tool', hard);
    expect(program).toMatchObject({ file: NODE, args: ['C:\\project\\tool\\cli.js', ...hard] });
    expect(program.isVerbatim).toBeFalsy();
    const beside = await run({ ...files, 'C:\\project\\bin\\node.exe': PROGRAM }, 'bin\\tool.cmd');
    expect(beside.file).toBe('C:\\project\\bin\\node.exe');
  });

  test.each([
    ['yarn 1', undefined, 'C:\\store a\\node_modules;C:\\store\\node_modules'],
    ['pnpm', undefined, 'C:\\store a\\node_modules;C:\\store\\node_modules'],
    ['pnpm', 'D:\\own', 'C:\\store a\\node_modules;C:\\store\\node_modules;D:\\own'],
    ['pnpm 5', 'D:\\own', 'D:\\own;C:\\store a\\node_modules;C:\\store\\node_modules'],
    ['npm 7 to 11', 'D:\\own', 'D:\\own'],
  ] as const)('%s: NODE_PATH %s becomes %s', async (manager, before, after) => {
    const files = { 'C:\\bin\\tool.cmd': shims[manager] };
    const program = await run(files, 'tool', [], before === undefined ? {} : { node_path: before });
    const paths = Object.entries(program.environment!).filter(([name]) => name.toUpperCase() === 'NODE_PATH');
    expect(paths.map(([, value]) => value)).toEqual([after]);
  });

  const npx = {
    'C:\\nodejs\\npx.cmd': npxOfInstaller,
    'C:\\nodejs\\node_modules\\npm\\bin\\npm-prefix.js': 'printed:C:\\prefix',
  };
  test('starts npx.cmd of the installer with the npm beside Node.js, or a newer one below the prefix', async () => {
    const beside = 'C:\\nodejs\\node_modules\\npm\\bin\\npx-cli.js';
    const below = 'C:\\prefix\\node_modules\\npm\\bin\\npx-cli.js';
    expect(await run(npx, 'npx', ['-y', ...hard])).toMatchObject({ file: NODE, args: [beside, '-y', ...hard] });
    expect((await run({ ...npx, [below]: '' }, 'npx')).args).toEqual([below]);
    const older = {
      ...npx,
      'C:\\nodejs\\npx.cmd': npxOfInstaller.replace('"%NPM_PREFIX_JS%"', '"%NPM_CLI_JS%" prefix -g'),
    };
    expect((await run(older, 'npx')).args).toEqual([beside]);
  });

  test('starts a program that is not a script, and a batch file behind a batch file', async () => {
    const program = { 'C:\\bin\\tool.cmd': shimOfProgram, 'C:\\tool\\prog.exe': PROGRAM };
    expect(await run(program, 'tool', hard)).toMatchObject({ file: 'C:\\tool\\prog.exe', args: hard });
    const batch = { 'C:\\bin\\tool.cmd': shimOfBatchFile, 'C:\\tool\\bat.cmd': '@node "%~dp0server.js" %*' };
    expect(await run(batch, 'tool', hard)).toMatchObject({ file: NODE, args: ['C:\\tool\\server.js', ...hard] });
  });

  test.each([
    '@echo off\nset "MODE=a b"\nnode --flag "%~dp0server.js" --mode "%MODE%" %*',
    '@call "%~dp0..\\nodejs\\node.exe" --flag "%~dp0\\server.js" --mode "a b" %*\n@exit /b %errorlevel%',
  ])('starts the program of a handwritten file directly: %j', async (text) => {
    const { file, args } = await run({ 'C:\\bin\\tool.bat': text }, 'tool', ['x']);
    expect(file).toBe(NODE);
    expect(args).toEqual(['--flag', 'C:\\bin\\server.js', '--mode', 'a b', 'x']);
  });

  test.each([
    'node server.js %1 %2',
    'node server.js %*\nnode other.js %*',
    'node "caf\uFFFD.js" %*',
    `${':: long\n'.repeat(4000)}node server.js %*`,
    'node server.js %* | more',
    'node server.js %* & calc',
    'set X=1 & calc\nnode server.js %*',
    'cd /d %~dp0\nnode server.js %*',
    'setlocal enabledelayedexpansion\nnode server.js %*',
    'start node server.js %*',
    'echo %*',
    'call :label %*',
    'node "server\\" %*',
    'node server.js --x="a b" %*',
    'node server.js %%x %*',
    'if "%1"=="x" (\nnode server.js %*\n)',
    '',
  ])('%# leaves any other file to cmd.exe', async (text) => {
    const { file, isVerbatim } = await run({ 'C:\\bin\\tool.cmd': text }, 'tool');
    expect({ file, isVerbatim }).toEqual({ file: CMD, isVerbatim: true });
  });

  test('does not endlessly follow a file that starts itself', async () => {
    await expect(run({ 'C:\\bin\\tool.cmd': '@"%~dp0tool.cmd" %*' }, 'tool')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('scripts', () => {
  test.each([
    ['#!/usr/bin/env node\n', []],
    ['#!/usr/bin/node\n', []],
    ['#! /usr/bin/env -S node --flag\n', ['--flag']],
    ['#!C:\\nodejs\\node.exe\n', []],
  ])('are run by the interpreter of the first line %j', async (line, options) => {
    const { file, args } = await run({ 'C:\\bin\\tool': line }, 'tool', hard);
    expect(file).toBe(NODE);
    expect(args).toEqual([...options, 'C:\\bin\\tool', ...hard]);
  });

  test('scripts with an extension of PATHEXT and without a first line are run by cmd.exe', async () => {
    expect((await run({ 'C:\\bin\\tool.js': 'x' }, 'tool')).file).toBe(CMD);
    await expect(run({ 'C:\\bin\\tool.txt': 'x' }, 'tool.txt')).rejects.toMatchObject({ code: 'EACCES' });
  });
});

test('errors name what is missing, and where', async () => {
  const explain = async (files: Record<string, string>, command: string, args: string[] = []) => {
    const system = windows(files);
    const launch: Launch = { command, cwd: undefined, environment, commandLine: command, mask: (text) => text };
    const thrown = await windowsProgram(command, args, surroundings, system).catch((error: unknown) => error);
    const { code, message, hint } = launchError(thrown, launch, system);
    return { code, message, hint };
  };
  expect(await explain({}, 'uvx')).toEqual({
    code: 'COMMAND_NOT_FOUND',
    message: 'Cannot find the command "uvx": it is not in any folder of PATH.',
    hint: expect.stringMatching(/`where\.exe uvx` prints .* PATH is C:\\bin;/),
  });
  expect(await explain({ 'C:\\bin\\tool.cmd': shims.pnpm }, 'tool')).toMatchObject({
    code: 'COMMAND_NOT_FOUND',
    message: 'Cannot run C:\\bin\\tool.cmd: it starts the program "node", which is not found.',
  });
  expect(await explain({ 'C:\\bin\\tool': '#!/usr/bin/env python3' }, 'tool')).toMatchObject({
    code: 'COMMAND_NOT_FOUND',
    message: 'Cannot run C:\\bin\\tool: it starts the program "python3", which is not found.',
  });
  expect(await explain({ 'C:\\bin\\tool.ps1': 'x' }, 'tool.ps1')).toMatchObject({
    code: 'COMMAND_NOT_EXECUTABLE',
    message: 'Cannot run the command "tool.ps1": C:\\bin\\tool.ps1 is not a program.',
    hint: 'Start it with its interpreter.',
  });
  expect(await explain({ 'C:\\bin\\tool.cmd': 'pause' }, 'tool', ['secret\n'])).toEqual({
    code: 'INVALID_OPTION',
    message: 'Cannot start "C:\\\\bin\\\\tool.cmd": argument 1 has a line break, where cmd.exe ends a command.',
    hint: expect.stringContaining('Use the program that the batch file starts'),
  });
});

describe('the command line for cmd.exe', () => {
  const file = 'C:\\some & folder (x)\\100%\\tool.cmd';
  const variables: Record<string, string> = { PATH: 'C:\\bin', A: 'expanded' };

  /** Expands %NAME% and %NAME:~,% on a command line. A % without a known name stays. */
  const expanded = (line: string) =>
    line.replace(/%(\w+)(:~,)?%|%/g, (reference, name?: string, part?: string) => {
      if (part) return '';
      return name === undefined ? reference : (variables[name] ?? reference);
    });

  /** The text of one command with all escapes resolved. Fails if an operator would end the command. */
  const parsed = (line: string) => {
    let isQuoted = false;
    let text = '';
    for (let at = 0; at < line.length; at++) {
      const char = line[at]!;
      if (char === '"') isQuoted = !isQuoted;
      if (!isQuoted && '&|<>()\n'.includes(char)) throw new Error(`${char} ends the command in ${line}`);
      if (!isQuoted && char === '^') at++;
      text += line[at] ?? '';
    }
    return text;
  };

  /** Splits arguments like Microsoft's C runtime. */
  const argumentsIn = (line: string) => {
    const args: string[] = [];
    let arg: string | undefined;
    let isQuoted = false;
    for (let at = 0; at < line.length; ) {
      const [, slashes, quotes, other] = /^(\\*)(?:("+)|([\s\S]))?/.exec(line.slice(at))!;
      at += slashes!.length;
      if (quotes === undefined) {
        arg = slashes ? (arg ?? '') + slashes : arg;
        if (other === undefined) break;
        at += 1;
        if (!isQuoted && /[ \t]/.test(other)) {
          if (arg !== undefined) args.push(arg);
          arg = undefined;
        } else arg = (arg ?? '') + other;
        continue;
      }
      arg = (arg ?? '') + '\\'.repeat(Math.floor(slashes!.length / 2));
      if (slashes!.length % 2 === 1 || (isQuoted && quotes.length > 1)) {
        arg += '"';
        at += slashes!.length % 2 === 1 ? 1 : 2;
      } else {
        isQuoted = !isQuoted;
        at += 1;
      }
    }
    return arg === undefined ? args : [...args, arg];
  };

  /** The arguments that reach a program started by a batch file with %*. */
  const delivered = (args: string[], content = 'pause') => {
    const line = batchLine(file, args, content).at(-1)!;
    const text = parsed(expanded(line.slice(1, -1)));
    const command = `"${file}"`;
    expect(text.startsWith(command)).toBe(true);
    return argumentsIn(parsed(`program.exe ${text.slice(command.length)}`)).slice(1);
  };

  test('passes every special character through two parses', () => {
    const args = [
      ...'&|<>()^"\'!%,;=*?~`\\ \t#$@+-_{}[]ü😀',
      ...hard.filter((arg) => !arg.includes('\n')),
      '"%A%"',
      '%A%',
      '%%A%%',
    ];
    expect(delivered(args)).toEqual(args);
    expect(delivered(['"', '"" "', '\\\\"', 'a\\\\', '{"a": "b c & d"}'])).toEqual([
      '"',
      '"" "',
      '\\\\"',
      'a\\\\',
      '{"a": "b c & d"}',
    ]);
  });

  test('passes every text', () => {
    const character = fc.oneof(fc.constantFrom(...'"\\%&^ |<>()!AP'), fc.string({ unit: 'binary', maxLength: 1 }));
    const text = fc
      .array(character, { maxLength: 12 })
      .map((characters) => characters.join(''))
      .filter((text) => !/[\0\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (args) => {
        expect(delivered(args)).toEqual(args);
      }),
    );
  });

  test.each(['call "%~dp0env.cmd"\nnode a.js %*', 'cd .\nnode start-server.js %*', 'cd .\n"%~dp0start.cmd" %*'])(
    'refuses no arguments if they are parsed once: %j',
    (content) => {
      expect(() => batchLine(file, ['%A%', 'a^b', 'a!b'], content)).not.toThrow();
    },
  );

  test('quotes only if necessary, because batch files compare arguments with words', () => {
    expect(batchLine('C:\\a.cmd', ['--port', '8080', 'C:\\x\\', 'a=b'], '').at(-1)).toBe(
      '""C:\\a.cmd" --port 8080 C:\\x\\ "a=b""',
    );
  });

  test.each([
    ['a\nb', 'pause', /argument 2 has a line break/],
    ['a\rb', 'pause', /argument 2 has a line break/],
    ['%A%', 'call other.cmd %*', /argument 2 contains % or \^, and this batch file parses its arguments twice/],
    ['a^b', '@cmd /c other %1', /contains % or \^/],
    ['a^b', '@"%COMSPEC%" /c other "%~1"', /contains % or \^/],
    ['a%b', 'if x==x @start "" other %*', /contains % or \^/],
    ['a!b', 'SETLOCAL EnableDelayedExpansion', /contains ! or \^, and this batch file enables delayed expansion/],
    ['x'.repeat(8200), 'pause', /would have \d+ characters; cmd\.exe allows 8191/],
  ])('%# refuses an argument that cannot be passed, without showing its value', (arg, content, message) => {
    expect(() => batchLine(file, ['first', arg], content)).toThrow(message);
    expect(() => batchLine(file, ['first', 'plain&simple'], content)).not.toThrow();
  });
});
