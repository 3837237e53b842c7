// Hosts of other versions behind the socket of a config: the command line reports the version and the fix.

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseServer, connectHost } from '../../src/host/control/connect-host.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { makeKey } from '../../src/wire/transport/local-key.ts';
import { connectLocal, listenLocal } from '../../src/wire/transport/local-socket.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { folder } from './run-host.ts';

let sockets = 0;

const newPath = () => join(folder, `versions-${++sockets}`);

/** Answers only these methods. */
function answers(methods: Record<string, object>) {
  const asked: string[] = [];
  const accept = (socket: Socket) => {
    const peer = new Peer(StreamTransport.over(socket));
    for (const [method, result] of Object.entries(methods)) {
      peer.handle(method, () => {
        asked.push(method);
        return result;
      });
    }
    void peer.start();
  };
  return { asked, accept };
}

const earlier = {
  code: 'HOST_VERSION',
  message: expect.stringContaining('an earlier version'),
  hint: expect.stringContaining('standpipe down'),
};

test('a host of the first version, whose methods were host/…, is refused with a hint', async () => {
  const path = newPath();
  const { asked, accept } = answers({ 'host/status': { servers: [] }, 'host/about': { pid: 1, lastSeq: 0 } });
  const listener = await listenLocal(path, accept);
  await expect(RemoteHost.connect(path)).rejects.toMatchObject(earlier);
  expect(asked).toEqual([]);
  listener.close();
});

// On Windows such a host listens at another name and is not found.
test.skipIf(process.platform === 'win32').each([
  ['left no key', false],
  ['left its key', true],
])('refuses a host without a key, with a hint and without a request, if a killed host %s', async (_, isKeyLeft) => {
  const path = newPath();
  const { asked, accept } = answers({ 'standpipe/status': { controlVersion: 2, version: '0.1.0', servers: [] } });
  const listener = createServer(accept).listen(path);
  await once(listener, 'listening');
  if (isKeyLeft) makeKey(path);
  await expect(RemoteHost.connect(path)).rejects.toMatchObject(earlier);
  await expect(connectHost(path)).rejects.toMatchObject(earlier); // as a relay does
  expect(asked).toEqual([]);
  listener.close();
});

test('refuses a newer host with its version, also in a relay', async () => {
  const about = { controlVersion: 99, version: '9.8.7' };
  const path = newPath();
  const { accept } = answers({ 'standpipe/status': { ...about, servers: [] }, 'standpipe/use': about });
  const newer = await listenLocal(path, accept);
  const refused = {
    code: 'HOST_VERSION',
    message: expect.stringContaining('9.8.7'),
    hint: expect.stringContaining('standpipe down'),
  };
  await expect(RemoteHost.connect(path)).rejects.toMatchObject(refused);
  const socket = await connectLocal(path);
  await expect(chooseServer(socket, { server: 'a' })).rejects.toMatchObject(refused);
  socket.destroy();
  newer.close();
});
