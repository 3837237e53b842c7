// Every failure reports what happened, where, and what to do, without values of `env`.

import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { StandpipeError } from '../../src/base/errors.ts';
import { StdioClientTransport } from '../../src/wire/transport/stdio-client.ts';
import { startFixture } from '../fixtures/server.ts';
import { killed, lacks } from '../fixtures/windows.ts';

const secret = 'sk-very-secret-123';

async function failure(promise: Promise<unknown>): Promise<StandpipeError> {
  return promise.then(
    () => expect.unreachable('should have failed'),
    (error) => error,
  );
}

test('a server that exits during a request: phase, exit code, last output, first stray output, hint, without secrets', async () => {
  const { peer, transport } = await startFixture('complains-and-exits', [], { env: { API_KEY: secret } });
  const error = await failure(peer.request('tools/list'));
  expect(error).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    hint: expect.any(String),
    evidence: {
      phase: 'startup',
      exitCode: 7,
      signal: null,
      stderrTail: 'fatal: key [env API_KEY] was refused\n',
      firstNoise: 'using key [env API_KEY]',
      command: expect.stringContaining('complains-and-exits'),
    },
    cause: { code: 'PROCESS_EXITED' },
  });
  expect(error.message).toContain('exited with code 7 before its first message');
  expect(error.message).toContain('was refused');
  for (const each of [error, transport.closeError]) expect(inspect(each, { depth: 10 })).not.toContain(secret);
});

test('a request after the exit was never sent, and has the same evidence', async () => {
  const { peer } = await startFixture('exits-at', ['after-first-message']);
  await failure(peer.request('a'));
  expect(await failure(peer.request('b'))).toMatchObject({ code: 'NOT_SENT', evidence: { exitCode: 3 } });
});

test('reports that a server was killed from outside', async () => {
  const { peer, transport } = await startFixture('never-reads');
  const waiting = failure(peer.request('m'));
  process.kill(transport.pid!, 'SIGKILL');
  const error = await waiting;
  expect(error).toMatchObject({ evidence: killed });
  expect(error.message).toContain(lacks.signals ? 'exited with code 1' : 'ended by SIGKILL');
});

test('a timeout has the evidence too', async () => {
  const { peer } = await startFixture('floods-stderr', ['0']);
  await peer.request('m');
  const { peer: silent } = await startFixture('never-reads');
  expect(await failure(silent.request('m', {}, { timeoutMs: 50 }))).toMatchObject({
    code: 'REQUEST_TIMEOUT',
    evidence: { phase: 'startup', command: expect.stringContaining('never-reads') },
  });
});

test('the exit determines the outcome before any timeout', async () => {
  const { peer } = await startFixture('peer-server');
  await peer.request('ping');
  expect(await failure(peer.request('die', {}, { timeoutMs: 1_000_000 }))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
});

test('a server that closes its stdout and keeps running is stopped, and the error reports that', async () => {
  const { peer, transport } = await startFixture('closes-stdout', [], { stopWaits: { stdinMs: 50, sigtermMs: 50 } });
  const error = await failure(peer.request('m'));
  expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: { code: 'PROCESS_UNRESPONSIVE' } });
  expect(error.message).toContain('closed its stdout');
  await transport.close();
});

describe('a command that cannot be started', () => {
  const start = (options: { command: string; cwd?: string; args?: string[] }) =>
    failure(new StdioClientTransport({ ...options, env: { TOKEN: secret, PATH: '/nowhere/bin' } }).start());

  test('because it does not exist: names the command, the PATH, and the fix', async () => {
    const error = await start({ command: 'no-such-command', args: ['--key', secret] });
    expect(error).toMatchObject({ code: 'COMMAND_NOT_FOUND', evidence: { phase: 'spawn' }, hint: expect.any(String) });
    expect(error.message).toContain('no-such-command');
    expect(inspect(error)).toContain('/nowhere/bin');
    expect(inspect(error)).not.toContain(secret);
  });
  test('because its folder is missing', async () => {
    expect(await start({ command: process.execPath, cwd: '/no/such/folder' })).toMatchObject({ code: 'CWD_NOT_FOUND' });
  });
  test('because it is not a program', async () => {
    expect(await start({ command: fileURLToPath(new URL('../../package.json', import.meta.url)) })).toMatchObject({
      code: 'COMMAND_NOT_EXECUTABLE',
    });
  });
});

test('masks a secret in the arguments too', async () => {
  const transport = new StdioClientTransport({
    command: 'no-such-command',
    args: [`--key=${secret}`],
    secrets: [secret],
  });
  expect(await failure(transport.start())).toMatchObject({ evidence: { command: 'no-such-command --key=[redacted]' } });
});

test('passes arguments unchanged', async () => {
  const args = ['a b', '"q"', '%X%', '&', '^', '', "it's", '$HOME', '*', '日本', 'line\nbreak'];
  const { peer } = await startFixture('prints-arguments', args, { env: { EXTRA: 'yes' } });
  const { args: arrived, env } = await peer.request<{ args: string[]; env: Record<string, string> }>('m');
  expect(arrived).toEqual(args);
  expect(env).toMatchObject({ EXTRA: 'yes', PATH: process.env.PATH });
});

test('keeps the message of an error from a server, except for known secrets', async () => {
  const { peer } = await startFixture('refuses-with-words', [], { env: { API_KEY: secret } });
  const error = await failure(peer.request('tools/call'));
  expect(error.message).toBe('token: expected a string, and the key [env API_KEY] is refused');
});
