import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { unwrapServers, wrapServers } from './wrap-servers.ts';

const root = temporaryFolder('wrap');
const options = { wrapper: 'connect', words: () => ['standpipe', 'connect'] } as const;

function write(name: string, text: string): string {
  const file = join(mkdtempSync(join(root, 'x-')), name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test.each([
  [
    '.zed/settings.json',
    '{"tab_size": 2, "context_servers": {"a": {"command": {"path": "x", "args": ["1"]}}}} // mine',
  ],
  ['.zed/settings.json', '{"context_servers": {"a": {"command": {"path": "x"}}}}'],
  ['.gemini/settings.json', '{"mcpServers": {"a": {"command": "$HOME/x", "args": ["$A"]}}}'],
  ['.claude.json', '{"numStartups": 1, "mcpServers": {"a": {"command": "x", "args": []}}}'],
])('%s: a command is wrapped in place, and restored exactly: %s', async (name, text) => {
  const file = write(name, text);
  expect((await wrapServers(file, options)).servers).toEqual([{ name: 'a', outcome: 'done' }]);
  expect(readFileSync(file, 'utf8')).toContain('"standpipe"');
  expect((await wrapServers(file, options)).servers).toEqual([{ name: 'a', outcome: 'already' }]);
  await unwrapServers(file, options);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each([
  ['.codex/config.toml', '[mcp_servers.a]\ncommand = "x"\n', 'codex'],
  ['.continue/config.yaml', 'mcpServers:\n  - name: a\n    command: x\n', 'continue'],
  ['opencode.json', '{"mcp": {"a": {"type": "local", "command": ["x", "1"]}}}', 'opencode'],
])('%s cannot be changed in place, and the error names another way', async (name, text, host) => {
  const file = write(name, text);
  const message = expect.stringContaining('cannot be changed in place');
  const hint = expect.stringContaining(`standpipe export ${host} --connect`);
  await expect(wrapServers(file, options)).rejects.toMatchObject({ code: 'CONFIG_INVALID', message, hint });
  expect(readFileSync(file, 'utf8')).toBe(text);
});
