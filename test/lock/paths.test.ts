// A definition that is not approved is neither listed nor usable over HTTP, over the socket of a host, or where all servers are served as one.

import { join } from 'node:path';
import { Client as OfficialClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { EVIL, evil, Locking, tool } from './locking.ts';

test('every path of a host lists and calls approved tools only', async () => {
  const locking = new Locking({ a: { tools: [tool('read'), tool('write')] } });
  locking.serve('a', { tools: [tool('read'), evil('write')] });
  const host = await locking.host();
  const http = await serveHttp((name) => host.service(name));
  onTestFinished(() => http.close());
  const requestInit = { headers: { authorization: `Bearer ${http.token}` } };
  for (const path of ['', '/a']) {
    const client = new OfficialClient({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${http.url}${path}`), { requestInit }));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(1);
    const [listed] = tools;
    expect(await client.callTool({ name: listed!.name, arguments: {} })).toMatchObject({
      content: [{ text: 'called read' }],
    });
    for (const name of ['write', listed!.name.replace('read', 'write')]) {
      const error = await client.callTool({ name, arguments: {} }).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify([tools, error, error.message])).not.toContain(EVIL);
    }
  }
  const socket = join(locking.folder, 'socket');
  const control = await serveControl(host, socket);
  onTestFinished(() => control.close());
  const remote = (await RemoteHost.connect(socket))!;
  onTestFinished(() => remote.close());
  expect((await remote.client('a').listTools()).tools.map(({ name }) => name)).toEqual(['read']);
  await expect(remote.client('a').callTool('write')).rejects.toThrow('is not approved');
});
