import { beforeAll } from 'vitest';
import { openFabric } from '../../src/fleet/nats/open-fabric.ts';
import { NatsProxy } from '../fixtures/fleet/nats-proxy.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { fabricContract } from './fabric.contract.ts';

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});

const open = (url: string) => openFabric({ servers: [url], fleet: 'contract', name: 'a', lifetimeMs: 3000 });

fabricContract('NATS', {
  open: () => open(nats.url),
  async openCuttable() {
    const proxy = await NatsProxy.open(nats.port);
    return { fabric: await open(proxy.url), cut: () => proxy.cut(), heal: () => proxy.heal() };
  },
  async restart() {
    await nats.stop();
    await nats.start();
  },
});
