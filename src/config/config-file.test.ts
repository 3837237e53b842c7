import { expect, test } from 'vitest';
import { file, marked, read, readOne, settingsByDefault } from './read-text.contract.ts';
import { type CommandConfig, defaultRestart, defaultShare } from './server-config.ts';

test('an entry has all defaults', async () => {
  const { servers, problems, usable } = await read('{"mcpServers": {\n  "one": {"command": "node"}}}');
  expect(problems).toEqual([]);
  expect(usable).toBe(true);
  expect(servers).toEqual([
    {
      ...settingsByDefault,
      name: 'one',
      command: 'node',
      args: [],
      env: {},
      cwd: '/project',
      enabled: true,
      protocol: 'mcp',
      framing: undefined,
      stop: {},
      keepDaemons: false,
      secrets: [],
      source: { file, line: 2, column: 3 },
    },
  ]);
});

test.each([
  ['standpipe', ['connect', 'one'], true],
  ['node', ['/x/cli/main.cjs', 'connect', '--all'], true],
  ['npx', ['-y', 'standpipe', 'connect', 'one', '--config', './mcp.json'], true],
  ['standpipe', ['connect', 'another'], false],
  ['standpipe', ['connect', 'one', '--config', '/elsewhere/mcp.json'], false],
  ['standpipe', ['connect', '--', 'one'], false],
  ['standpipe', ['tap', '--', 'one'], false],
])('refuses an entry that connects to itself: %s %j', async (command, args, isRefused) => {
  const { servers, problems } = await read(JSON.stringify({ mcpServers: { one: { command, args } } }));
  expect(servers).toHaveLength(isRefused ? 0 : 1);
  expect(problems.map(({ message }) => message)).toEqual(isRefused ? ['This entry connects to itself'] : []);
});

test('an entry can set every key', async () => {
  const entry = {
    type: 'stdio',
    command: 'java',
    args: ['-jar', 'server.jar'],
    env: { PORT: 80, NAME: 'x', NONE: null },
    cwd: 'sub',
    enabled: true,
    autoStart: false,
    protocol: 'litemcp',
    framing: 'fixed-length:64',
    era: 'legacy',
    revision: '2025-03-26',
    startupTimeoutMs: 5,
    requestTimeoutMs: 6,
    maxFrameBytes: 7,
    maxFrameValues: 8,
    restart: { policy: 'always', maxRestarts: 0, periodMs: 1, backoffMs: 2, maxBackoffMs: 3, resetAfterMs: 4 },
    stop: { stdinMs: 0, sigtermMs: 1, sigkillMs: 2 },
    share: { by: 'principal', maxProcesses: 3, idleMs: 4 },
    asks: ['book'],
    clientCapabilities: ['roots'],
    tools: { allow: ['a*'], deny: ['ab'] },
  };
  const { server, problems } = await readOne(entry);
  const { type, ...rest } = entry;
  expect(problems).toEqual([]);
  expect(server).toMatchObject({ ...rest, env: { PORT: '80', NAME: 'x' }, cwd: '/project/sub' });
});

test('reads both shapes, and both in one file', async () => {
  const { servers, problems } = await read(
    '{"servers": {"b": {"command": "b"}}, "mcpServers": {"a": {"command": "a"}}}',
  );
  expect(problems).toEqual([]);
  expect(servers.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('accepts comments, trailing commas and a byte order mark', async () => {
  const text = '\uFEFF// one\n{"mcpServers": {/* two */ "a": {"command": "a", "args": ["x",],},},}\n';
  const { servers, problems } = await read(text);
  expect(problems).toEqual([]);
  expect(servers).toMatchObject([{ name: 'a', args: ['x'], source: { line: 2, column: 27 } }]);
});

test.each([
  [{ enabled: false }, false],
  [{ disabled: true }, false],
  [{ enabled: true }, true],
  [{ disabled: false }, true],
  [{ enabled: true, disabled: false }, true],
])('%j', async (entry, enabled) => {
  const { server, problems } = await readOne({ command: 'x', ...entry });
  expect(problems).toEqual([]);
  expect(server!.enabled).toBe(enabled);
});

test('an entry that is both enabled and disabled is disabled, with a warning', async () => {
  const { server, problems } = await readOne({ command: 'x', enabled: true, disabled: true });
  expect(server!.enabled).toBe(false);
  expect(problems).toMatchObject([{ severity: 'warning', message: expect.stringContaining('contradict') }]);
});

test('a disabled entry is not expanded, and lacks no variables', async () => {
  const entry = { command: '${NOWHERE}', env: { A: '${input:b}' }, envFile: 'none', disabled: true };
  const { server, problems } = await readOne(entry, { askInput: () => expect.fail('nobody is asked') });
  expect(problems).toEqual([]);
  expect(server).toMatchObject({ command: '${NOWHERE}', env: { A: '${input:b}' } });
});

test('share may be only the mode', async () => {
  const { server } = await readOne({ command: 'x', share: 'client' });
  expect(server!.share).toEqual({ ...defaultShare, by: 'client' });
});

test('tasks are off by default, and have a default time', async () => {
  expect((await readOne({ command: 'x' })).server!.tasks).toBeUndefined();
  expect((await readOne({ command: 'x', tasks: {} })).server!.tasks).toEqual({ afterMs: 10_000 });
  expect((await readOne({ command: 'x', tasks: { after: '1.5m' } })).server!.tasks).toEqual({ afterMs: 90_000 });
});

test('restart may be only the policy', async () => {
  const { server } = await readOne({ command: 'x', restart: 'never' });
  expect(server!.restart).toEqual({ ...defaultRestart, policy: 'never' });
});

test('tools may be only the list of allowed tools', async () => {
  const { server } = await readOne({ command: 'x', tools: ['*'] });
  expect(server!.tools).toEqual({ allow: ['*'] });
});

/** `§` marks the expected position of the problem. */
const wrong: [what: string, text: string, message: RegExp, suggestion?: RegExp][] = [
  [
    'a duration without a unit',
    '{"mcpServers": {"a": {"command": "x", "tasks": {"after": §"10"}}}}',
    /"after" is not a duration/,
    /"10s"/,
  ],
  [
    'a command of the wrong type',
    '{"mcpServers": {"a": {\n  "command": §["npx"]}}}',
    /"command" must be a string, not an array/,
    /"args"/,
  ],
  ['no command', '{"mcpServers": {"a": §{"args": []}}}', /There is no "command"/, /"command"/],
  ['a slip in command', '{"mcpServers": {"a": §{"comand": "x"}}}', /There is no "command"/, /instead of "comand"/],
  ['another word for command', '{"mcpServers": {"a": §{"cmd": "x"}}}', /There is no "command"/, /instead of "cmd"/],
  ['a slip in url', '{"mcpServers": {"a": §{"ur": "https://x.test"}}}', /no "url"/, /instead of "ur"/],
  ['an empty command', '{"mcpServers": {"a": {"command": §" "}}}', /"command" is empty/],
  [
    'args as text',
    '{"mcpServers": {"a": {"command": "x",\n"args": §"-y z"}}}',
    /"args" must be an array of strings, not a string/,
    /one string for each/,
  ],
  [
    'a number in args',
    '{"mcpServers": {"a": {"command": "x", "args": ["a",\n §8080]}}}',
    /"args"\[1\] must be a string, not a number/,
    /"8080"/,
  ],
  [
    'a boolean in env',
    '{"mcpServers": {"a": {"command": "x", "env": {"A": §true}}}}',
    /"env"."A" must be a string/,
    /"true"/,
  ],
  [
    'env as a list',
    '{"mcpServers": {"a": {"command": "x", "env": §["A=1"]}}}',
    /"env" must be an object, not an array/,
    /"NAME": "value"/,
  ],
  [
    'a name of a variable that is none',
    '{"mcpServers": {"a": {"command": "x", "env": {§"A=B": "1"}}}}',
    /"A=B" is not a valid variable name/,
  ],
  [
    'enabled as text',
    '{"mcpServers": {"a": {"command": "x", "enabled": §"true"}}}',
    /"enabled" must be true or false, not a string/,
    /quotes/,
  ],
  [
    'autoStart as a number',
    '{"mcpServers": {"a": {"command": "x", "autoStart": §1}}}',
    /"autoStart" must be true or false, not a number/,
  ],
  [
    'an unknown protocol',
    '{"mcpServers": {"a": {"command": "x", "protocol": §"litmcp"}}}',
    /"protocol" must be one of "mcp", "litemcp"/,
    /"litemcp"\?/,
  ],
  [
    'an unknown revision',
    '{"mcpServers": {"a": {"command": "x", "revision": §"2025-06-19"}}}',
    /must be one of "2026-07-28".*/,
    /2025-06-18/,
  ],
  [
    'a revision of another era',
    '{"mcpServers": {"a": {"command": "x", "era": "modern", "revision": §"2025-06-18"}}}',
    /2025-06-18 does not belong to the modern era/,
  ],
  [
    'an unknown framing',
    '{"mcpServers": {"a": {"command": "x", "framing": §"newlines"}}}',
    /Unknown framing "newlines"/,
    /"newline"\?/,
  ],
  ['a framing out of range', '{"mcpServers": {"a": {"command": "x", "framing": §"fixed-length:99999999999999"}}}', /./],
  [
    'a timeout of nothing',
    '{"mcpServers": {"a": {"command": "x", "startupTimeoutMs": §0}}}',
    /"startupTimeoutMs" must be an integer from 1 to 2147483647, not 0/,
  ],
  [
    'a timeout too long for timers',
    '{"mcpServers": {"a": {"command": "x", "requestTimeoutMs": §2147483648}}}',
    /2147483647/,
  ],
  [
    'a message longer than any string',
    '{"mcpServers": {"a": {"command": "x", "maxFrameBytes": §536870889}}}',
    /"maxFrameBytes" must be an integer from 1 to 536870888/,
  ],
  [
    'a timeout in words',
    '{"mcpServers": {"a": {"command": "x", "requestTimeoutMs": §"60s"}}}',
    /integer.*not a string/,
  ],
  [
    'half a restart',
    '{"mcpServers": {"a": {"command": "x", "restart": {"maxRestarts": §1.5}}}}',
    /"maxRestarts" must be an integer/,
  ],
  [
    'an unknown policy',
    '{"mcpServers": {"a": {"command": "x", "restart": §"allways"}}}',
    /one of "always", "on-failure", "never"/,
    /"always"\?/,
  ],
  [
    'an unknown way to share',
    '{"mcpServers": {"a": {"command": "x", "share": §"clients"}}}',
    /one of "all", "principal", "client", "call"/,
    /"client"\?/,
  ],
  [
    'a wrong word about who asks',
    '{"mcpServers": {"a": {"command": "x", "asks": §"book"}}}',
    /"asks" must be an array of strings/,
    /"asks": true/,
  ],
  [
    'an unknown capability of clients',
    '{"mcpServers": {"a": {"command": "x", "clientCapabilities": [§"tools"]}}}',
    /must be a list of "elicitation", "sampling", "roots"/,
  ],
  [
    'no process at all',
    '{"mcpServers": {"a": {"command": "x", "share": {"by": "client", "maxProcesses": §0}}}}',
    /"maxProcesses" must be an integer from 1/,
  ],
  [
    'restart as a boolean',
    '{"mcpServers": {"a": {"command": "x", "restart": §false}}}',
    /"restart" must be an object/,
    /"never"/,
  ],
  [
    'a negative wait',
    '{"mcpServers": {"a": {"command": "x", "stop": {"stdinMs": §-1}}}}',
    /"stdinMs" must be an integer from 0/,
  ],
  [
    'tools that are no patterns',
    '{"mcpServers": {"a": {"command": "x", "tools": {"deny": [§1]}}}}',
    /"deny"\[0\] must be a string/,
  ],
  ['an empty pattern', '{"mcpServers": {"a": {"command": "x", "tools": {"deny": ["a", §""]}}}}', /empty pattern/],
  ['a server that is a string', '{"mcpServers": {"a": §"npx server"}}', /must be an object/, /"command"/],
  ['a server without a name', '{"mcpServers": {§"": {"command": "x"}}}', /needs a name/],
  [
    'an unknown type',
    '{"mcpServers": {"a": {"type": §"stdoi", "command": "x"}}}',
    /"type" must be "stdio"/,
    /"stdio"\?/,
  ],
  [
    'a variable that is not set',
    '{"mcpServers": {"a": {"command": "x",\n\t"args": ["a", §"--x=${NOPE}"]}}}',
    /Variable NOPE is not set/,
    /\$\{NOPE:-default\}/,
  ],
  [
    'a variable with a slip',
    '{"mcpServers": {"a": {"command": "x", "env": {"A": §"${env:HOMES}"}}}}',
    /Variable HOMES is not set/,
    /"HOME"\?/,
  ],
  [
    'an input that is not declared',
    '{"mcpServers": {"a": {"command": "x", "env": {"A": §"${input:key}"}}}}',
    /Input "key" is not in "inputs"/,
    /STANDPIPE_INPUT_KEY/,
  ],
  [
    'a variable of VS Code',
    '{"mcpServers": {"a": {"command": "x", "args": [§"${config:a.b}"]}}}',
    /only inside VS Code/,
    /\$\$\{config:a\.b\}/,
  ],
  [
    'a scope with a slip',
    '{"mcpServers": {"a": {"command": "x", "args": [§"${ENV:A}"]}}}',
    /\$\{ENV:A\} is not a known variable/,
    /"env"\?/,
  ],
  [
    'a pattern of a shell',
    '{"mcpServers": {"a": {"command": "sh", "args": ["-c", §"echo ${HOME%/}"]}}}',
    /\$\{HOME…\} is not a variable/,
    /\$\$\{ instead of/,
  ],
  [
    'a variable without an end',
    '{"mcpServers": {"a": {"command": "x", "args": [§"${A"]}}}',
    /"\$\{" has no closing/,
    /\$\$\{/,
  ],
  ['a NUL', '{"mcpServers": {"a": {"command": "x", "args": [§"a\\u0000b"]}}}', /NUL/],
  [
    'an envFile that is not there',
    '{"mcpServers": {"a": {"command": "x", "envFile": §".env"}}}',
    /"envFile" \/project\/.env cannot be read/,
  ],
];

test.each(wrong)('%s disables only its entry and reports the position', async (_, withMark, message, suggestion) => {
  const { text, at } = marked(withMark);
  const withGood = text.replace(/\}\s*\}$/, ', "good": {"command": "good"}}}');
  const { servers, rejected, problems, usable } = await read(withGood, { env: { HOME: '/home/ada' } });
  expect(usable).toBe(true);
  expect(servers.map(({ name }) => name)).toEqual(['good']);
  const errors = problems.filter(({ severity }) => severity === 'error');
  expect(errors).toEqual([
    {
      ...at,
      severity: 'error',
      code: /not set|is not in/.test(String(message)) ? 'VARIABLE_NOT_SET' : 'CONFIG_INVALID',
      server: expect.any(String),
      message: expect.stringMatching(message),
      ...(suggestion
        ? { suggestion: expect.stringMatching(suggestion) }
        : errors[0]?.suggestion && { suggestion: expect.anything() }),
    },
  ]);
  expect(rejected).toMatchObject([{ message: errors[0]!.message }]);
});

const unusable: [what: string, text: string, message: RegExp, suggestion?: RegExp][] = [
  ['nothing', '§', /empty/, /mcpServers/],
  ['blanks', '§ \n ', /empty/],
  ['only a comment', '// nothing§', /a value is expected here/],
  ['a missing comma', '{"mcpServers": {\n "a": {"command": "x"}\n §"b": {}}}', /comma is missing/],
  ['a missing brace', '{"mcpServers": {"a": {"command": "x"}}§', /a } is missing/],
  ['too many braces', '{"mcpServers": {}}\n§}', /after the end of the JSON/],
  [
    'a Windows path with single backslashes',
    '{"mcpServers": {"a": {"command": §"C:\\Users\\x"}}}',
    /backslash/,
    /Windows paths/,
  ],
  ['single quotes', "{§'mcpServers': {}}", /./, /double quotes/],
  ['Python', '{"mcpServers": {"a": {"enabled": §True}}}', /True is not a JSON value/],
  ['a string over two lines', '{"mcpServers": {"a": {"command": §"x\ny"}}}', /not closed on its line/],
  ['an open comment', '{"mcpServers": {}} §/* x', /comment is not closed/],
  ['a list', '§[1, 2]', /must be an object/, /mcpServers/],
  ['a string', '§"mcpServers"', /must be an object/],
  ['null', '  §null', /must be an object/],
  ['no servers', '§{"inputs": []}', /no "mcpServers"/, /mcpServers/],
  ['servers without a group', '§{"a": {"command": "x"}}', /no "mcpServers"/, /Put the servers into/],
  ['servers in a list', '{"mcpServers": §[{"command": "x"}]}', /"mcpServers" must be an object, not an array/],
];

test.each(unusable)('refuses a file: %s', async (_, withMark, message, suggestion) => {
  const { text, at } = marked(withMark);
  const { servers, rejected, problems, usable } = await read(text);
  expect({ servers, rejected, usable }).toEqual({ servers: [], rejected: [], usable: false });
  const error = problems.find(({ severity }) => severity === 'error')!;
  expect(error).toMatchObject({ ...at, code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
  if (suggestion) expect(error.suggestion).toMatch(suggestion);
});

test('an endlessly nested file is a problem and does not end the process', async () => {
  const { usable, problems } = await read('['.repeat(200_000));
  expect(usable).toBe(false);
  expect(problems).toMatchObject([{ severity: 'error', line: 1, column: 1 }]);
});

const warned: [what: string, text: string, message: RegExp, suggestion?: RegExp][] = [
  [
    'an unknown key',
    '{"mcpServers": {"a": {"command": "x",\n  §"autostart": false}}}',
    /Unknown key "autostart"/,
    /"autoStart"\?/,
  ],
  ['an unknown key like no other', '{"mcpServers": {"a": {"command": "x", §"foo": 1}}}', /Unknown key "foo"/],
  [
    'a slip in oauth',
    '{"mcpServers": {"a": {"url": "https://x.test", "oauth": {§"clientID": "x"}}}}',
    /Unknown key "clientID"/,
    /Did you mean "clientId"/,
  ],
  ['an unknown key inside', '{"mcpServers": {"a": {"command": "x", "restart": {§"max": 1}}}}', /Unknown key "max"/],
  [
    'an unknown key of the file',
    '{§"mcpServer": {}, "mcpServers": {"a": {"command": "x"}}}',
    /Unknown key "mcpServer"/,
    /"mcpServers"\?/,
  ],
  [
    'a key of another host',
    '{"mcpServers": {"a": {"command": "x", §"timeout": 30}}}',
    /Unknown key "timeout"/,
    /requestTimeoutMs/,
  ],
  [
    'a sandbox that is none',
    '{"servers": {"a": {"command": "x", §"sandboxEnabled": true}}}',
    /sandboxEnabled/,
    /no sandbox/,
  ],
  [
    'a name used twice',
    '{"mcpServers": {\n§"a": {"command": "no"},\n"a": {"command": "x"}}}',
    /"a" is set here and again in line 3/,
  ],
  ['a key used twice', '{"mcpServers": {"a": {§"command": "no", "command": "x"}}}', /"command" is set here and again/],
  [
    'a name in both shapes',
    '{"mcpServers": {"a": {"command": "x"}}, "servers": {§"a": {"command": "no"}}}',
    /the first one is used/,
  ],
  ['a whole command line', '{"mcpServers": {"a": {"command": §"npx -y server"}}}', /No shell is used/, /"args"/],
  ['a tilde', '{"mcpServers": {"a": {"command": "x", "args": [§"~/notes"]}}}', /~ is not expanded/, /userHome/],
  [
    'a tab that was a folder',
    '{"mcpServers": {"a": {"command": "x", "cwd": §"C:\\tools"}}}',
    /control character/,
    /Windows paths/,
  ],
  [
    'a time that no process is idle for',
    '{"mcpServers": {"a": {"command": "x", "share": {"by": "call", §"idleMs": 3}}}}',
    /"idleMs" has no effect with "by": "call"/,
    /"client"/,
  ],
  [
    'waits that contradict',
    '{"mcpServers": {"a": {"command": "x", "restart": {"backoffMs": §90000}}}}',
    /"maxBackoffMs" \(30000\)/,
  ],
  ['inputs that are none', '{"mcpServers": {"a": {"command": "x"}}, "inputs": §{}}', /"inputs" must be an array/],
  [
    'an input without an id',
    '{"mcpServers": {"a": {"command": "x"}}, "inputs": [§{"type": "promptString"}]}',
    /needs an "id"/,
  ],
];

test.each(warned)('%s causes only a warning', async (_, withMark, message, suggestion) => {
  const { text, at } = marked(withMark);
  const { servers, rejected, problems } = await read(text);
  expect(servers).toMatchObject([{ name: 'a' }]);
  expect(servers[0]!.command).not.toBe('no');
  expect(rejected).toEqual([]);
  expect(problems).toMatchObject([{ ...at, severity: 'warning', message: expect.stringMatching(message) }]);
  expect(problems[0]!.code).toBeUndefined();
  if (suggestion) expect(problems[0]!.suggestion).toMatch(suggestion);
});

test('accepts keys of other hosts and comments written as keys without a warning', async () => {
  const entry = { command: 'x', alwaysAllow: [], autoApprove: [], dev: {}, '//': 'a', _comment: 'b', '#x': 'c' };
  expect((await readOne(entry)).problems).toEqual([]);
});

test('ignores the settings of Claude Desktop itself', async () => {
  const world = { file: '/home/ada/.config/Claude/claude_desktop_config.json' };
  expect(await read('{"globalShortcut": "x", "mcpServers": {}}', world)).toMatchObject({ usable: true, problems: [] });
  expect(await read('{"globalShortcut": "x"}', world)).toMatchObject({ usable: true, problems: [] });
});

test('accepts names of object members as names of servers', async () => {
  const text =
    '{"mcpServers": {"__proto__": {"command": "x", "env": {"__proto__": "1"}}, "constructor": {"command": "y"}}}';
  const { servers, problems } = await read(text);
  expect(problems).toEqual([]);
  expect(servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  expect(Object.entries((servers[0] as CommandConfig).env)).toEqual([['__proto__', '1']]);
});

test('reports problems in the order of the file', async () => {
  const { problems } = await read(
    '{"a": 1,\n"mcpServers": {"x": {},\n"y": {"command": "${NO}"},\n"z": {"command": 1}}}',
  );
  expect(problems.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
});
