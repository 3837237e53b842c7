import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { connectLocal } from '../../src/wire/transport/local-socket.ts';
import { until } from '../fixtures/server.ts';
import { folder, openHost } from './run-host.ts';

const pathOf = (name: string) => join(folder, name);

test('a connection above the limit is refused with the reason, and the others are served', async () => {
  const path = pathOf('many');
  const host = await openHost({});
  const control = await serveControl(host, path, { maxConnections: 20 });
  const remote = (await RemoteHost.connect(path))!;
  const sockets = await Promise.all(Array.from({ length: 19 }, () => connectLocal(path)));
  const refused = { code: 'SERVER_BUSY', message: 'The host has 20 connections already' };
  await expect(RemoteHost.connect(path)).rejects.toMatchObject(refused);
  expect((await remote.status()).servers).toEqual([]);
  for (const socket of sockets.splice(0, 1)) socket.destroy();
  await until('there is space again', () =>
    RemoteHost.connect(path).then(
      (again) => again!.close().then(() => true),
      () => false,
    ),
  );
  for (const socket of sockets) socket.destroy();
  await remote.close();
  await control.close();
});

test('a host is idle after idleMs without clients, and not while one is connected', async () => {
  const path = pathOf('idle');
  const host = await openHost({});
  const clock = new ManualClock();
  let idle = 0;
  const control = await serveControl(host, path, { clock, idleMs: 1000, onIdle: () => idle++ });
  clock.advance(29_999); // the first client may need longer than idleMs
  expect(idle).toBe(0);
  const remote = (await RemoteHost.connect(path))!;
  clock.advance(5000);
  expect(idle).toBe(0);
  await remote.close();
  await until('it has noticed the disconnection', () => clock.pending === 1);
  clock.advance(999);
  expect(idle).toBe(0);
  clock.advance(1);
  expect(idle).toBe(1);
  await control.close();
});
