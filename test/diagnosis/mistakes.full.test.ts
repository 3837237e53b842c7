// The mistakes of docs/troubleshooting.md with real servers: each is recognised, and early if the output proves it. The limit of a start is
// longer than that of a test, so that the test fails if such a start is not ended early.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { BoundedEraMemory, type ClientOptions, connect, type StandpipeError } from '../../src/entry/client.ts';
import { rules } from '../../src/wire/diagnosis/diagnose.ts';
import { httpRules } from '../../src/wire/diagnosis/http.ts';
import { hasPython } from '../fixtures/python.ts';
import { closing, until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('diagnosis');

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/diagnosis/${name}`, import.meta.url));
const node = (name: string) => [process.execPath, fixture(name)];
const python = (name: string) => ['python3', fixture(name)];
const runsHere = ([, [command]]: readonly [unknown, string[], ...unknown[]]) => hasPython || command !== 'python3';
const FOR_EVER_MS = 2 ** 30;

async function failure(words: string[], options: ClientOptions = {}, observer = {}): Promise<StandpipeError> {
  const [command = '', ...args] = words;
  const stopWaits = { stdinMs: 60_000 };
  const target = { command, args, stderr: 'ignore' as const, stopWaits, observer };
  return connect(target, { eraMemory: new BoundedEraMemory(), ...options }).then(
    async (client) => {
      await client.close();
      throw new Error(`${words.join(' ')} connected`);
    },
    (error: StandpipeError) => error,
  );
}

const provenByOutput: [name: string, words: string[], message: RegExp, hint: RegExp][] = [
  ['not-json', python('prints_repr.py'), /Python's repr of a dict/, /json\.dumps/],
  ['not-json', python('prints_bytes.py'), /Python's repr of bytes/, /json\.dumps/],
  ['not-json', node('logs-objects.mjs'), /console\.log form of an object/, /JSON\.stringify/],
  ['indented-json', python('indents.py'), /over several lines/, /indent=/],
  ['indented-json', node('breaks-strings.mjs'), /line break inside a string/, /JSON\.stringify/],
  ['utf-16', python('writes_utf16.py'), /UTF-16/, /reconfigure/],
  ['text-on-the-line', python('logs_on_the_line.py'), /"sending"/, /file=sys\.stderr/],
  ['text-on-the-line', node('colours-its-answers.mjs'), /colours its messages/, /NO_COLOR/],
  ['batch', node('writes-batches.mjs'), /inside an array \(a JSON-RPC batch\)/, /one JSON object on its own line/],
  ['prompt', python('asks_for_a_password.py'), /"Password for admin:"/, /"env" or "args"/],
  ['no-newline', python('ends_no_line.py'), /newline/, /end=""/],
  ['content-length', node('writes-content-length.mjs'), /Content-Length/, /"framing": "content-length"/],
  ['no-jsonrpc', node('leaves-out-jsonrpc.mjs'), /without "jsonrpc"/, /"2\.0"/],
  ['wrong-id', node('answers-another-id.mjs'), /"abc"/, /Copy the "id"/],
  ['cannot-read-requests', node('cannot-read.mjs'), /"Parse error"/, /framing/],
];

test.each(provenByOutput.filter(runsHere))(
  '%s: recognises %j before the timeout',
  async (name, words, message, hint) => {
    const error = await failure(words, { startupTimeoutMs: FOR_EVER_MS, probeTimeoutMs: 100 });
    // An answer that is almost JSON fails its request at once.
    expect(['NEGOTIATION_FAILED', 'MESSAGE_INVALID']).toContain(error.code);
    expect(error.evidence?.diagnosis).toBe(name);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  },
);

const foundAtTimeout: typeof provenByOutput = [
  ['missing-flush', python('never_flushes.py'), /starts slowly, or does not flush stdout/, /^Raise .*flush=True/],
  ['missing-flush', node('reads-to-the-end.mjs'), /reads stdin to the end/, /line by line/],
  ['litemcp', node('speaks-litemcp.mjs'), /uses LiteMCP/, /"protocol": "litemcp".*--litemcp/],
  ['network-server', node('listens-on-a-port.mjs'), /http:\/\/localhost:3000/, /stdio mode/],
];
test.each(foundAtTimeout.filter(runsHere))('%s: recognises %j at the timeout', async (name, words, message, hint) => {
  const clock = new ManualClock();
  let stderr = '';
  let sent = 0;
  const observer = {
    stderr: (chunk: Uint8Array) => (stderr += Buffer.from(chunk).toString()),
    sent: () => sent++,
  };
  const failing = failure(words, { clock, startupTimeoutMs: 60_000, probeTimeoutMs: 100 }, observer);
  await until('it runs', () => stderr !== '' && sent > 0);
  await until('initialize is sent', () => {
    if (sent === 3) return true; // after server/discover and ping
    clock.advance(100);
    return false;
  });
  if (name === 'missing-flush') await until('it is read', () => stderr.includes('got initialize'));
  clock.advance(60_000);
  const error = await failing;
  expect(error).toMatchObject({ code: 'REQUEST_TIMEOUT', evidence: { diagnosis: name } });
  expect(error.message).toMatch(message);
  expect(error.hint).toMatch(hint);
});

const crlf = join(folder, 'has-crlf.sh');
const usesImport = join(folder, 'uses-import.cjs'); // linters would reject it in the repository
writeFileSync(usesImport, "import 'node:fs';\n");
writeFileSync(crlf, '#!/usr/bin/env bash\r\nset -e\r\nnode --version\r\n');

const foundAtExit: [name: string, words: string[], hint: RegExp][] = [
  ['module-not-found', python('needs_a_module.py'), /no_such_module_at_all.*python3 -m pip install/],
  ['module-not-found', ['python3', '-m', 'no_such_module_at_all'], /no_such_module_at_all/],
  ['module-not-found', node('needs-a-package.mjs'), /no-such-package-at-all.*npm install/],
  ['file-not-found', ['python3', 'no-such-file.py'], /no file ".*no-such-file\.py".*"cwd"/],
  ['file-not-found', ['node', 'no-such-file.mjs'], /no file ".*no-such-file\.mjs".*"cwd"/],
  ['wrong-interpreter', ['node', fixture('needs_a_variable.py')], /node runs.*Use python3/],
  ['wrong-interpreter', ['python3', fixture('answering.mjs')], /python3 runs.*Use node/],
  ['esm-or-commonjs', node('uses-require.mjs'), /require.*\.cjs/],
  ['esm-or-commonjs', [process.execPath, usesImport], /uses import.*\.mjs/],
  [
    'variable-not-set',
    python('needs_a_variable.py'),
    /--env WEATHER_API_KEY before the --; in a config, set it in "env"/,
  ],
  [
    'variable-not-set',
    node('needs-a-variable.mjs'),
    /--env WEATHER_API_KEY before the --; in a config, set it in "env"/,
  ],
  ['usage', node('wants-arguments.mjs'), /\[--stdio\] FOLDER.*"args"/],
  ['node-version', [process.execPath, '--no-such-option', fixture('wants-arguments.mjs')], /--no-such-option/],
  ...(process.platform === 'win32'
    ? []
    : [
        ['crlf-script', ['bash', crlf], /Windows line ends/] as [string, string[], RegExp],
        ['command-not-found', ['sh', '-c', 'no-such-command-at-all --stdio'], /"no-such-command-at-all"/] as [
          string,
          string[],
          RegExp,
        ],
      ]),
];
test.each(foundAtExit.filter(runsHere))('%s: recognises %j after its exit', async (name, words, hint) => {
  const error = await failure(words);
  expect(error).toMatchObject({ code: 'PROCESS_EXITED', evidence: { diagnosis: name } });
  expect(error.hint).toMatch(hint);
});

test('connects to a correct server whose stray output resembles the mistakes', async () => {
  const [command = '', ...args] = node('noisy-but-healthy.mjs');
  const client = closing(await connect({ command, args, stderr: 'ignore' }, { probeTimeoutMs: 100 }));
  expect(client.server.info?.name).toBe('fixture');
});

test('waits until the timeout for a correct server with such output', async () => {
  const gate = join(folder, 'gate');
  const [command = '', ...args] = [...node('noisy-but-healthy.mjs'), gate];
  const clock = new ManualClock();
  let stderr = '';
  const observer = { stderr: (chunk: Uint8Array) => (stderr += Buffer.from(chunk).toString()) };
  const target = { command, args, stderr: 'ignore' as const, observer };
  const connecting = connect(target, { clock, startupTimeoutMs: 60_000, probeTimeoutMs: 100 });
  await until('it runs', () => stderr.includes('got server/discover'));
  await until('it has read initialize', () => {
    if (stderr.includes('got initialize')) return true;
    if (clock.nowMs() < 10_000) clock.advance(100);
    return false;
  });
  for (let look = 0; look < 20; look++) clock.advance(1500);
  writeFileSync(gate, '');
  const client = closing(await connecting);
  expect(client.server.info?.name).toBe('fixture');
});

test('docs/troubleshooting.md has a heading for every rule', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/troubleshooting.md', import.meta.url)), 'utf8');
  const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
  const names = [...rules, ...httpRules].map(({ name }) => name);
  expect(headings.sort()).toEqual([...new Set(names)].sort());
});
