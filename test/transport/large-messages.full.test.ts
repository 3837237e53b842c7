// Large messages must not hang, be truncated or use excessive memory.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { usually } from '../fixtures/repetitions.ts';
import { startFixture } from '../fixtures/server.ts';

const run = promisify(execFile);
const MB = 1024 * 1024;

test('64 MB on one line in 64 KB chunks: every byte is searched once, decoded once, and copied at most twice', async () => {
  const program = fileURLToPath(new URL('../fixtures/decodes-one-line.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [program, '64']);
  const { length, searchedBytes, copiedBytes, decodedBytes } = JSON.parse(stdout);
  expect(length).toBe(64 * MB);
  const aLittle = 1000; // for the message around the text
  expect(searchedBytes).toBeLessThan(64 * MB + aLittle);
  expect(decodedBytes).toBeLessThan(64 * MB + aLittle);
  // Chunks that were read in several turns are copied a second time.
  expect(copiedBytes).toBeLessThan(2 * 64 * MB + aLittle);
  expect(Math.min(searchedBytes, decodedBytes, copiedBytes)).toBeGreaterThan(64 * MB); // all bytes were counted
});

test('a flood on one line stops at the limit and fails only its own request, and the session continues', async () => {
  const { peer } = await startFixture('floods-without-newline', [], {
    maxFrameBytes: MB,
    peer: { requestTimeoutMs: 1_000_000 }, // even on a busy machine
  });
  const flooded = peer.request('m', { megabytes: 200 });
  const fine = peer.request('m', {});
  await expect(flooded).rejects.toMatchObject({
    code: 'FRAME_TOO_LONG',
    message: expect.stringContaining('maxFrameBytes'),
    hint: expect.stringContaining('maxFrameBytes'),
  });
  expect(await fine).toEqual({ ok: true });
  expect(await peer.request('m', {})).toEqual({ ok: true });
});

test('the limit counts one frame, not what is buffered', async () => {
  const { peer } = await startFixture('peer-server', [], { maxFrameBytes: 100_000 });
  const text = 'x'.repeat(90_000);
  const answers = await Promise.all(Array.from({ length: 50 }, () => peer.request('echo', { text })));
  expect(answers).toHaveLength(50);
});

test('answers an oversized request with an error that names the limit', async () => {
  const { peer } = await startFixture('limits-frames', ['1000']);
  await expect(peer.request('echo', { text: 'x'.repeat(2000) })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining('1000'),
  });
  expect(await peer.request('echo', { text: 'x' })).toEqual({ text: 'x' });
});

const EXITS = usually(8, 100);

test(`a 5 MB answer followed by the exit arrives completely, ${EXITS} times of ${EXITS}`, async () => {
  const lengths: number[] = [];
  for (let n = 0; n < EXITS; n += 4) {
    const batch = Array.from({ length: 4 }, async () => {
      const { peer, transport } = await startFixture('answers-then-exits');
      const { text } = await peer.request<{ text: string }>('m', { bytes: 5 * MB });
      await transport.close();
      return text.length;
    });
    lengths.push(...(await Promise.all(batch)));
  }
  expect(lengths).toEqual(Array.from({ length: EXITS }, () => 5 * MB));
});
