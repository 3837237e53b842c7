// The contract of services for servers over HTTP: with `connect({ url })`, and as a server of a host.

import { RpcError } from '../../src/base/errors.ts';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { declare } from '../fixtures/service-contract/declare.mjs';
import { serviceContract } from './service.contract.ts';

const stays = {
  'a closed service refuses requests and ends its subscriptions':
    'a server that has stopped is connected again when it is needed',
};
const skips = {
  modern: { 'a subscriber gets log messages that are unrelated to a request': '2026-07-28 has none' },
  legacy: {
    'each of several callers gets only its own question': 'a question of a legacy server does not name its request',
    'a log message goes to the caller of its request': 'a log message of a legacy server does not name its request',
  },
};

const elicit = () => ({ action: 'decline' as const });

async function served() {
  const server = declare(new Server({ name: 'service-contract', version: '1.0.0' }), RpcError);
  return serveHttp(server, { token: false });
}

for (const era of ['modern', 'legacy'] as const) {
  serviceContract(
    `a server behind HTTP, of the ${era} era,`,
    async () => {
      const serving = await served();
      const client = await connect({ url: serving.url }, { era, elicit });
      return { service: client.service, close: () => client.close().finally(() => serving.close()) };
    },
    { skip: skips[era] },
  );

  serviceContract(
    `a server of a host, behind HTTP, of the ${era} era,`,
    async () => {
      const serving = await served();
      const host = new Host({ mcpServers: { far: { url: serving.url, era } } }, { inputs: () => ({ elicit }) });
      return { service: host.service('far'), close: () => host.stop().finally(() => serving.close()) };
    },
    { skip: { ...skips[era], ...stays } },
  );

  serviceContract(
    `a server behind HTTP and a gateway, of the ${era} era,`,
    async () => {
      const serving = await served();
      const host = new Host({ mcpServers: { far: { url: serving.url, era } } }, { inputs: () => ({ elicit }) });
      const gateway = await serveHttp((name) => (name === undefined ? host.service('far') : undefined), {
        token: false,
      });
      const client = await connect({ url: gateway.url }, { era, elicit });
      return {
        service: client.service,
        close: async () => {
          await client.close();
          await gateway.close();
          await host.stop();
          await serving.close();
        },
      };
    },
    { skip: skips[era] },
  );
}
