// Pain point 6: large messages hang, truncate or eat memory elsewhere.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { usually } from '../fixtures/repetitions.ts';
import { startFixture } from '../fixtures/server.ts';

const run = promisify(execFile);
const MB = 1024 * 1024;

test('64 MB on one line in 64 KB chunks: every byte is searched once, decoded once, and copied twice at most', async () => {
  const program = fileURLToPath(new URL('../fixtures/decodes-one-line.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [program, '64']);
  const { length, searchedBytes, copiedBytes, decodedBytes } = JSON.parse(stdout);
  expect(length).toBe(64 * MB);
  const aLittle = 1000; // for the message around the text
  expect(searchedBytes).toBeLessThan(64 * MB + aLittle);
  expect(decodedBytes).toBeLessThan(64 * MB + aLittle);
  // The second copy is of chunks that were read in several turns.
  expect(copiedBytes).toBeLessThan(2 * 64 * MB + aLittle);
  expect(Math.min(searchedBytes, decodedBytes, copiedBytes)).toBeGreaterThan(64 * MB); // all of it was counted
});

test('a flood on one line stops at the limit, fails its own request alone, and the session goes on', async () => {
  const { peer } = await startFixture('floods-without-newline', [], {
    maxFrameBytes: MB,
    peer: { requestTimeoutMs: 1_000_000 }, // however busy the machine is
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

test('an oversized request is answered with an error that names the limit', async () => {
  const { peer } = await startFixture('limits-frames', ['1000']);
  await expect(peer.request('echo', { text: 'x'.repeat(2000) })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining('1000'),
  });
  expect(await peer.request('echo', { text: 'x' })).toEqual({ text: 'x' });
});

const EXITS = usually(8, 100);

test(`a 5 MB answer followed by the exit arrives whole, ${EXITS} times of ${EXITS}`, async () => {
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
