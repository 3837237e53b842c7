// Command, arguments, folder and variables of a server.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { group } from '../scenario.mjs';

const special = ['a b', '"q"', '%PATH%', '&', '|', '<', '>', '^', '!', '(', ')', "''", '', '$HOME', '`id`', '*', '?'];
const json = ['{"a":"b&c"}', '{"a": "b c", "d": "%PATH%", "e": "x^y|z"}'];
const backslashes = ['\\', 'a\\', 'a b\\', '\\"', 'C:\\x\\', '\\\\server\\share'];
const unicode = ['ü 😀', '日本語', 'مرحبا'];
const everyArgument = [...special, ...json, ...backslashes, ...unicode, '--flag=a b', 'end'];

const argsOf = async (t, command, args, options) =>
  JSON.parse(await t.succeed(['call', 'args', '--', ...command, ...args], options));

export default group('Launching', {
  'passes every special character to an .exe unchanged': async (t) => {
    assert.deepEqual(await argsOf(t, t.server(), everyArgument), everyArgument);
  },
  'starts an .exe below a folder with spaces and non-ASCII letters': async (t) => {
    const folder = join(t.folder, 'Prógram Files (x86)');
    mkdirSync(folder);
    copyFileSync(process.execPath, join(folder, 'node.exe'));
    const [, script] = t.server();
    assert.deepEqual(await argsOf(t, [join(folder, 'node.exe'), script], ['a b']), ['a b']);
  },
  'finds a command without its extension in PATH': async (t) => {
    const [, script] = t.server();
    assert.deepEqual(await argsOf(t, ['node', script], ['x']), ['x']);
  },
  'passes JSON and special characters through a .cmd unchanged': async (t) => {
    const file = t.batchFile('plain.cmd');
    const args = [...json, 'a b', '&', '^', 'end'];
    assert.deepEqual(await argsOf(t, [file], args), args);
  },
  'passes non-ASCII letters through a .cmd': async (t) => {
    const file = t.batchFile('letters.cmd');
    assert.deepEqual(await argsOf(t, [file], unicode), unicode);
  },
  'starts a .cmd below a folder with spaces': async (t) => {
    const file = t.batchFile('my servers\\start it.cmd');
    assert.deepEqual(await argsOf(t, [file], ['a b', 'c']), ['a b', 'c']);
  },
  'finds a .cmd in PATH by its name without extension': async (t) => {
    t.batchFile('bin\\my-server.cmd');
    const env = t.userEnv();
    const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH');
    env[path] = `${join(t.folder, 'bin')};${env[path]}`;
    assert.deepEqual(await argsOf(t, ['my-server'], ['x y'], { env }), ['x y']);
  },
  'starts the server of a config in its folder with its variables': async (t) => {
    const cwd = join(t.folder, 'work folder');
    mkdirSync(cwd);
    const config = t.config({ it: { ...t.serverEntry({ KEY: 'ü %PATH% & "x"' }), cwd } });
    assert.equal((await t.succeed(['call', 'it', 'cwd', '--config', config])).trim(), cwd);
    assert.equal((await t.succeed(['call', 'it', 'env', 'name=KEY', '--config', config])).trim(), 'ü %PATH% & "x"');
  },
  'names a missing command and exits with an error': async (t) => {
    const { code, stderr } = await t.run(['tools', '--', 'no-such-tool', 'x']);
    assert.notEqual(code, 0);
    assert.match(stderr, /Cannot find the command "no-such-tool"/);
  },
  'passes non-ASCII letters in messages in both directions': async (t) => {
    const text = 'grün 😀 日本語';
    const out = await t.succeed(['call', 'echo', `text=${text}`, '--', ...t.server()]);
    assert.equal(out.trim(), text);
  },
});
