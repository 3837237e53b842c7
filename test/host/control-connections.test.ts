import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { until } from '../fixtures/server.ts';
import { folder, openHost } from './run-host.ts';

test('a program that opens 300 connections to the control socket and leaves them open gets 256', async () => {
  const host = await openHost({});
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\standpipe-test-${process.pid}` : join(folder, 'control');
  const control = await serveControl(host, path);
  const remote = (await RemoteHost.connect(path))!;
  const sockets = Array.from({ length: 300 }, () =>
    connect(path)
      .on('error', () => undefined)
      .resume(),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => undefined)));
  await until('the others were closed', () => sockets.filter(({ closed }) => !closed).length === 255);
  expect((await remote.status()).servers).toEqual([]); // who is connected already is served
  for (const socket of sockets) socket.destroy();
  await remote.close();
  await control.close();
});
