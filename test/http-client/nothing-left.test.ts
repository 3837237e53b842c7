// After its clients are closed, a process has no sockets and timers left, and exits by itself.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';

test('a process whose clients are closed exits by itself', async () => {
  const server = new Server({ name: 's', version: '1' });
  server.tool('echo', {}, () => 'echoed');
  server.tool('waits', {}, () => new Promise(() => undefined));
  const serving = await serveHttp(server, { token: false });
  const child = fork(fileURLToPath(new URL('../fixtures/http-client/closes-its-client.mjs', import.meta.url)), [
    serving.url,
  ]);
  const exited = once(child, 'exit');
  const [resources] = await once(child, 'message');
  expect(resources.filter((name: string) => /TCP|TLS|Timeout/.test(name))).toEqual([]);
  expect(await exited).toEqual([0, null]);
  await serving.close();
});
