// `standpipe config` checks names in entries: it reports missing programs and folders before a server is started.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everythingEntry, folder, runCli, writeConfig } from './run-cli.ts';

test('warns of a missing command and a missing folder, with their positions', async () => {
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

test('prints neither the values of variables nor commands that contain more than a program', async () => {
  const config = writeConfig('secret-command.json', {
    one: { command: '${SOME_TOKEN}', cwd: '${SOME_TOKEN}' },
    two: { command: '${SOME_TOKEN}' },
    three: { command: 'TOKEN=tok-12345 node server.js' },
  });
  const { stderr } = await runCli(['config', '--config', config], { env: { SOME_TOKEN: 'tok-12345' } });
  expect(stderr).toContain('server "two"');
  expect(stderr).not.toContain('tok-12345');
});

test('reports a config without servers', async () => {
  const config = join(folder, 'no-servers.json');
  writeFileSync(config, '{"mcpServers": {}}');
  expect(await runCli(['config', '--config', config])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The config has no servers.'),
  });
});
