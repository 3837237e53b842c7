import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { connectLiteMcp, type LiteMcpConnectOptions } from '../../src/entry/litemcp.ts';
import { hasPython } from '../fixtures/python.ts';
import { closing, isAlive } from '../fixtures/server.ts';
import { lacks } from '../fixtures/windows.ts';
import { node, python, startRaw } from './raw-process.ts';

async function connect(fixture: string, options: Partial<LiteMcpConnectOptions> = {}) {
  return closing(
    await connectLiteMcp({ ...node(`test/fixtures/litemcp/${fixture}.mjs`), stderr: 'ignore', ...options }),
  );
}
const callMessage = (tool: string, ...args: string[]) =>
  `${JSON.stringify({ version: [1, 0, 0], id: 1, type: 'call', data: { tool, arguments: args } })}\n\n\n`;

describe('connecting', () => {
  test('starts the server and reads its tool; closing stdin ends the server', async () => {
    const client = await connect('echoes', { stopWaits: { stdinMs: 60_000 } });
    const pid = client.pid!;
    expect(client.tool).toMatchObject({ name: 'Echo', parameters: [{ name: 'text', type: 'string' }] });
    expect((await client.call({ text: '\n\n\n😀\ud800' })).response.content[0]!.data).toBe('\n\n\n😀\ud800');
    expect(client.noiseCount).toBe(0);
    await client.close();
    expect(client.stopRung).toBe('stdin');
    expect(isAlive(pid)).toBe(false);
  });
  test('works with a server that prints stray output around its answers', async () => {
    const client = await connect('prints-junk');
    expect((await client.call(['a\n\n\nb'])).response.content[0]!.data).toBe('a\n\n\nb');
    expect(client.noiseCount).toBe(3);
    expect(client.evidence()).toMatchObject({ firstNoise: 'Junk server 0.1 starting…' });
  });
  test('reports why a command is not a server', async () => {
    await expect(connectLiteMcp({ command: 'no-such-command-here' })).rejects.toMatchObject({
      code: 'COMMAND_NOT_FOUND',
    });
    const script = 'console.log("usage: thing [options]"); process.exit(2)';
    await expect(connectLiteMcp({ command: process.execPath, args: ['-e', script] })).rejects.toMatchObject({
      code: 'PROCESS_EXITED',
      message: expect.stringContaining('exited with code 2 before its first message'),
      evidence: { phase: 'startup', exitCode: 2, firstNoise: 'usage: thing [options]' },
    });
  });
  test('stops a silent server after its time limit, and no process remains', async () => {
    const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
    const failure = await connectLiteMcp({ ...silent, startupTimeoutMs: 50 }).catch((error) => error);
    expect(failure).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: 'Could not connect: get was not answered within 50 ms',
      hint: expect.stringContaining('If it is an MCP server, remove "protocol": "litemcp"'),
      evidence: { phase: 'startup' },
    });
    expect(isAlive(failure.evidence.pid)).toBe(false);
    const abort = new AbortController();
    const connecting = connectLiteMcp({ ...silent, signal: abort.signal });
    abort.abort(new Error('not wanted any more'));
    await expect(connecting).rejects.toThrow('not wanted any more');
  });
});

test('a server that exits during a call leaves only that outcome unknown, with the evidence', async () => {
  const client = await connect('dies-mid-call');
  await expect(client.call(['page one'])).rejects.toMatchObject({
    name: 'PeerError',
    code: 'OUTCOME_UNKNOWN',
    message: expect.stringContaining('out of paper'),
    evidence: { phase: 'running', exitCode: 3, stderrTail: 'out of paper\n' },
    cause: { code: 'PROCESS_EXITED' },
  });
  await expect(client.call(['page two'])).rejects.toMatchObject({ code: 'NOT_SENT' });
});

describe('the end of stdin', () => {
  test('answers the pending call, then ends the process despite its timers', async () => {
    const { raw, exited } = startRaw(node('test/fixtures/litemcp/waits.mjs'));
    raw.write(callMessage('Wait', '0'));
    await raw.next();
    raw.stream.end(callMessage('Wait', '300').replace('"id":1', '"id":2'));
    expect(await raw.nextJson()).toMatchObject({ id: 2, data: { response: { content: [{ data: 'waited 300' }] } } });
    expect(await exited).toBe(0);
  });
  test('does not wait for a call that never ends', async () => {
    const { raw, exited } = startRaw(node('test/fixtures/litemcp/waits.mjs'));
    raw.write(callMessage('Wait', '0'));
    await raw.next();
    raw.stream.end(callMessage('Wait', '1000000').replace('"id":1', '"id":2'));
    expect(await exited).toBe(0);
  });
  test.skipIf(!hasPython)('ends the Python server too', async () => {
    const { raw, exited } = startRaw(python('examples/litemcp/calculator.py'));
    raw.stream.end(callMessage('Calculator', '0.1', '0.2'));
    expect(await raw.nextJson()).toMatchObject({ data: { response: { content: [{ type: 'number', data: '0.3' }] } } });
    expect(await exited).toBe(0);
  });
});

test('other output goes to stderr, and stdout carries only the protocol', async () => {
  const { raw, exited, stderr } = startRaw(node('test/fixtures/litemcp/echoes.mjs'));
  raw.stream.end(`nonsense\n\n\n${callMessage('Echo', 'x')}`);
  expect(await raw.nextJson()).toMatchObject({ id: 1, data: { response: { error: false } } });
  expect(await exited).toBe(0);
  expect(raw.unread).toBe('');
  expect(stderr()).toMatch(/^Echo: Not valid JSON: .*\nechoing\n$/);
});

test.skipIf(lacks.signals)('a server that answers is responsive, a suspended process is not', async () => {
  const clock = new ManualClock();
  const client = await connect('echoes', { clock });
  expect(await client.isResponsive(1000)).toBe(true);
  process.kill(client.pid!, 'SIGSTOP');
  const answered = client.isResponsive(1000);
  clock.advance(1000);
  expect(await answered).toBe(false);
  process.kill(client.pid!, 'SIGKILL');
  expect(await client.isResponsive(1000)).toBe(false);
});
