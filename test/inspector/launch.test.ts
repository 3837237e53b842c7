// Start and end of an Inspector.

import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startInspector } from '../../src/app/inspector/server.ts';
import { hostSource } from '../../src/app/inspector/sources/source.ts';
import { Host } from '../../src/host/host.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { later } from '../fixtures/later.ts';

test('uses the next port if one is in use, and fails with an error after several', async () => {
  const busy = createServer();
  const port = await new Promise<number>((resolve) => {
    busy.listen(0, '127.0.0.1', () => resolve((busy.address() as { port: number }).port));
  });
  later(async () => void busy.close());
  const inspector = await startInspector(hostSource(new Host([])), { port });
  later(() => inspector.close());
  expect(inspector.port).toBeGreaterThan(port);
  expect(inspector.port).toBeLessThanOrEqual(port + 20);
  await expect(startInspector(hostSource(new Host([])), { port: 70_000 })).rejects.toThrow('cannot listen');
});

test('closing leaves no connections open', async () => {
  const before = process.getActiveResourcesInfo().filter((kind) => /TCP|Pipe/.test(kind)).length;
  const flow = new FlowStore();
  const closing = await startInspector(hostSource(new Host([], { flow })), { port: 0 });
  const stream = await fetch(`http://127.0.0.1:${closing.port}/api/live?token=${closing.token}`);
  const idle = connect(closing.port, '127.0.0.1');
  await new Promise((resolve) => idle.once('connect', resolve));
  const idleEnd = new Promise((resolve) => idle.once('close', resolve));
  idle.on('error', () => undefined);
  await closing.close();
  await expect(readToEnd(stream)).resolves.toBeUndefined();
  await idleEnd;
  await expect(fetch(`http://127.0.0.1:${closing.port}/`)).rejects.toThrow();
  await new Promise((resolve) => setImmediate(resolve));
  const after = process.getActiveResourcesInfo().filter((kind) => /TCP|Pipe/.test(kind)).length;
  expect(after).toBeLessThanOrEqual(before);
});

async function readToEnd(response: Response): Promise<void> {
  try {
    for await (const _ of response.body!);
  } catch {
    // A destroyed connection has ended too.
  }
}
