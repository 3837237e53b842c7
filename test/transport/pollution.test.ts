// Stray output, an unread stderr, and child processes that read the input of the protocol.

import { describe, expect, test } from 'vitest';
import type { Noise } from '../../src/base/noise.ts';
import { StderrRing } from '../../src/wire/process/streams/stderr-ring.ts';
import { fixtureTransport, startFixture, until } from '../fixtures/server.ts';

test('1,000 junk lines among 1,000 messages: no message is lost, and each line is reported once', async () => {
  const { peer, transport } = await startFixture('prints-junk');
  const noise: Noise[] = [];
  transport.onnoise = (line) => noise.push(line);
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, n) => peer.request('m', { n })));
  expect(answers).toEqual(answers.map((_, n) => ({ n })));
  expect(transport.noiseCount).toBe(1001);
  expect(noise.map((line) => line.text)).toEqual([
    'Starting server v1.2.3 …',
    ...answers.map((_, n) => `handling request ${n + 1}`),
  ]);
  expect(new Set(noise.map((line) => line.offset)).size).toBe(1001);
});

test('output of our server goes to stderr, and its stdout carries only the protocol', async () => {
  let stderr = '';
  const { peer, transport } = await startFixture('peer-server', [], {
    stderr: (chunk) => {
      stderr += chunk;
    },
  });
  for (let n = 0; n < 20; n++) await peer.request('print', { text: `{"jsonrpc":"2.0","id":${n},"result":"fake"}` });
  await transport.close();
  expect(transport.noiseCount).toBe(0);
  expect(stderr.match(/fake/g)).toHaveLength(60);
});

describe.each(['lines', 'no newline'])('10 MB on stderr (%s)', (kind) => {
  test.each(['ignore', 'pipe'] as const)('do not block the server if stderr is not read (%s)', async (stderr) => {
    const { peer } = await startFixture('floods-stderr', ['10', kind], { stderr });
    expect(await peer.request('m')).toEqual({});
  });

  test('are kept only up to a limit', async () => {
    const { peer, transport } = await startFixture('floods-stderr', ['10', kind]);
    await peer.request('m');
    await until('stderr is read', () => transport.evidence().stderrTail !== undefined);
    expect(transport.evidence().stderrTail!.length).toBeLessThanOrEqual(4096);
    expect(new StderrRing().tail()).toBe('');
  });
});

test('piped stderr can be read from before the start', async () => {
  const transport = fixtureTransport('complains-and-exits', [], { stderr: 'pipe', env: { API_KEY: 'k' } });
  let text = '';
  transport.stderr!.on('data', (chunk) => {
    text += chunk;
  });
  await transport.start();
  await transport.send({ jsonrpc: '2.0', method: 'hello' });
  await new Promise((resolve) => transport.stderr!.once('end', resolve));
  expect(text).toBe('fatal: key k was refused\n');
});

test.each([['inherit'], [['inherit', 'pipe', 'pipe']], [[0, 'pipe', 'inherit']]])(
  'a tool that runs cat returns, because no child of our server reads the protocol (%j)',
  async (stdio) => {
    const { peer, transport } = await startFixture('peer-server');
    expect(await peer.request('cat', { stdio })).toEqual({ code: 0, output: '' });
    expect(await peer.request('echo', { still: 'here' })).toEqual({ still: 'here' });
    expect(transport.noiseCount).toBe(0);
  },
);
