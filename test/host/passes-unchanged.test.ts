// `_meta` and unknown members pass unchanged from a client through the socket of a host to the server process and back,
// in each combination of eras, and through the merged service.

import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { chooseServer } from '../../src/host/control/connect-host.ts';
import { type ControlServer, serveControl } from '../../src/host/control/control-server.ts';
import { Host } from '../../src/host/host.ts';
import { serve } from '../../src/mcp/adapter/client-adapters.ts';
import type { Params, Service } from '../../src/mcp/service.ts';
import { connectLocal } from '../../src/wire/transport/local-socket.ts';
import { memoryPair, StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { contractServer } from '../contract/service.contract.ts';
import { folder, writeConfig } from './run-host.ts';

const numRuns = process.env.FC_PROFILE === 'deep' ? 2_000 : 40;
const eras = ['modern', 'legacy'] as const;
const pairs = eras.flatMap((client) =>
  eras.flatMap((server) => ['alone', 'among all'].map((way) => ({ client, server, way }))),
);

const unknown = fc
  .dictionary(
    fc.string({ maxLength: 8 }).map((name) => `com.example/${name}`),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 4 },
  )
  .map((members) => JSON.parse(JSON.stringify(members)) as Params);

let host: Host;
let control: ControlServer;
beforeAll(async () => {
  const entry = (era: string) => ({ command: process.execPath, args: [contractServer], era });
  host = await Host.open(writeConfig({ modern: entry('modern'), legacy: entry('legacy') }));
  control = await serveControl(host, join(folder, 'unchanged'));
});
afterAll(async () => {
  await control?.close();
  await host?.stop();
});

describe.each(pairs)('a $client client of a $server server, $way,', ({ client: era, server, way }) => {
  test('gets unchanged answers from the server, and the server gets unchanged requests', async () => {
    const socket = await connectLocal(control.path);
    if (way === 'alone') await chooseServer(socket, { server });
    const name = way === 'alone' ? 'opaque' : `${server}__opaque`;
    const client = await connect(StreamTransport.over(socket), { era });
    await fc.assert(
      fc.asyncProperty(unknown, unknown, fc.jsonValue({ maxDepth: 3 }), async (members, _meta, value) => {
        const trace = JSON.parse(JSON.stringify(value));
        const result = { content: [{ type: 'text', text: 'x', ...members }], ...members, _meta };
        const passed = await client.request('tools/call', {
          name,
          arguments: { result },
          _meta: { 'com.example/trace': trace },
        });
        const { resultType: _type, _meta: passedMeta, ...rest } = passed;
        const { seen, ...meta } = passedMeta as Params;
        expect(seen).toEqual(trace);
        delete meta['io.modelcontextprotocol/serverInfo'];
        expect(meta).toEqual(_meta);
        const { _meta: _given, ...given } = result;
        expect(rest).toEqual(given);
      }),
      { numRuns },
    );
    await client.close();
  });
});

test('a wrapper of a host service may modify a long result in place', async () => {
  const inner = host.service('legacy');
  const service: Service = {
    describe: () => inner.describe(),
    notify: () => undefined,
    watch: (watcher) => inner.watch(watcher),
    async request(method, params, caller) {
      const result = await inner.request(method, params, caller);
      if (method === 'tools/call') (result.content as object[]).push({ type: 'text', text: 'added' });
      return result;
    },
  };
  const [here, there] = memoryPair();
  const adapter = await serve(service, there);
  const client = await connect(here);
  const long = [{ type: 'text', text: 'x'.repeat(10_000) }];
  const { content } = await client.callTool('opaque', { result: { content: long } });
  expect(content).toEqual([...long, { type: 'text', text: 'added' }]);
  await client.close();
  await adapter.closed;
});
