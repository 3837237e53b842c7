// Hosts of other versions behind the socket of a config: the command line names the version and what to do about it.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseServer } from '../../src/host/control/choose-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { Peer } from '../../src/jsonrpc/peer.ts';
import { connectLocal } from '../../src/transport/local-socket.ts';
import { StreamTransport } from '../../src/transport/stream-transport.ts';
import { folder } from './run-host.ts';

let sockets = 0;

/** Listens as a host does, and answers with these methods alone. */
async function listens(methods: Record<string, object>): Promise<{ path: string; asked: string[]; close(): void }> {
  const name = `versions-${++sockets}`;
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\standpipe-${process.pid}-${name}` : join(folder, name);
  const asked: string[] = [];
  const listener = createServer((socket) => {
    const peer = new Peer(StreamTransport.over(socket));
    for (const [method, result] of Object.entries(methods)) {
      peer.handle(method, () => {
        asked.push(method);
        return result;
      });
    }
    void peer.start();
  }).listen(path);
  await once(listener, 'listening');
  return { path, asked, close: () => listener.close() };
}

test('a host of the first version, whose methods were host/…, is refused with its cure', async () => {
  const old = await listens({ 'host/status': { servers: [] }, 'host/about': { pid: 1, lastSeq: 0 } });
  await expect(RemoteHost.connect(old.path)).rejects.toMatchObject({
    code: 'HOST_VERSION',
    message: expect.stringContaining('an earlier version'),
    hint: expect.stringContaining('standpipe down'),
  });
  expect(old.asked).toEqual([]);
  old.close();
});

test('a newer host is refused with its version, also by a relay', async () => {
  const about = { controlVersion: 99, version: '9.8.7' };
  const newer = await listens({ 'standpipe/status': { ...about, servers: [] }, 'standpipe/use': about });
  const refused = {
    code: 'HOST_VERSION',
    message: expect.stringContaining('9.8.7'),
    hint: expect.stringContaining('standpipe down'),
  };
  await expect(RemoteHost.connect(newer.path)).rejects.toMatchObject(refused);
  const socket = await connectLocal(newer.path);
  await expect(chooseServer(socket, { server: 'a' })).rejects.toMatchObject(refused);
  socket.destroy();
  newer.close();
});
