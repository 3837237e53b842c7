import { describe, expect, test } from 'vitest';
import { diagnose, diagnoseLine } from './diagnose.ts';
import type { Symptoms } from './symptoms.ts';

const encoder = new TextEncoder();

function symptoms(given: Partial<Omit<Symptoms, 'stdout'>> & { stdout?: string }): Symptoms {
  const stdout = encoder.encode(given.stdout ?? '');
  return { command: 'server', framing: 'newline', stderr: '', stdoutBytes: stdout.length, ...given, stdout };
}

const exited = (stderr: string, command = 'server', exitCode = 1) =>
  diagnose(symptoms({ command, stderr, exitCode, signal: null }));

test.each([
  ['java', '{jsonrpc=2.0, id=1, result={protocolVersion=2025-06-18}}\n'],
  ['go', 'map[id:1 jsonrpc:2.0 result:map[capabilities:map[]]]\n'],
  ['ruby', '{"jsonrpc"=>"2.0", "id"=>1, "result"=>{}}\n'],
  ['rust', 'Response { jsonrpc: "2.0", id: Number(1), result: Some(Object {}) }\n'],
  [
    'php',
    'array(3) {\n  ["jsonrpc"]=>\n  string(3) "2.0"\n  ["id"]=>\n  int(1)\n  ["result"]=>\n  array(0) {\n  }\n}\n',
  ],
  ['python', '{"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {"tools": {"listChanged": True}}}}\n'],
  ['python', '{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "x", "load": NaN}}\n'],
])('detects an answer in the notation of %s', (_language, stdout) => {
  expect(diagnose(symptoms({ stdout }))).toMatchObject({ name: 'not-json', isFinal: true });
});

test.each([
  [
    'java-version',
    'Error: LinkageError occurred while loading main class Main\n\tjava.lang.UnsupportedClassVersionError: Main has been compiled by a more recent version of the Java Runtime (class file version 65.0), this version of the Java Runtime only recognizes class file versions up to 61.0\n',
    'Java 21; this java is version 17',
  ],
  [
    'dotnet-runtime',
    "You must install or update .NET to run this application.\n\nFramework: 'Microsoft.NETCore.App', version '9.0.0' (x64)\n",
    '.NET',
  ],
  [
    'python-version',
    '  File "server.py", line 3\nSyntaxError: Non-ASCII character \'\\xe2\' in file server.py on line 3, but no encoding declared\n',
    'Python 2',
  ],
  [
    'python-version',
    "  File \"s.py\", line 1\n    print 'x'\nSyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?\n",
    'Python 2',
  ],
  ['crlf-script', "/usr/bin/env: 'python3\\r': No such file or directory\n", 'Windows line ends'],
  ['crlf-script', 'bash: ./run.sh: /bin/sh^M: bad interpreter: No such file or directory\n', 'Windows line ends'],
  ['typescript-file', 'TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /x/server.ts\n', '.ts'],
  [
    'package-not-found',
    "npm error code E404\nnpm error 404  '@acme/no-server@*' is not in this registry.\n",
    '@acme/no-server',
  ],
  [
    'package-not-found',
    "npm error 404  The requested resource '@acme/no-server@*' could not be found or you do not have permission to access it.\n",
    '@acme/no-server',
  ],
  [
    'registry-unreachable',
    'npm error code ENOTFOUND\nnpm error network request to the registry failed, reason: getaddrinfo ENOTFOUND registry\n',
    'registry',
  ],
  ['wrong-folder', 'go: go.mod file not found in current directory or any parent directory\n', 'not its project'],
  ['file-not-found', 'bash: line 1: ./run.sh: No such file or directory\n', './run.sh'],
  ['file-not-found', 'bash: line 1: /My tést/run.sh: No such file or directory\n', '"/My tést/run.sh"'],
  ['file-not-found', 'sh: 0: cannot open /My tést/run.sh: No such file\n', '"/My tést/run.sh"'],
  ['file-not-found', 'Error: Unable to access jarfile /My tést/server.jar\n', '"/My tést/server.jar"'],
  ['file-not-found', 'ruby: No such file or directory -- /My tést/server.rb (LoadError)\n', '"/My tést/server.rb"'],
  ['file-not-found', 'Could not open input file: /My tést/server.php\n', '"/My tést/server.php"'],
  ['permission-denied', 'sh: 1: /My tést/run.sh: Permission denied\n', '"/My tést/run.sh"'],
  ['command-not-found', 'sh: 1: /My tést/run: not found\n', '"/My tést/run"'],
  ['wrong-folder', 'npm error Missing script: "serve"\n', '"serve"'],
  [
    'port-in-use',
    'Error: listen EADDRINUSE: address already in use :::3000\n    at Server.listen\n\nNode.js v20.0.0\n',
    '3000',
  ],
  ['permission-denied', "PermissionError: [Errno 13] Permission denied: '/var/data'\n", '/var/data'],
  [
    'deno-permission',
    'error: Uncaught (in promise) NotCapable: Requires net access to "x:80", run again with the --allow-net flag\n',
    'net access',
  ],
  ['docker-without-stdin', 'the input device is not a TTY\n', 'terminal'],
  ['module-not-found', 'Error: Could not find or load main class com.acme.Main\n', 'com.acme.Main'],
  [
    'module-not-found',
    'Traceback (most recent call last):\n  File "s.py", line 1, in <module>\nModuleNotFoundError: No module named \'mcp.server\'\n',
    'mcp.server',
  ],
  [
    'file-not-found',
    "Error: Cannot find module '/x/no.mjs'\n    at x\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n",
    '/x/no.mjs',
  ],
  [
    'module-not-found',
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/home/ada/projects/weather server/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp' imported from /x/s.mjs\n",
    '"@modelcontextprotocol/sdk/dist/esm/server/mcp", which its package',
  ],
  [
    'module-not-found',
    "Error: Cannot find module '../build/Release/keytar.node'\nRequire stack:\n- /x y/node_modules/keytar/lib/keytar.js\n- /x y/server.js\n    at a (b:1:2)\n",
    'native part of the package "keytar", which is not built',
  ],
  [
    'module-not-found',
    "Error: Cannot find module './lib/a'\nRequire stack:\n- /x y/node_modules/@acme/tool/index.js\n    at a (b:1:2)\n",
    'has an incomplete package',
  ],
  [
    'module-not-found',
    "Error: Cannot find module './lib/tools'\nRequire stack:\n- /x y/server.cjs\n    at a (b:1:2)\n",
    '"/x y/server.cjs" requires the file "./lib/tools", which does not exist',
  ],
  [
    'node-version',
    'Error: Acme server requires Node.js 22 or later (you have v20.20.2).\nPlease update.\n',
    'Node.js 22 or later',
  ],
  [
    'node-version',
    'The Acme CLI requires a minimum Node.js version of v22.22.3.\n\nPlease visit https://nodejs.org/\n',
    'v22.22.3',
  ],
  [
    'node-version',
    'acme: error [OLD]\n\nProblem: Acme v2 requires Node 22 or newer.\nMore help: https://x/\n',
    'Node 22',
  ],
  [
    'service-unreachable',
    'TypeError: fetch failed\n    at node:internal/deps/undici\n  [cause]: Error: getaddrinfo ENOTFOUND acme.example\n',
    'getaddrinfo ENOTFOUND acme.example',
  ],
  ['file-not-found', "Error: Cannot find module './no.js'\nRequire stack:\n- internal/preload\n", './no.js'],
  [
    'module-not-found',
    "Error: The module '/x/better_sqlite3.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.\n",
    'not built for this version of Node.js',
  ],
  [
    'variable-not-set',
    'Traceback (most recent call last):\n  File "s.py", line 2, in <module>\n    KEY = [redacted]["ACME_KEY"]\n  File "<frozen os>", line 679, in __getitem__\nKeyError: \'ACME_KEY\'\n',
    'ACME_KEY',
  ],
  ['out-of-memory', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n', 'memory'],
  ['usage', 'usage: server [-h] --root ROOT\nserver: error: the following arguments are required: --root\n', '--root'],
])('diagnoses %s from stderr: %s', (name, stderr, words) => {
  const found = exited(stderr);
  expect(found?.name).toBe(name);
  expect(found?.problem).toContain(words);
  const withCarriageReturns = symptoms({ stderr: stderr.replaceAll('\n', '\r\n'), exitCode: 1 });
  expect(diagnose(withCarriageReturns, 'powershell')).toEqual(found);
});

test.each([
  ['crlf-script', 'posix'],
  ['node-version', 'powershell'],
] as const)('a bad option with a carriage return means %s on %s', (name, shell) => {
  const stderr = 'node: bad option: --no-such-option\r\n';
  expect(diagnose(symptoms({ stderr, exitCode: 9 }), shell)?.name).toBe(name);
});

test.each<[string, number | undefined, number | undefined, string | undefined]>([
  ['a running server whose stdin is open', undefined, undefined, undefined],
  ['a running server after the end of stdin', undefined, 0, 'service-unreachable'],
  ['a server that ended with stdin', 0, 0, 'service-unreachable'],
])('names a service that cannot be reached: %s', (_what, exitCode, bytesBeforeEof, name) => {
  const stderr = '[Error] connect ECONNREFUSED 127.0.0.1:6379\n[Retry] in 2000 ms\n';
  expect(diagnose(symptoms({ stderr, exitCode, bytesBeforeEof }))?.name).toBe(name);
});

test('an error that was reported before another one is not the reason of the exit', () => {
  const stderr = 'connect ECONNREFUSED 127.0.0.1:4318\nTypeError: x is not a function\n    at a (b:1:2)\n';
  expect(diagnose(symptoms({ stderr, exitCode: 1 }))?.name).not.toBe('service-unreachable');
});

describe('a variable that is set here and was not passed to the server', () => {
  const withheld = ['OPENAI_API_KEY', 'EDITOR', 'REGION'];
  const fixFor = (stderr: string, exitCode: number | undefined = 1) =>
    diagnose(symptoms({ stderr, exitCode, withheld }))?.fix;

  test.each([
    'OPENAI_API_KEY is not set\n',
    'Error: Missing OPENAI_API_KEY\n    at main (server.js:3:9)\n\nNode.js v20.0.0\n',
    'please set OPENAI_API_KEY and try again',
    "KeyError: 'OPENAI_API_KEY'\n",
    'The OPENAI_API_KEY environment variable is required\n',
  ])('is named in the fix, with the option that passes it: %j', (stderr) => {
    expect(fixFor(stderr)).toContain('Pass it on with --env OPENAI_API_KEY, written before the --;');
    expect(fixFor(stderr, 0)).toContain('--env OPENAI_API_KEY');
  });

  test.each([
    ['another variable is missing', 'GITHUB_TOKEN is not set\n'],
    ['only a part of the name occurs', 'MY_OPENAI_API_KEY_2 is not set\n'],
    ['the line does not report a missing value', 'using OPENAI_API_KEY from the keyring\nError: disk full\n'],
    ['the word is not a name', 'the region is not set\n'],
  ])('is not suggested if %s', (_why, stderr) => {
    expect(fixFor(stderr) ?? '').not.toContain('--env');
  });

  test('is not suggested while the server runs', () => {
    expect(diagnose(symptoms({ stderr: 'OPENAI_API_KEY is not set\n', withheld }))).toBeUndefined();
  });
});

test('detects a container without stdin by its command line', () => {
  const name = (command: string) => diagnose(symptoms({ command }))?.name;
  expect(name('docker run --rm mcp/time')).toBe('docker-without-stdin');
  expect(exited('', 'docker run --rm mcp/time', 0)?.name).toBe('docker-without-stdin');
  expect(exited('docker: Cannot connect to the Docker daemon\n', 'docker run mcp/time', 125)).toBeUndefined();
  expect(exited('Cannot connect to the Docker daemon at unix:///x\n', 'docker run mcp/time', 1)).toBeUndefined();
  for (const command of [
    'docker run -i --rm mcp/time',
    'docker run --rm -it mcp/time',
    'podman run --interactive x',
    'docker compose run time',
    'docker ps',
  ]) {
    expect(name(command)).toBeUndefined();
  }
});

test.each([
  ['Ok to proceed? (y) ', 'npx-prompt'],
  ['Password: ', 'prompt'],
  ['Enter your API key: ', 'prompt'],
  ['Do you want to continue? [Y/n] ', 'prompt'],
  ['Verifying API key: ', undefined],
  ['Checking the password… ', undefined],
  ['Password: \n', undefined],
  ['Loading: ', undefined],
])('the last output %j', (stdout, name) => {
  expect(diagnose(symptoms({ stdout }))?.name).toBe(name);
});

test('detects a LiteMCP answer by its structure, not only by a version', () => {
  const name = (message: object) => diagnose(symptoms({ stdout: `${JSON.stringify(message)}\n\n\n` }))?.name;
  const info = { version: [1, 0, 0], id: 1, type: 'info', data: { name: 'Echo' } };
  expect(name(info)).toBe('litemcp');
  expect(name({ ...info, type: 'result' })).toBe('litemcp');
  expect(name({ ...info, version: '1.0.0' })).toBeUndefined();
  expect(name({ ...info, data: 'Echo' })).toBeUndefined();
});

const healthy = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}\n';

test.each([
  ['a valid answer', healthy],
  ['a log of the request', "{'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'result': None}}\n"],
  ['an indented log of the request', '{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "initialize"\n}\n'],
  ['a log line in JSON', '{"level":"error","id":1,"error":{"text":"x"}}\n{"id":1,"result":{"rows":3}}\n'],
  ['an answer that the client also logs', `sent ${healthy}${healthy}`],
  ['an incomplete answer', '{"jsonrpc":"2.0","id":1,"resu'],
  ['an HTTP header', 'Content-Length: 12\n'],
  ['a banner', '\u001b[1m FastMCP 2.0 \u001b[0m\n=============\nusage: see the docs\n'],
  ['no byte', ''],
])('diagnoses nothing for %s', (_what, stdout) => {
  expect(diagnose(symptoms({ stdout }))).toBeUndefined();
});

test('does not blame an error that was reported before another one', () => {
  expect(exited("ModuleNotFoundError: No module named 'uvloop'\nRuntimeError: no database\n")).toBeUndefined();
  expect(exited("KeyError: 'API_KEY'\n")).toBeUndefined();
});

test('does not blame stderr of a server that runs or was stopped', () => {
  const stderr = "ModuleNotFoundError: No module named 'uvloop'\n";
  expect(diagnose(symptoms({ stderr }))).toBeUndefined();
  expect(diagnose(symptoms({ stderr, exitCode: 1, bytesBeforeEof: 0 }))).toBeUndefined();
});

test('does not check the format of messages with another framing', () => {
  const stdout = 'Content-Length: 2\r\n\r\n{}';
  expect(diagnose(symptoms({ stdout, framing: 'content-length' }))).toBeUndefined();
  expect(diagnose(symptoms({ stdout }))?.name).toBe('content-length');
});

test('masks secrets in quoted output', () => {
  const found = diagnose(
    symptoms({ stdout: 'Enter s3cret: ', redact: (text) => text.replaceAll('s3cret', '[env KEY]') }),
  );
  expect(found?.problem).toContain('[env KEY]');
});

test('one line of stdout', () => {
  expect(diagnoseLine("{'jsonrpc': '2.0', 'id': 1, 'result': {}}")?.name).toBe('not-json');
  expect(diagnoseLine('listening on port 3000')).toBeUndefined();
});

test('scans output that is slow to match in bounded time', () => {
  const evil = ['{', '{"a":', "{'jsonrpc': '2.0' ", 'Password ', '"', 'map[', '\u001b[', '(y', 'x: '].map((part) =>
    part.repeat(8192 / part.length),
  );
  for (const stdout of evil) {
    expect(diagnose(symptoms({ stdout, stderr: stdout.slice(0, 4096), exitCode: 1 }))?.name).not.toBe('');
  }
});
