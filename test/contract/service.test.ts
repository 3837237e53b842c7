import { fileURLToPath } from 'node:url';
import { RpcError } from '../../src/base/errors.ts';
import { connectLiteMcp } from '../../src/connect/litemcp.ts';
import { LiteMcpService } from '../../src/litemcp/service.ts';
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
      'a closed service refuses requests and ends its subscriptions':
        'handlers exist as long as the process; only connections close',
    },
  },
);

const oneTool = 'a LiteMCP server has one tool';
const noMessages = 'LiteMCP has requests and answers only';

serviceContract(
  'a LiteMCP process',
  async () => {
    const server = fileURLToPath(new URL('../fixtures/service-contract/litemcp-server.mjs', import.meta.url));
    const client = await connectLiteMcp({ command: process.execPath, args: [server], stderr: 'ignore' });
    return { service: new LiteMcpService(client), close: () => client.close() };
  },
  {
    skip: {
      'it reads resources, gets prompts and completes': 'LiteMCP has tools only',
      '`_meta` and unknown members pass unchanged': 'LiteMCP has no other members',
      'an answer with an error passes with code, message and data unchanged': 'LiteMCP has error texts only',
      'a failing tool returns a result with isError': oneTool,
      'progress goes to the caller of its request': noMessages,
      'a log message goes to the caller of its request': noMessages,
      'a question goes to its caller, and the answer to the handler': noMessages,
      'each of several callers gets only its own question': noMessages,
      'a failed question ends only its own request': noMessages,
      'a cancellation by the caller reaches the handler': 'LiteMCP cannot cancel',
      'a subscriber gets changes of the lists in its filter': noMessages,
      'a subscriber gets updates of the resources in its filter until it unsubscribes': noMessages,
      'a subscriber gets log messages that are unrelated to a request': noMessages,
    },
  },
);
