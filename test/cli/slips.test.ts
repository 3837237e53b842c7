// Slips that are easily made, and what is said about them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { calculatorEntry, everything, folder, runCli } from './run-cli.ts';

test.each(['install', 'uninstall'])('tap %s on a file without servers says where it looked', async (verb) => {
  const file = join(folder, 'no-servers.json');
  writeFileSync(file, '{"mcpServer": {"a": {"command": "x"}}}');
  const { code, stderr } = await runCli(['tap', verb, file]);
  expect(code).toBe(2);
  expect(stderr).toContain(`${file}:1:1: There is no "mcpServers"\nhint: Write {"mcpServers": `);
});

test('tap install says what is no JSON as config does', async () => {
  const file = join(folder, 'broken.json');
  writeFileSync(file, '{"mcpServers": {\n  "a": {"command" "x"}}}');
  const said = (await runCli(['config', '--config', file])).stderr.match(/broken\.json:\d+:\d+: Not JSON: [^.]*/)![0];
  expect(await runCli(['tap', 'install', file])).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});

test('a server that answers nothing may speak LiteMCP', async () => {
  const { command, args } = calculatorEntry;
  const { code, stderr } = await runCli(['tools', '--timeout', '2500', '--', command, ...args]);
  expect(code).toBe(4);
  expect(stderr).toContain('--protocol litemcp');
  expect(stderr).toContain('"protocol": "litemcp"');
});

test.each([
  ['127.0.0.1:3000/mcp', 'write http://127.0.0.1:3000/mcp'],
  ['htps://example.com/mcp', 'begins with https:// or http://'],
])('%s is not the name of a server, but nearly a URL', async (word, hint) => {
  const file = join(folder, 'nearly-a-url.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { one: { command: 'node' } } }));
  const { code, stderr } = await runCli(['tools', word, '--config', file]);
  expect(code).toBe(2);
  expect(stderr).toContain('hint: There are: one. ');
  expect(stderr).toContain(hint);
});

test('a command that echoes its input is called that', async () => {
  const { code, stderr } = await runCli(['tools', '--', 'cat']);
  expect(code).toBe(5);
  expect(stderr).toContain('the command echoes its input');
});

test('behind -- no server is named', async () => {
  const { code, stderr } = await runCli(['call', 'everything', 'greet', 'name=x', ...everything]);
  expect(code).toBe(2);
  expect(stderr).toContain('do not name a server: standpipe call greet');
});

test('a URI that is nearly right is guessed', async () => {
  const { stderr } = await runCli(['read', 'doc://raedme', ...everything]);
  expect(stderr).toContain('Did you mean "doc://readme"?');
});

test.each([['node'], [undefined], [null]])('connect(%j) says what it takes', async (target) => {
  await expect(connect(target as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: 'connect() takes a command, a url, a transport, or a function that makes one',
    hint: expect.stringContaining('command:'),
  });
});
