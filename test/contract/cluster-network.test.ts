import { beforeAll } from 'vitest';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { NatsProxy } from '../fixtures/fleet/nats-proxy.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { networkContract } from './cluster-network.contract.ts';

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});

const open = (url: string) => openNetwork({ servers: [url], fleet: 'contract', name: 'a', lifetimeMs: 3000 });

networkContract('NATS', {
  open: () => open(nats.url),
  async openCuttable() {
    const proxy = await NatsProxy.open(nats.port);
    return { network: await open(proxy.url), cut: () => proxy.cut(), heal: () => proxy.heal() };
  },
  async restart() {
    await nats.stop();
    await nats.start();
  },
});
