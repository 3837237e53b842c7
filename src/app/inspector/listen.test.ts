import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from './server.ts';

test('reports an error of a listening server, which keeps listening', async () => {
  const server = createServer((_, response) => response.end('still here'));
  const told: Error[] = [];
  await listen(server, 0, (error) => told.push(error));
  const { port } = server.address() as AddressInfo;
  const error = new Error('accept ENFILE');
  server.emit('error', error);
  server.emit('error', error);
  expect(told).toEqual([error, error]);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('still here');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('an error before listening rejects the call, and is not reported elsewhere', async () => {
  const told: Error[] = [];
  const server = createServer();
  await expect(listen(server, 70_000, (error) => told.push(error))).rejects.toThrow('cannot listen');
  expect(told).toEqual([]);
  expect(server.listenerCount('error')).toBe(0);
});
