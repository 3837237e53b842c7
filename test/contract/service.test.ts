import { RpcError } from '../../src/base/errors.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { declare } from '../fixtures/service-contract/declare.mjs';
import { serviceContract } from './service.contract.ts';

serviceContract(
  'a server with handlers',
  async () => {
    const server = declare(new Server({ name: 'service-contract', version: '1.0.0' }), RpcError);
    return { service: server.service, close: () => server.close() };
  },
  {
    skip: {
      'a closed service refuses requests, and its watchers learn of the end':
        'handlers are there as long as the process; only connections close',
    },
  },
);
