// The servers that `--discover` finds in a home folder and a project that contain the files of every host, each in its
// own format.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LoadOptions, loadConfig, surveyConfig } from '../../src/config/files/load-config.ts';
import { lacks } from '../fixtures/windows.ts';

let folder: string;
let options: LoadOptions;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'standpipe-discover-'));
  const env = { TOKEN: 's3cret' };
  options = { cwd: join(folder, 'project'), home: join(folder, 'home'), env, platform: 'linux', discover: true };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, content: object | string): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const authorized = { headers: { Authorization: 'Bearer s3cret' } };

/** Every file, with a text that has other settings if the host allows them, and the server in it. */
const files: [file: string, text: string, server: object][] = [
  [
    'project/.mcp.json',
    '{"mcpServers": {"a": {"type": "http", "url": "https://a.test"}}}',
    { name: 'a', transport: 'http' },
  ],
  ['project/.cursor/mcp.json', '{"mcpServers": {"b": {"command": "b"}}}', { name: 'b', command: 'b' }],
  ['project/.vscode/mcp.json', '{"servers": {"c": {"type": "stdio", "command": "c"}}}', { name: 'c', command: 'c' }],
  [
    'project/.codex/config.toml',
    'model = "x"\n\n[mcp_servers.d]\nurl = "https://d.test"\nbearer_token_env_var = "TOKEN"\n',
    { name: 'd', url: 'https://d.test', ...authorized },
  ],
  [
    'project/.zed/settings.json',
    '{"tab_size": 2, "context_servers": {"e": {"command": {"path": "e", "args": ["1"]}}}}',
    { name: 'e', command: 'e', args: ['1'] },
  ],
  [
    'project/.gemini/settings.json',
    '{"theme": "x", "mcpServers": {"f": {"httpUrl": "https://f.test"}}}',
    { name: 'f', url: 'https://f.test', transport: 'http' },
  ],
  ['project/.junie/mcp/mcp.json', '{"mcpServers": {"g": {"command": "g"}}}', { name: 'g', command: 'g' }],
  [
    'project/.continue/mcpServers/some.yaml',
    'name: Some\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: h\n    type: sse\n    url: https://h.test\n    requestOptions:\n      headers:\n        Authorization: Bearer ${{ secrets.TOKEN }}\n',
    { name: 'h', transport: 'sse', ...authorized },
  ],
  ['project/.continue/mcpServers/i.json', '{"command": "i"}', { name: 'i', command: 'i' }],
  [
    'home/.config/Claude/claude_desktop_config.json',
    '{"globalShortcut": "x", "mcpServers": {"j": {"command": "j"}}}',
    { name: 'j', command: 'j' },
  ],
  [
    'home/.claude.json',
    '{"numStartups": 1, "mcpServers": {"k": {"command": "k", "args": ["${TOKEN}"]}}}',
    { name: 'k', args: ['s3cret'] },
  ],
  [
    'home/.cursor/mcp.json',
    '{"mcpServers": {"l": {"url": "https://l.test", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}}}',
    { name: 'l', transport: 'auto', ...authorized },
  ],
  [
    'home/.config/Code/User/mcp.json',
    '{"servers": {"m": {"command": "m"}}, "inputs": []}',
    { name: 'm', command: 'm' },
  ],
  [
    'home/.codex/config.toml',
    '[mcp_servers."n"]\ncommand = "n"\nenv = { A = "1" }\nstartup_timeout_sec = 20\n[mcp_servers.n.tools.x]\napproval_mode = "auto"',
    { name: 'n', env: { A: '1' }, startupTimeoutMs: 20_000 },
  ],
  [
    'home/.codeium/windsurf/mcp_config.json',
    '{"mcpServers": {"o": {"serverUrl": "https://o.test"}}}',
    { name: 'o', url: 'https://o.test' },
  ],
  [
    'home/.config/zed/settings.json',
    '// Zed\n{"context_servers": {"p": {"source": "custom", "enabled": false, "command": "p", "args": [],},},}',
    { name: 'p', enabled: false },
  ],
  [
    'home/.cline/data/settings/cline_mcp_settings.json',
    '{"mcpServers": {"q": {"url": "https://q.test", "disabled": false, "autoApprove": [], "timeout": 30}}}',
    { name: 'q', transport: 'sse', requestTimeoutMs: 30_000 },
  ],
  [
    'home/.gemini/settings.json',
    '{"mcpServers": {"r": {"command": "r", "env": {"KEY": "$TOKEN"}, "trust": true, "includeTools": ["t"]}}}',
    { name: 'r', env: { KEY: 's3cret' }, tools: { allow: ['t'] } },
  ],
  ['home/.junie/mcp/mcp.json', '{"mcpServers": {"s": {"command": "s"}}}', { name: 's', command: 's' }],
  [
    'home/.config/github-copilot/intellij/mcp.json',
    '{"servers": {"t": {"url": "https://t.test", "requestInit": {"headers": {"Authorization": "Bearer ${TOKEN}"}}}}}',
    { name: 't', ...authorized },
  ],
  [
    'home/.continue/config.yaml',
    'name: Mine\nmodels: []\nmcpServers:\n  - name: u\n    command: u\n    args: [-y, "1"]\n',
    { name: 'u', args: ['-y', '1'] },
  ],
  [
    'project/.github/mcp.json',
    '{"mcpServers": {"v": {"type": "local", "command": "v", "tools": ["*"]}}}',
    { name: 'v', command: 'v' },
  ],
  ['home/.copilot/mcp-config.json', '{"mcpServers": {"w": {"type": "sse", "url": "https://w.test"}}}', { name: 'w' }],
  [
    'home/.kiro/settings/mcp.json',
    '{"mcpServers": {"x": {"command": "x", "disabled": true}}}',
    { name: 'x', enabled: false },
  ],
  [
    'home/.config/opencode/opencode.json',
    '{"$schema": "s", "theme": "t", "mcp": {"y": {"type": "local", "command": ["y", "1"]}}}',
    { name: 'y', command: 'y', args: ['1'] },
  ],
];

test.skipIf(lacks.posixPaths)(
  'finds the servers of every host, reads them in its format, and locates them in its file',
  async () => {
    for (const [file, text] of files) write(file, text);
    const config = await loadConfig(options);
    expect(config.problems).toEqual([]);
    expect(config.shadowed).toEqual([]);
    const byName = config.servers.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(byName).toMatchObject(
      files.map(([file, text, server]) => {
        const { name } = server as { name: string };
        const line = text.split('\n').findIndex((each) => new RegExp(`\\b${name}\\b`).test(each)) + 1;
        return { ...server, source: { file: join(folder, file), line } };
      }),
    );
  },
);

test.skipIf(lacks.posixPaths)(
  'a broken file of one host hides no servers of others, and its error is located',
  async () => {
    for (const [file, text] of files) write(file, text);
    const all = (await surveyConfig(options)).servers.map(({ name }) => name);
    for (const [file, text, server] of files) {
      const { name } = server as { name: string };
      const path = write(file, file.endsWith('.yaml') ? 'mcpServers:\n  - name: "s3cret' : '\n{"mcpServers": s3cret');
      const { servers, problems } = await surveyConfig(options);
      expect(servers.map((each) => each.name)).toEqual(all.filter((each) => each !== name));
      expect(problems).toMatchObject([
        { severity: 'error', file: path, line: 2, message: expect.stringMatching(/^Not /) },
      ]);
      expect(JSON.stringify(problems)).not.toContain('s3cret');
      write(file, text);
    }
  },
);

test.skipIf(lacks.posixPaths)(
  'Claude Code: local servers of a project override its shared servers, which override those of the user',
  async () => {
    const { cwd } = options;
    const shared = write('project/.mcp.json', { mcpServers: { a: { command: 'no' }, b: { command: 'project' } } });
    const own = write('home/.claude.json', {
      mcpServers: { a: { command: 'no' }, b: { command: 'no' }, c: { command: 'user' } },
      projects: {
        [cwd!]: { disabledMcpServers: ['c'], mcpServers: { a: { command: 'local' } } },
        '/elsewhere': { mcpServers: { d: { command: 'no' } } },
      },
    });
    const { servers, shadowed, files } = await loadConfig(options);
    expect(servers.map((server) => [server.name, server.command])).toEqual([
      ['a', 'local'],
      ['b', 'project'],
      ['c', 'user'],
    ]);
    expect(servers.map(({ enabled }) => enabled)).toEqual([true, true, false]);
    expect(shadowed.map(({ name, source, by }) => [name, source.file, by.file])).toEqual([
      ['a', shared, own],
      ['a', own, own],
      ['b', own, shared],
    ]);
    expect(files.map(({ origin, scope }) => [origin, scope])).toEqual([
      ['claude-code', 'local'],
      ['claude-code', 'project'],
      ['claude-code', 'user'],
    ]);
  },
);

test.skipIf(lacks.posixPaths)(
  'empty files, files without servers, and files that other programs run are not reported',
  async () => {
    write('home/.codeium/windsurf/mcp_config.json', '');
    write('home/.codex/config.toml', '');
    write('home/.continue/config.yaml', '# nothing yet\n');
    write('home/.claude.json', '{"projects": {"/elsewhere": {}}}');
    const zed = write(
      'home/.config/zed/settings.json',
      '{\n"context_servers": {"x": {"source": "extension", "settings": {}}}}',
    );
    const { servers, problems, files } = await loadConfig(options);
    expect([servers, files.length]).toEqual([[], 6]);
    expect(problems).toMatchObject([{ severity: 'warning', server: 'x', file: zed, line: 2 }]);
    rmSync(join(folder, 'home'), { recursive: true });
    write('home/.codeium/windsurf/mcp_config.json', '');
    await expect(loadConfig(options)).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
  },
);
