// Commands that Windows cannot start by itself: batch files and scripts, with every argument.

import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npxOfInstaller, shims } from '../../fixtures/process/shims.mjs';
import { group } from '../scenario.mjs';

const every = [
  ...'&|<>()^"\'!%,;=*?~`\\ \t#$@+-_{}[]',
  '{"a":"b&c"}',
  '{"a": "b c & d", "e": "5\\" x"}',
  '%PATH%',
  '%%PATH%%',
  '"%PATH%"',
  '!x!',
  '^^',
  'a^&b',
  '',
  'ü 😀',
  'a\\"b\\',
  '"" "',
  'C:\\x y\\',
  '--x=a b',
  'end',
];

const argsOf = async (t, command, args, options) =>
  JSON.parse(await t.succeed(['call', 'args', '--', command, ...args], options));

/** A script that runs the server of the scenarios. */
const script = (t, name, firstLine = '') =>
  t.write(name, `${firstLine}import '${pathToFileURL(t.server()[1]).href}';\n`);

/** cmd.exe reads batch files with CRLF, in the code page of the system. */
const batch = (t, name, text) => t.write(name, text.replaceAll('\n', '\r\n'));

/** Runs an additional command before the server, so that the file is not a shim. */
const other = 'cd .\n';

export default group('Batch files', {
  ...Object.fromEntries(
    Object.entries(shims).map(([manager, text]) => [
      `starts the script behind a file of ${manager} directly, with every argument`,
      async (t) => {
        script(t, 'tool\\cli.js');
        t.write('tool\\package.json', '{"type":"module"}');
        const file = batch(t, 'bin & (x)\\tool.cmd', text);
        const args = [...every, 'two\nlines'];
        assert.deepEqual(await argsOf(t, file, args), args);
      },
    ]),
  ),
  'the process of a shim is the server itself': async (t) => {
    script(t, 'tool\\cli.js');
    t.write('tool\\package.json', '{"type":"module"}');
    const config = t.config({ it: { command: batch(t, 'bin\\tool.cmd', shims.pnpm), args: [] } });
    const host = t.start(['up', '--config', config]);
    await host.says(/ready/);
    const [{ pid }] = JSON.parse(await t.succeed(['ls', '--json', '--config', config])).servers;
    assert.equal((await t.succeed(['call', 'it', 'pid', '--config', config])).trim(), String(pid));
    assert.match(
      await t.succeed(['call', 'it', 'env', 'name=NODE_PATH', '--config', config]),
      /^C:\\store a\\node_modules;/,
    );
    await t.succeed(['down', '--config', config]);
  },
  'starts npx.cmd of the installer with the npm beside Node.js, or below the prefix': async (t) => {
    t.write('nodejs\\package.json', '{"type":"module"}');
    copyFileSync(process.execPath, join(t.folder, 'nodejs', 'node.exe'));
    const file = batch(t, 'nodejs\\npx.cmd', npxOfInstaller);
    const prefix = join(t.folder, 'prefix');
    t.write('nodejs\\node_modules\\npm\\bin\\npm-prefix.js', `console.log(${JSON.stringify(prefix)})`);
    script(t, 'nodejs\\node_modules\\npm\\bin\\npx-cli.js');
    assert.deepEqual(await argsOf(t, file, ['-y', ...every]), ['-y', ...every]);
    t.write(
      'prefix\\node_modules\\npm\\bin\\npx-cli.js',
      `process.argv.splice(2, 0, 'below');\nawait import('${pathToFileURL(t.server()[1]).href}');\n`,
    );
    t.write('prefix\\package.json', '{"type":"module"}');
    assert.deepEqual(await argsOf(t, file, ['x&y']), ['below', 'x&y']);
  },
  'passes every argument through any other batch file': async (t) => {
    script(t, 'server.mjs');
    const file = batch(t, 'bin & (x)\\other.bat', `@echo off\n${other}node "%~dp0..\\server.mjs" %*\n`);
    assert.deepEqual(await argsOf(t, file, every), every);
  },
  'passes arguments through %1 and "%~2"': async (t) => {
    script(t, 'server.mjs');
    const file = batch(t, 'other.cmd', `@echo off\n${other}node "%~dp0server.mjs" %1 "%~2"\n`);
    const args = ['{"a":"b & c"}', 'x & y | z'];
    assert.deepEqual(await argsOf(t, file, args), args);
  },
  'runs no command in an argument': async (t) => {
    script(t, 'server.mjs');
    const file = batch(t, 'other.cmd', `@echo off\n${other}node "%~dp0server.mjs" %*\n`);
    for (const arg of [
      '"&exit 7&"',
      '%CMDCMDLINE:~-1%&exit 7',
      '"%CMDCMDLINE:~-1%&exit 7',
      '\\"&exit 7',
      '|exit 7',
      '>x',
    ])
      assert.deepEqual(await argsOf(t, file, [arg, 'end']), [arg, 'end']);
  },
  'refuses arguments that cmd.exe cannot pass, with a hint': async (t) => {
    script(t, 'server.mjs');
    const file = batch(t, 'other.cmd', `@echo off\n${other}node "%~dp0server.mjs" %*\n`);
    const calls = batch(t, 'calls.cmd', `@echo off\n${other}call "%~dp0other.cmd" %*\n`);
    for (const [command, arg] of [
      [file, 'two\nlines'],
      [calls, '%PATH%'],
      [file, 'x'.repeat(9000)],
    ]) {
      const { code, stderr } = await t.run(['call', 'args', '--', command, arg]);
      assert.notEqual(code, 0);
      assert.match(stderr, /Cannot start .*Use the program that the batch file starts/s);
    }
    assert.deepEqual(await argsOf(t, calls, ['{"a":"b&c"}']), ['{"a":"b&c"}']);
  },
  'runs a script by the interpreter of its first line': async (t) => {
    const file = script(t, 'tool.mjs', '#!/usr/bin/env node\n');
    assert.deepEqual(await argsOf(t, file, every), every);
  },
  'does not run a program of the current folder by its name': async (t) => {
    t.batchFile('here.cmd');
    copyFileSync(process.execPath, join(t.folder, 'here-too.exe'));
    for (const name of ['here', 'here-too']) {
      const { stderr } = await t.run(['tools', '--', name]);
      assert.match(stderr, /Cannot find the command/);
    }
    assert.deepEqual(await argsOf(t, '.\\here', ['x']), ['x']);
  },
  'names a missing program that a batch file starts': async (t) => {
    const file = batch(t, 'bin\\tool.cmd', shims.pnpm);
    const env = t.userEnv();
    for (const name of Object.keys(env)) if (name.toUpperCase() === 'PATH') env[name] = dirname(file);
    const { stderr } = await t.run(['tools', '--', 'tool'], { env });
    assert.match(stderr, /it starts the program "node", which is not found/);
  },
});
