// `standpipe config` looks for what entries name: programs and folders that are not there are known before any start.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everythingEntry, folder, runCli, writeConfig } from './run-cli.ts';

test('a command that is nowhere and a folder that is not there are warnings, with their places', async () => {
  const config = writeConfig('not-there.json', {
    nowhere: { command: 'no-such-command-anywhere' },
    file: { command: './no-such-file' },
    homeless: { ...everythingEntry, cwd: 'no-such-folder' },
    data: { command: './not-there.json' },
    untrusted: { url: 'https://example.test/mcp', ca: 'no-such-file.pem' },
    off: { command: 'no-such-command-either', disabled: true },
  });
  const { code, stderr } = await runCli(['config', '--config', config]);
  expect(code).toBe(0);
  expect(stderr).not.toContain('No problems found');
  expect(stderr).not.toContain('"off"');
  expect(stderr).toContain(
    `warning: ${config}:4:18: server "nowhere": The command "no-such-command-anywhere" is not in any folder of PATH.`,
  );
  expect(stderr).toContain(`warning: ${config}:7:18: server "file": The file "./no-such-file" does not exist.`);
  expect(stderr).toMatch(/not-there\.json:\d+:14: server "homeless": The folder "no-such-folder" does not exist\./);
  expect(stderr).toContain('server "untrusted": The file "no-such-file.pem" does not exist.');
  expect(stderr).toMatch(/server "data": The command "\.\/not-there\.json" is not (?:executable|a program)/);
});

test('what a variable stands for is not repeated, nor a command that is more than a program', async () => {
  const config = writeConfig('secret-command.json', {
    one: { command: '${SOME_TOKEN}', cwd: '${SOME_TOKEN}' },
    two: { command: '${SOME_TOKEN}' },
    three: { command: 'TOKEN=tok-12345 node server.js' },
  });
  const { stderr } = await runCli(['config', '--config', config], { env: { SOME_TOKEN: 'tok-12345' } });
  expect(stderr).toContain('server "two"');
  expect(stderr).not.toContain('tok-12345');
});

test('a config without servers says so', async () => {
  const config = join(folder, 'no-servers.json');
  writeFileSync(config, '{"mcpServers": {}}');
  expect(await runCli(['config', '--config', config])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The config has no servers.'),
  });
});
