// The contract of services for servers of other nodes: over NATS and the endpoint of the node, as a server of a host, and on the same node,
// where no messages are sent.

import { RpcError } from '../../src/base/errors.ts';
import { defaultRemoteSettings, defaultSettings, type RemoteConfig } from '../../src/config/server-config.ts';
import { Host } from '../../src/host/host.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { RouteNode } from '../fixtures/fleet/route-node.ts';
import { declare } from '../fixtures/service-contract/declare.mjs';
import { serviceContract } from './service.contract.ts';

const nats = await startNatsServer();
const modern = { 'a subscriber gets log messages that are unrelated to a request': '2026-07-28 has none' };
const stays = {
  'a closed service refuses requests and ends its subscriptions':
    'a server that has stopped is connected again when it is needed',
};
const elicit = () => ({ action: 'decline' as const });
const maxFrameBytes = defaultSettings.maxFrameBytes;
let opened = 0;

async function served(isFar: boolean) {
  const name = `files ${++opened}`;
  const server = declare(new Server({ name: 'service-contract', version: '1.0.0' }), RpcError);
  const owner = await RouteNode.join(nats.url, `owner${opened}`, { isFar });
  const placed = await owner.run(name, server.service);
  const caller = isFar ? await RouteNode.join(nats.url, `caller${opened}`) : owner;
  const close = async () => {
    await placed.open.close();
    await Promise.all(isFar ? [caller.close(), owner.close()] : [owner.close()]);
  };
  return { name, caller, close };
}

for (const isFar of [true, false]) {
  const where = isFar ? 'another node' : 'the same node of a fleet';

  serviceContract(
    `a server of ${where}`,
    async () => {
      const { name, caller, close } = await served(isFar);
      const client = await caller.connect(name, { maxFrameBytes, client: { elicit } });
      return { service: client.service, close: () => client.close().finally(close) };
    },
    { skip: modern },
  );

  serviceContract(
    `a server of a host, on ${where},`,
    async () => {
      const { name, caller, close } = await served(isFar);
      const entry: RemoteConfig = {
        ...defaultSettings,
        ...defaultRemoteSettings,
        name: 'far',
        url: 'nats://route/far',
        source: { file: 'fleet', line: 1, column: 1 },
      };
      const host = new Host([entry], {
        serviceOf: (_config, options) => caller.services.open(name, { maxFrameBytes, ...options }),
        inputs: () => ({ elicit }),
      });
      return { service: host.service('far'), close: () => host.stop().finally(close) };
    },
    { skip: { ...modern, ...stays } },
  );
}
