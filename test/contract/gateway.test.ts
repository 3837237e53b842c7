import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { serveControl } from '../../src/host/control/control-server.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { connectLocal } from '../../src/wire/transport/local-socket.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { gatewayContract, type OpenedGateway } from './gateway.contract.ts';
import {
  type Era,
  type GatewayClient,
  LineClient,
  OneStreamClient,
  SessionClient,
  SingleClient,
} from './gateway-clients.ts';
import { contractServer } from './service.contract.ts';

const folder = temporaryFolder('door-contract');
const eras: readonly Era[] = ['legacy', 'modern'];

interface Served {
  connect(): Promise<GatewayClient>;
  close(): Promise<void>;
}

/** A gateway of a host. */
async function behindHost(serve: (host: Host) => Promise<Served>): Promise<OpenedGateway> {
  const host = new Host({ mcpServers: { contract: { command: process.execPath, args: [contractServer] } } });
  const { connect, close } = await serve(host);
  const clients: GatewayClient[] = [];
  return {
    async connect() {
      const client = await connect();
      clients.push(client);
      return client;
    },
    inspect: async (tool, args) => textIn(await host.callTool('contract', tool, args)),
    close,
    async dispose() {
      for (const client of clients) client.vanish();
      await close();
      await host.stop();
    },
  };
}

function textIn({ content }: { content: object[] }): string {
  return (content[0] as { text: string }).text;
}

const oneClient = 'stdio has one client, and its server ends with it';
for (const era of eras) {
  gatewayContract(
    `stdio, ${era}`,
    async () => {
      const child = spawn(process.execPath, [contractServer], { stdio: ['pipe', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      const client = await new LineClient(era, child.stdout, child.stdin, () => child.stdin.destroy()).open();
      let id = 1000;
      return {
        async connect() {
          client.received.length = 0;
          return client;
        },
        inspect: async (tool, args) => textIn((await client.call(++id, tool, args)).result as never),
        close: async () => undefined,
        async dispose() {
          child.stdin.end();
          await exited;
        },
      };
    },
    {
      vanishing: 'cancels',
      skip: {
        'equal ids and progress tokens of several clients are distinguished': oneClient,
        'progress and log messages do not reach other clients': oneClient,
        'a client that disconnects cancels its requests, and does not affect others': oneClient,
        'closing the gateway disconnects its clients and cancels their requests': oneClient,
      },
    },
  );

  gatewayContract(
    `the socket of a host, ${era}`,
    () =>
      behindHost(async (host) => {
        const path = join(folder, `${era}.sock`);
        const control = await serveControl(host, path);
        return {
          async connect() {
            const client = LineClient.over(era, await connectLocal(path));
            client.send({ jsonrpc: '2.0', id: 'use', method: 'standpipe/use', params: { server: 'contract' } });
            await client.until(({ id }) => id === 'use');
            return client.open();
          },
          close: () => control.close(),
        };
      }),
    { vanishing: 'cancels' },
  );
}

function overHttp(newClient: (url: string) => GatewayClient): () => Promise<OpenedGateway> {
  return () =>
    behindHost(async (host) => {
      const http = await serveHttp((name) => (name === 'contract' ? host.service(name) : undefined), { token: false });
      return { connect: () => newClient(`${http.url}/contract`).open(), close: () => http.close() };
    });
}

gatewayContract(
  'HTTP, sessions',
  overHttp((url) => new SessionClient(url)),
  { vanishing: 'keeps' },
);
gatewayContract(
  'HTTP, 2026-07-28',
  overHttp((url) => new SingleClient(url)),
  { vanishing: 'cancels' },
);
gatewayContract(
  'HTTP+SSE',
  overHttp((url) => new OneStreamClient(url)),
  { vanishing: 'cancels' },
);
