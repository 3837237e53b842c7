// The remaining commands: their output if stdout is a pipe, and the shapes of their --json documents, which are stable.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lacks } from '../fixtures/windows.ts';
import {
  calculatorEntry,
  dangerous,
  everything,
  everythingEntry,
  finished,
  folder,
  hostile,
  program,
  runCli,
  startCli,
  writeConfig,
} from './run-cli.ts';

const json = async (...args: string[]) => {
  const { code, stdout } = await runCli([...args, '--json']);
  return { code, ...JSON.parse(stdout) };
};

// The help of each command is tested in src/app/cli/run-command.test.ts.
test('--version prints the version of the package, and requested help goes to stdout', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const { stdout } = await runCli(['--help']);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name!);
  expect(names).toEqual(expect.arrayContaining(['up', 'ls', 'start', 'stop', 'restart', 'tools', 'call', 'read']));
  const help = await runCli(['call', '--help']);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('$ standpipe call'), stderr: '' });
  expect(await runCli([])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: standpipe') });
});

describe('ls and config', () => {
  const config = writeConfig('ls.json', {
    first: { ...everythingEntry, env: { API_KEY: 'sk-secret-123' } },
    second: { command: 'no-such', enabled: false },
    wrong: { command: 5 },
    far: { type: 'http', url: 'https://u:sk-secret@example.com/mcp', headers: { 'X-Key': 'sk-secret-456' } },
  });

  test('ls lists the servers of the config without starting them', async () => {
    const { code, stdout, stderr } = await runCli(['ls', '--config', config]);
    expect(code).toBe(0);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t').slice(0, 2))).toEqual([
      ['first', 'stopped'],
      ['second', 'disabled'],
      ['far', 'stopped'],
      ['wrong', 'rejected'],
    ]);
    expect(stderr).toContain('No host is running');
  });

  test('ls --json prints the servers and their states', async () => {
    const { running, servers } = await json('ls', '--config', config);
    expect(running).toBe(false);
    expect(servers[0]).toEqual({
      name: 'first',
      source: { file: config, line: 3, column: 5 },
      share: 'all',
      questions: { attribution: 'pending calls', alone: [], refused: 0 },
      processes: [],
      waiting: 0,
      state: 'stopped',
      reason: 'not started yet',
      protocol: 'mcp',
      pid: null,
      uptimeMs: 0,
      restarts: 0,
      calls: 0,
      errors: 0,
    });
  });

  test('config reports errors with their position, hides secrets, and exits with 2', async () => {
    const { code, stdout, stderr } = await runCli(['config', '--config', config]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^first\tenabled\tmcp\t.*everything\.mjs['"]?\tAPI_KEY\t.*ls\.json:3$/m);
    expect(stdout).toMatch(/^wrong\trejected\t/m);
    expect(stdout).toMatch(/^far\tenabled\tmcp\thttps:\/\/example\.com\/mcp\tX-Key,Authorization\t.*ls\.json:19$/m);
    expect(stderr).toMatch(/error: .*ls\.json:\d+:\d+: server "wrong": "command" must be/);
    expect(stdout + stderr).not.toContain('sk-secret');
  });

  test('config --json prints entries and problems', async () => {
    const described = await json('config', '--config', config);
    expect(described).toMatchObject({
      code: 2,
      searched: [config],
      files: [{ file: config, origin: 'named', usable: true, envFiles: [], servers: ['first', 'second', 'far'] }],
      shadowed: [],
      problems: expect.arrayContaining([expect.objectContaining({ severity: 'error', server: 'wrong' })]),
    });
    expect(described.servers[0]).toMatchObject({ name: 'first', status: 'enabled', env: { API_KEY: '[env API_KEY]' } });
    expect(JSON.stringify(described)).not.toContain('sk-secret');
  });

  test('config exits with 0 for a valid config, and with 2 without a config', async () => {
    const good = writeConfig('good.json', { one: everythingEntry });
    expect(await runCli(['config', '--config', good])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('No problems found'),
    });
    mkdirSync(join(folder, 'empty'), { recursive: true });
    const none = await runCli(['config'], { cwd: join(folder, 'empty') });
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('There is no config');
  });

  test('--discover: config and ls show which host and file each server comes from, and what is overridden', async () => {
    const home = join(folder, 'home');
    const write = (file: string, text: string) => {
      mkdirSync(join(home, dirname(file)), { recursive: true });
      writeFileSync(join(home, file), text);
    };
    write('.codex/config.toml', '[mcp_servers.one]\ncommand = "node"\n');
    write('.continue/config.yaml', 'mcpServers:\n  - name: two\n    command: node\n  - name: one\n    command: node\n');
    const options = { cwd: folder, env: { HOME: home, USERPROFILE: home } };
    const [shown, listed] = await Promise.all([
      runCli(['config', '--discover'], options),
      runCli(['ls', '--discover'], options),
    ]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toMatch(/^one\tenabled\tmcp\tnode\t\t.*config\.toml:1$/m);
    expect(shown.stderr).toMatch(/config\.toml \(Codex, user\)\n.*config\.yaml \(Continue, user\)/);
    expect(shown.stderr).toMatch(/"one" in .*config\.yaml:4 is overridden by .*config\.toml:1/);
    expect(listed.stdout).toMatch(/^one\tstopped\t.*config\.toml:1\t$/m);
    expect(listed.stdout).toMatch(/^two\tstopped\t.*config\.yaml:2\t$/m);

    write('.cursor/mcp.json', '{"mcpServers": {');
    expect((await runCli(['ls', '--discover'], options)).stderr).toMatch(/^ignored: .*mcp\.json:1:17: Not JSON/m);
  });

  test('start, stop and restart require a host', async () => {
    for (const verb of ['start', 'stop', 'restart']) {
      const ran = await runCli([verb, 'first', '--config', config]);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain('No host is running for this config\nhint: Start one with `standpipe up`');
    }
  });
});

describe('tools', () => {
  test('prints one line per tool in a pipe, separated by tabs', async () => {
    const { code, stdout, stderr } = await runCli(['tools', ...everything]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('everything\tgreet\tname=<string>\tGreets\n');
    expect(stdout).toContain('[mode=<one of: fast, slow, 3>] [maybe=<string or null>]');
  });

  test('--json prints definitions with server and address, and lists servers that failed', async () => {
    const config = writeConfig('tools.json', {
      one: everythingEntry,
      calculator: calculatorEntry,
      broken: { command: 'no-such-command' },
    });
    const { code, tools, failed } = await json('tools', '--config', config);
    expect(code).toBe(3);
    expect(tools.find((tool: { name: string }) => tool.name === 'greet')).toEqual({
      server: 'one',
      name: 'greet',
      address: 'greet',
      sharedWith: [],
      description: 'Greets',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    expect(tools.at(-1)).toMatchObject({ server: 'calculator', name: 'Calculator' });
    expect(failed).toEqual([
      { server: 'broken', error: expect.objectContaining({ code: 'COMMAND_NOT_FOUND', exitCode: 3 }) },
    ]);
  });
});

test('litemcp serve offers one tool of an MCP server to LiteMCP clients', async () => {
  const { stdout } = await runCli([
    'call',
    'World',
    '--litemcp',
    '--',
    process.execPath,
    program,
    'litemcp',
    'serve',
    '--tool',
    'greet',
    ...everything,
  ]);
  expect(stdout).toBe('Hello, World!\n');
});

test('tap passes all messages', async () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  const { stdout } = await runCli(['tap', ...everything], { input: ping });
  expect(stdout).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
});

test.skipIf(lacks.signals)('inspect prints its address, and exits at Ctrl-C', async () => {
  const child = startCli(['inspect', '--port', '0', '--json', ...everything]);
  child.stdout.once('data', () => child.kill('SIGINT'));
  const { code, stdout } = await finished(child);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?token=/),
    port: expect.any(Number),
  });
});

describe('inspect refuses', () => {
  const hint = '`standpipe inspect` without arguments shows running hosts and taps.';

  test('a missing recording, with its path and how to record one', async () => {
    const { code, stdout, stderr } = await runCli(['inspect', 'nofile.jsonl']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error: There is no recording ${join(folder, 'nofile.jsonl')}\n` +
        `hint: \`standpipe tap --record nofile.jsonl -- <command …>\` writes one; ${hint}\n`,
    );
    mkdirSync(join(folder, 'folder.jsonl'));
    expect((await runCli(['inspect', 'folder.jsonl'])).stderr).toMatch(/^error: folder\.jsonl is not a file\nhint: /);
  });

  test('a word that is neither a recording nor a server', async () => {
    expect((await runCli(['inspect', 'nothing'])).stderr).toBe(
      `error: There is no recording and no server named "nothing"\nhint: There is no config with servers here; ${hint}\n`,
    );
    const config = writeConfig('inspect.json', { weather: everythingEntry });
    expect(await runCli(['inspect', 'wether', '--config', config])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: There is no recording and no server named "wether"\nhint: Did you mean "weather"? There are: weather; ${hint}\n`,
    });
  });
});

test('tap prints errors in the form of all commands', async () => {
  const { code, stderr } = await runCli(['tap', '--', 'no-such-command']);
  expect(code).toBe(127);
  expect(stderr).toMatch(
    /^error: Cannot find the command "no-such-command": it is not in any folder of PATH\.\nhint: .*\n$/,
  );
  const called = await runCli(['tools', '--', 'no-such-command']);
  expect(called.stderr.replace('  command: no-such-command\n', '')).toMatch(
    /^error: Cannot find the command [^\n]*of PATH\.\nhint: /,
  );
  const wrong = await runCli(['tap', '--recrod', 'x', ...everything]);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toMatch(/^error: Unknown option --recrod\nhint: standpipe tap \[.*\n$/);
});

describe('output of a hostile server in a pipe', () => {
  test('content is printed unchanged, and names cannot break lines', async () => {
    const { stdout } = await runCli(['call', 'says', ...hostile]);
    expect(stdout).toBe('\x1b]0;owned\x07\x1b[2Jevil\u202e\u009b31m\x7f\n');
    const { stdout: listed } = await runCli(['tools', ...hostile]);
    expect(listed.split('\n')).toHaveLength(5);
    expect(listed.split('\n')[0]!.split('\t')).toHaveLength(4);
    expect(listed).not.toContain('\x1b');
  });

  test('errors contain no control characters, and JSON escapes them', async () => {
    for (const tool of ['fails', 'refuses']) {
      const { stderr } = await runCli(['call', tool, ...hostile]);
      expect(stderr).toContain('\\x1b]0;owned\\x07\\x1b[2Jevil\\u202e\\x9b31m\\x7f');
      expect(dangerous(stderr)).toEqual([]);
    }
    const { stdout } = await runCli(['call', 'says', '--json', ...hostile]);
    expect(dangerous(stdout)).toEqual([]);
    expect(JSON.parse(stdout).content[0].text).toContain('\u009b31m\x7f');
  });
});

test('ls of a config without servers prints how to add one', async () => {
  const config = writeConfig('empty.json', {});
  expect(await runCli(['ls', '--config', config])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'The config has no servers. Add one: standpipe add <name> -- <command …>\n',
  });
});
