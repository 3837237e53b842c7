// A client that reads slowly is distinguished from one that does not read: the server waits until the slow one has read
// its last answers.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newline } from '../../src/wire/framing/newline.ts';
import { BatchWriter } from '../../src/wire/transport/batch-writer.ts';
import { until } from '../fixtures/server.ts';

test.skipIf(process.platform === 'win32')('notices that data is read long before the write has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'standpipe-slow-'));
  const path = join(folder, 'socket');
  const listener = createServer({ pauseOnConnect: true }).listen(path);
  await once(listener, 'listening');
  const accepted = once(listener, 'connection') as Promise<[Socket]>;
  const writing = connect(path);
  const [[reading]] = await Promise.all([accepted, once(writing, 'connect')]);
  let drains = 0;
  writing.on('drain', () => drains++);
  const writer = new BatchWriter(writing, newline());
  void writer.send('x'.repeat(16 * 1024 * 1024), true);
  await until('the system takes no more', () => writer.blocked);
  const before = writer.progress;
  // A full socket becomes writable after most of it was read, which is much less than one write.
  reading.on('data', () => writer.progress !== before && reading.pause());
  reading.resume();
  await until('it is noticed', () => writer.progress !== before);
  expect(drains).toBe(0);
  for (const socket of [writing, reading]) socket.destroy();
  listener.close();
  rmSync(folder, { recursive: true });
});
